#include "core/record/record.h"

#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <concepts>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/json_pointer.h"
#include "core/config/experiment_kinds.h"
#include "core/record/command_line.h"

namespace runahead::record {
namespace {

// A section's keys are the names of its members, which `visit(key, member)` reads or writes.
#define RUNAHEAD_VISIT(unused_round, unused_data, member) \
  visit(BOOST_PP_STRINGIZE(member), section.member);
#define RUNAHEAD_KEYS(name, ...)                                                    \
  template <typename Section, typename Visit>                                       \
  void name(Section& section, const Visit& visit) {                                 \
    BOOST_PP_SEQ_FOR_EACH(RUNAHEAD_VISIT, _, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)) \
  }

RUNAHEAD_KEYS(list_environment, runahead, git, torch, cuda, compiler, host, cpu, cores,
              memory_bytes, gpu, malloc, cpus_shared)
RUNAHEAD_KEYS(list_time, issue_seconds, total_seconds, examples_per_second, cpu_seconds, t1_seconds,
              t2_seconds, t3_seconds, predicted_total_seconds, batch_finished_seconds)
RUNAHEAD_KEYS(list_memory, rss_baseline_bytes, rss_peak_bytes, rss_growth_bytes, rss_end_bytes,
              live_peak_bytes, reserved_peak_bytes, promised_peak_bytes, held_peak_bytes,
              committed_peak_bytes, attribution, cuda)
RUNAHEAD_KEYS(list_backlog, operations_peak, batches_peak, bytes_peak, predicted_bytes_peak,
              blocking_operators)
RUNAHEAD_KEYS(list_loss, first, last, finite)
RUNAHEAD_KEYS(list_monitor, samples, missed, jitter_p99_seconds, cpu_seconds, slow_lane_cpu_seconds)
RUNAHEAD_KEYS(list_cell, attempts, wall_seconds, rss_peak_bytes, slot, cpus)

#undef RUNAHEAD_KEYS
#undef RUNAHEAD_VISIT

/// Writes members into one JSON object; nullopt as null.
class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}

  template <typename Value>
  void operator()(const char* key, const Value& value) const {
    object_[key] = value;
  }
  template <typename Value>
  void operator()(const char* key, const std::optional<Value>& value) const {
    object_[key] = or_null(value);
  }

 private:
  Json& object_;
};

// Each overload stores the found value only if it has exactly the member's type. A number that the
// member cannot represent does not count.

bool take(const Json& found, Json& value) {
  value = found;
  return true;
}

bool take(const Json& found, std::string& value) {
  if (found.is_string()) value = found.get<std::string>();
  return found.is_string();
}

bool take(const Json& found, bool& value) {
  if (found.is_boolean()) value = found.get<bool>();
  return found.is_boolean();
}

bool take(const Json& found, double& value) {
  if (found.is_number()) value = found.get<double>();
  return found.is_number();
}

template <std::integral Integer>
bool take(const Json& found, Integer& value) {
  const std::optional<Integer> integer = integer_as<Integer>(found);
  value = integer.value_or(value);
  return integer.has_value();
}

template <typename Value>
bool take(const Json& found, std::vector<Value>& values) {
  if (!found.is_array()) return false;
  values.resize(found.size());
  for (std::size_t index = 0; index < found.size(); ++index) {
    if (!take(found[index], values[index])) return false;
  }
  return true;
}

template <typename Value>
bool take(const Json& found, std::map<std::string, Value>& values) {
  if (!found.is_object()) return false;
  for (const auto& [key, value] : found.items()) {
    if (!take(value, values[key])) return false;
  }
  return true;
}

/// A number as text; for anything else, its type.
std::string found_text(const Json& found) {
  if (found.is_number() || found.is_null()) return dump_json(found);
  return (found.is_object() || found.is_array() ? "an " : "a ") + std::string(found.type_name());
}

/// What a record has where take() stores a value of this type.
template <typename Value>
constexpr const char* name_of_type() {
  if constexpr (std::same_as<Value, std::string>) return "a string";
  if constexpr (std::same_as<Value, bool>) return "true or false";
  if constexpr (std::same_as<Value, double>) return "a number";
  if constexpr (std::integral<Value>) return "a whole number that is not too large";
  if constexpr (requires(Value value) { value.push_back({}); }) return "an array of numbers";
  return "an object of numbers";
}

/// An empty text is not known.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// Reads members from one JSON object. A missing key leaves a member unchanged, and so does null if
/// the member is optional.
class Reader {
 public:
  Reader(const Json& object, std::string pointer) : object_(object), pointer_(std::move(pointer)) {
    if (!object.is_object()) {
      throw Error(pointer_ + ": found " + object.type_name() + "; allowed: an object");
    }
  }

