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

template <int least, int most>
int count(const char* name, const py::object& value) {
  return static_cast<int>(whole_number(name, value, least, most));
}

engine::AllocatorSettings allocator_of(const py::object& text) {
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

DeviceChanges::DeviceChanges(const py::dict& given) {
  using device::DeviceOptions;
  const auto take = [&](const char* name, auto option, auto&& read) {
    const py::object value = given[name];
    if (value.is_none()) return;
    changes_.emplace_back(
        [option, read = read(name, value)](DeviceOptions& options) { options.*option = read; });
  };
  take("workers", &DeviceOptions::workers, count<0, kMostWorkers>);
  take("ready_order", &DeviceOptions::ready_order, named<engine::ReadyOrder>);
  take("allocation", &DeviceOptions::allocation, named<device::Allocation>);
  if (const py::object allocator = given["allocator"]; !allocator.is_none()) {
    changes_.emplace_back([settings = allocator_of(allocator)](DeviceOptions& options) {
      const auto capacity_bytes = options.allocator.capacity_bytes;  // A setting of its own.
      options.allocator = settings;
      options.allocator.capacity_bytes = capacity_bytes;
    });
  }
  if (const py::object capacity = given["capacity"]; !capacity.is_none()) {
    changes_.emplace_back([bytes = capacity_of(capacity)](DeviceOptions& options) {
      options.allocator.capacity_bytes = bytes;
    });
  }
  take("intra_op_threads", &DeviceOptions::intra_op_threads, count<1, kMostThreads>);
  take("host_copies", &DeviceOptions::host_copies, named<device::HostCopies>);
  take("products", &DeviceOptions::products, named<device::ProductLibrary>);
  take("freed_memory", &DeviceOptions::freed_memory, named<device::FreedMemory>);
}

}  // namespace runahead::python
