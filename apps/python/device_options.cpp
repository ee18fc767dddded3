#include "device_options.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/enum_names.h"
#include "core/base/error.h"

namespace runahead::python {
namespace {

constexpr int kMostWorkers = 256;
constexpr int kMostThreads = 1024;
constexpr double kMostBytes = 9.2e18;

std::string shown(const py::object& value) { return py::repr(value).cast<std::string>(); }

[[noreturn]] void refuse(const char* name, const std::string& allowed, const py::object& found) {
  throw ConfigError(std::string(name) + " must be " + allowed + ", but is " + shown(found));
}

std::int64_t whole_number(const char* name, const py::object& value, std::int64_t least,
                          std::int64_t most) {
  const bool is_bounded = most != std::numeric_limits<std::int64_t>::max();
  const std::string allowed =
      "a whole number" + (is_bounded
                              ? " from " + std::to_string(least) + " to " + std::to_string(most)
                              : ", at least " + std::to_string(least));
  if (py::isinstance<py::bool_>(value) || !py::isinstance<py::int_>(value)) {
    throw py::type_error(std::string(name) + " must be " + allowed + ", but is " + shown(value));
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0 || number < least || number > most) refuse(name, allowed, value);
  return number;
}

// The value of a number, or of a text that `parse` reads.
template <typename Parse>
double number_or_text(const char* name, const char* allowed, const py::object& value,
                      Parse&& parse) {
  if (py::isinstance<py::str>(value)) {
    const auto number = parse(value.cast<std::string>());
    if (!number) refuse(name, allowed, value);
    return static_cast<double>(*number);
  }
  const bool is_number = py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value);
  if (!is_number || py::isinstance<py::bool_>(value)) {
    throw py::type_error(std::string(name) + " must be " + allowed + ", but is " + shown(value));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {  // An int beyond all floats.
    PyErr_Clear();
    refuse(name, allowed, value);
  }
  return number;
}

std::uint64_t size_in_bytes(const char* name, const py::object& value) {
  constexpr const char* kAllowed =
      "a whole number of bytes from 1 to 9.2e18, or a size such as '256MiB'";
  const double bytes = number_or_text(name, kAllowed, value, parse_bytes);
  if (!(bytes >= 1.0 && bytes <= kMostBytes) || bytes != std::trunc(bytes)) {
    refuse(name, kAllowed, value);
  }
  return static_cast<std::uint64_t>(bytes);
}

double positive_seconds(const py::object& value) {
  constexpr const char* kAllowed = "a number of seconds above 0, or a duration such as '500ms'";
  const double seconds = number_or_text("seconds", kAllowed, value, parse_duration);
  if (!(seconds > 0.0) || !std::isfinite(seconds)) refuse("seconds", kAllowed, value);
  return seconds;
}

template <typename Enum>
Enum named(const char* name, const py::object& value) {
  const std::vector<std::string>& names = names_of<Enum>();
  std::string allowed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (py::isinstance<py::str>(value) && value.cast<std::string>() == names[i]) {
      return static_cast<Enum>(i);
    }
    allowed += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  refuse(name, "one of " + allowed, value);
}

// nullopt for None.
template <typename Enum>
std::optional<Enum> optionally_named(const char* name, const py::object& value) {
  if (value.is_none()) return std::nullopt;
  return named<Enum>(name, value);
}

std::optional<int> optional_count(const char* name, const py::object& value, int least, int most) {
  if (value.is_none()) return std::nullopt;
  return static_cast<int>(whole_number(name, value, least, most));
}

std::optional<engine::AllocatorSettings> allocator_of(const py::object& text) {
  if (text.is_none()) return std::nullopt;
  if (!py::isinstance<py::str>(text)) {
    refuse("allocator", "text such as 'expandable_segments:True'", text);
  }
  return engine::parse_allocator_settings(text.cast<std::string>());
}

std::optional<std::uint64_t> capacity_of(const py::object& capacity) {
  if (py::isinstance<py::str>(capacity) && capacity.cast<std::string>() == "off") {
    return std::nullopt;
  }
  return size_in_bytes("capacity", capacity);
}

}  // namespace

engine::RunAheadLimit limit_of(const py::object& operations, const py::object& bytes,
                               const py::object& seconds) {
  engine::RunAheadLimit limit;
  if (!operations.is_none()) {
    limit.operations = static_cast<std::uint64_t>(
        whole_number("operations", operations, 1, std::numeric_limits<std::int64_t>::max()));
  }
  if (!bytes.is_none()) limit.bytes = size_in_bytes("bytes", bytes);
  if (!seconds.is_none()) limit.seconds = positive_seconds(seconds);
  return limit;
}

std::optional<engine::RunAheadLimit> limit_of_environment() {
  const char* text = std::getenv("RUNAHEAD_LIMIT");
  if (text == nullptr || std::string_view(text).empty()) return std::nullopt;
  if (std::string_view(text) == "off") return engine::RunAheadLimit{};
  const auto bytes = parse_bytes(text);
  if (bytes.value_or(0) >= 1) return engine::RunAheadLimit{.bytes = bytes};
  throw ConfigError(
      "RUNAHEAD_LIMIT must be a size from 1 B to 9.2 EB, such as '256MiB', or 'off', but is '" +
      std::string(text) + "': set one of these, or unset it");
}

DeviceChanges::DeviceChanges(const py::object& workers, const py::object& ready_order,
                             const py::object& allocation, const py::object& allocator,
                             const py::object& capacity, const py::object& intra_op_threads,
                             const py::object& host_copies, const py::object& products,
                             const py::object& freed_memory)
    : workers_(optional_count("workers", workers, 0, kMostWorkers)),
      ready_order_(optionally_named<engine::ReadyOrder>("ready_order", ready_order)),
      allocation_(optionally_named<device::Allocation>("allocation", allocation)),
      allocator_(allocator_of(allocator)),
      intra_op_threads_(optional_count("intra_op_threads", intra_op_threads, 1, kMostThreads)),
      host_copies_(optionally_named<device::HostCopies>("host_copies", host_copies)),
      products_(optionally_named<device::ProductLibrary>("products", products)),
      freed_memory_(optionally_named<device::FreedMemory>("freed_memory", freed_memory)) {
  if (!capacity.is_none()) capacity_bytes_ = capacity_of(capacity);
}

void DeviceChanges::apply(device::DeviceOptions& options) const {
  const auto take = [](auto& option, const auto& change) {
    if (change) option = *change;
  };
  take(options.workers, workers_);
  take(options.ready_order, ready_order_);
  take(options.allocation, allocation_);
  const auto capacity_bytes = capacity_bytes_.value_or(options.allocator.capacity_bytes);
  take(options.allocator, allocator_);
  options.allocator.capacity_bytes = capacity_bytes;
  take(options.intra_op_threads, intra_op_threads_);
  take(options.host_copies, host_copies_);
  take(options.products, products_);
  take(options.freed_memory, freed_memory_);
}

}  // namespace runahead::python