  template <typename Value>
  void operator()(const char* key, std::optional<Value>& value) const {
    Value read{};
    if (object_.contains(key) && !object_[key].is_null()) {
      (*this)(key, read);
      value = std::move(read);
    }
  }
  template <typename Value>
  void operator()(const char* key, Value& value) const {
    if (object_.contains(key) && !take(object_[key], value)) {
      throw Error(child_pointer(pointer_, key) + ": found " + found_text(object_[key]) +
                  "; a record has " + name_of_type<Value>() + " here");
    }
  }
  /// A text that may be null; it is then left unchanged.
  void text(const char* key, std::string& value) const {
    if (object_.contains(key) && !object_[key].is_null()) (*this)(key, value);
  }

  /// The reader of a section, or of an empty object if the key is missing.
  Reader section(const char* key) const {
    static const Json empty = Json::object();
    return {object_.contains(key) ? object_[key] : empty, child_pointer(pointer_, key)};
  }

 private:
  const Json& object_;
  std::string pointer_;
};

Status read_status(const Json& document) {
  const std::string name =
      document.contains("status") && document["status"].is_string() ? document["status"] : "";
  const std::optional<Status> status = status_of(name);
  if (!status) throw Error("/status: found \"" + name + "\", which is not a status of a record");
  return *status;
}

void check_version(const Json& document) {
  if (!document.is_object() || !document.contains("schema_version")) {
    throw Error("not a record: it has no \"schema_version\"");
  }
  if (document["schema_version"] != kSchemaVersion) {
    throw Error("/schema_version: found " + dump_json(document["schema_version"]) + "; allowed: " +
                std::to_string(kSchemaVersion) + "; it was written by another version of runahead");
  }
}

Record read(const Json& document) {
  check_version(document);
  Record record;
  record.status = read_status(document);
  const Reader read(document, "");
  read("id", record.id);
  read("repeat", record.repeat);
  read("error", record.error);
  read("experiment", record.experiment);
  read.text("device", record.device);
  read("config", record.config);
  read("axes", record.axes);
  read.text("ended_at", record.ended_at);
  read.text("command", record.command);
  list_environment(record.environment, read.section("environment"));
  list_time(record.time, read.section("time"));
  list_memory(record.memory, read.section("memory"));
  list_backlog(record.backlog, read.section("backlog"));
  list_loss(record.loss, read.section("loss"));
  list_monitor(record.monitor, read.section("monitor"));
  list_cell(record.cell, read.section("cell"));
  read("results", record.results);
  return record;
}

void write_sections(Json& document, const Record& record, const TimeFigures& time) {
  const auto section = [&document](const char* key) {
    document[key] = Json::object();
    return Writer(document[key]);
  };
  list_time(time, section("time"));
  list_memory(record.memory, section("memory"));
  list_backlog(record.backlog, section("backlog"));
  list_loss(record.loss, section("loss"));
  list_monitor(record.monitor, section("monitor"));
  list_cell(record.cell, section("cell"));
}

}  // namespace

Record make_record(const config::ExperimentConfig& config, std::int64_t repeat, const Json& axes) {
  Record record;
  record.id = config::config_id(config);
  record.repeat = repeat;
  record.experiment = config.experiment;
  if (!config::runs_command(config)) record.device = config.device;
  record.config = config::to_json(config);
  record.axes = axes;
  record.ended_at = utc_time();
  record.command = command_line();
  record.environment = collect_environment();
  return record;
}

Record make_unrun_record(const config::ExperimentConfig& config, std::int64_t repeat,
                         const Json& axes, Status status, const std::string& error) {
  Record record = make_record(config, repeat, axes);
  record.status = status;
  record.error = error;
  return record;
}

Json sections_json(const Record& record) {
  TimeFigures time = record.time;
  time.batch_finished_seconds.reset();
  Json document = Json::object();
  write_sections(document, record, time);
  return document;
}

Json to_json(const Record& record) {
  Json document = Json::object();
  const Writer write(document);
  write("schema_version", kSchemaVersion);
  write("id", record.id);
  write("repeat", record.repeat);
  write("status", std::string(name_of(record.status)));
  write("error", record.error);
  write("experiment", record.experiment);
  write("device", text_or_null(record.device));
  write("config", record.config);
  write("axes", record.axes);
  write("ended_at", text_or_null(record.ended_at));
  write("command", text_or_null(record.command));
  document["environment"] = Json::object();
  list_environment(record.environment, Writer(document["environment"]));
  write_sections(document, record, record.time);
  write("results", record.results);
  return document;
}

Record from_json(const Json& document, const std::string& source) {
  try {
    return read(document);
  } catch (const Error& error) {
    throw Error(source + ": " + error.what());
  }
}

}  // namespace runahead::record
