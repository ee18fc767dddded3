#include "core/config/sweep_config.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"
#include "core/config/sweep_axes.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

constexpr const char* kPolicyPointer = "/sync/policy";

/// The document that `base` names. @throws ConfigError if it cannot be read.
Json read_base_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    throw ConfigError("there is no file '" + path.string() + "'; check the path");
  }
  Json document = read_json_file(path);
  if (is_sweep(document)) {
    throw ConfigError("'" + path.string() + "' is a sweep config; give an experiment config");
  }
  return document;
}

Json read_base(ObjectReader& reader, const std::filesystem::path& folder) {
  const Json* base = reader.find(kBaseKey.name);
  if (base == nullptr) {
    reader.problems().add(reader.pointer_to(kBaseKey.name),
                          "found nothing; this key is required; allowed: an experiment config, or "
                          "the name of a file that holds one");
    return Json::object();
  }
  const std::string pointer = reader.pointer_to(kBaseKey.name);
  if (base->is_string()) {
    try {
      return read_base_file(folder / base->get<std::string>());
    } catch (const ConfigError& error) {
      reader.problems().add(pointer, error.what());
      return Json::object();
    }
  }
  constexpr const char* kAllowed = "an experiment config, or the name of a file that holds one";
  if (is_sweep(*base)) {
    reader.problems().add(pointer, std::string("found a sweep config; allowed: ") + kAllowed);
    return Json::object();
  }
  if (!base->is_object()) reader.problems().add_found(pointer, *base, kAllowed);
  return *base;
}

/// Combinations times repeats, or one more than allowed if there are more than that.
std::uint64_t cell_count(const SweepConfig& sweep) {
  const auto repeats = static_cast<std::uint64_t>(sweep.repeats);
  return std::min(combination_count(sweep) * repeats, kMaxSweepCells + 1);
}

Json axes_json(const std::vector<SweepAxis>& axes) {
  Json document = Json::object();
  for (const SweepAxis& axis : axes) document[axis.pointer] = axis.values;
  return document;
}

/// Combinations of only the axes and zips, at most one more than allowed.
std::size_t grid_count(const SweepConfig& sweep) {
  constexpr std::size_t kTooMany = kMaxSweepCells + 1;
  if (sweep.axes.empty() && sweep.zip.empty()) return sweep.cells.empty() ? 1 : 0;
  std::size_t count = 1;
  for (const SweepAxis& axis : sweep.axes) count = std::min(count * axis.values.size(), kTooMany);
  for (const auto& group : sweep.zip) {
    count = std::min(count * group.front().values.size(), kTooMany);
  }
  return count;
}

/// Whether `values` has every value in `entry`.
bool agrees_with(const Json& values, const Json& entry) {
  for (const auto& [pointer, value] : entry.items()) {
    const auto found = values.find(pointer);
    if (found == values.end() || *found != value) return false;
  }
  return true;
}

}  // namespace

SweepConfig load_sweep(const std::filesystem::path& path) {
  return read_sweep(read_json_file(path), path.string(), path.parent_path());
}

SweepConfig read_sweep(const Json& document, const std::string& source,
                       const std::filesystem::path& folder) {
  if (document.is_object() && document.contains("experiment")) {
    throw ConfigError(source +
                      ": found an experiment config (it has \"experiment\"); allowed: a "
                      "sweep config; run one experiment with `runahead run`");
  }
  JsonProblems problems(source);
  SweepConfig sweep;
  ObjectReader reader(document, "", problems,
                      R"(an object, such as {"base": "train.json", "axes": {"/batches": [10]}})");
  problems.throw_if_any();
  sweep.base = read_base(reader, folder);
  read_axes(reader, sweep);
  FieldReader fields(reader);
  describe(sweep, fields);
  fields.finish();
  problems.throw_if_any();
  if (cell_count(sweep) > kMaxSweepCells) {
    throw ConfigError(source + ": /axes: found more than " + std::to_string(kMaxSweepCells) +
                      " cells, repeats and excluded ones included; allowed: at most that; split "
                      "the sweep");
  }
  return sweep;
}

void apply_set_to_sweep(Json& document, const std::string& assignment,
                        const std::filesystem::path& folder) {
  const std::string base = std::string("/") + kBaseKey.name;
  if (!assignment.starts_with(base + "/") || !document.contains(kBaseKey.name)) {
    apply_set(document, assignment);
    return;
  }
  Json& experiment = document[kBaseKey.name];
  if (experiment.is_string()) {
    try {
      experiment = read_base_file(folder / experiment.get<std::string>());
    } catch (const ConfigError& error) {
      throw ConfigError("--set " + assignment + ": " + base + ": " + error.what());
    }
  }
  apply_set(experiment, std::string_view(assignment).substr(base.size()));
}

Json to_json(const SweepConfig& sweep) {
  SweepConfig copy = sweep;  // A description takes mutable members.
  Json document = {{kBaseKey.name, sweep.base}, {kAxesKey.name, axes_json(sweep.axes)}};
  document[kZipKey.name] = Json::array();
  for (const auto& group : sweep.zip) document[kZipKey.name].push_back(axes_json(group));
  document[kCellsKey.name] = sweep.cells;
  document[kExcludeKey.name] = sweep.exclude;
  FieldWriter writer;
  describe(copy, writer);
  document.update(writer.take());
  return document;
}

std::string cell_name(const std::string& source, const Json& axes_values) {
  return axes_values.empty() ? source : source + ", cell " + dump_json(axes_values);
}

Json cell_document(const Json& base, const Json& axes_values) {
  Json document = base;
  // The policy first: it drops keys of other policies, which must not drop those an axis set.
  if (axes_values.contains(kPolicyPointer)) {
    set_value(document, kPolicyPointer, axes_values[kPolicyPointer]);
  }
  for (const auto& [pointer, value] : axes_values.items()) {
    if (pointer != kPolicyPointer) set_value(document, pointer, value);
  }
  return document;
}

ExperimentConfig resolve_cell(const Json& base, const Json& axes_values,
                              const std::string& source) {
  const std::string cell = cell_name(source, axes_values);
  Json document;
  try {
    document = cell_document(base, axes_values);
  } catch (const ConfigError& error) {
    throw ConfigError(cell + ": " + error.what());
  }
  return read_experiment(document, cell);
}

std::size_t combination_count(const SweepConfig& sweep) {
  return grid_count(sweep) + sweep.cells.size();
}

Json axes_values(const SweepConfig& sweep, std::size_t index) {
  RUNAHEAD_REQUIRE(index < combination_count(sweep), "no such combination");
  std::size_t stride = grid_count(sweep);
  if (index >= stride) return sweep.cells[index - stride];
  Json values = Json::object();
  for (const SweepAxis& axis : sweep.axes) {
    stride /= axis.values.size();
    values[axis.pointer] = axis.values[index / stride % axis.values.size()];
  }
  for (const auto& group : sweep.zip) {
    const std::size_t length = group.front().values.size();
    stride /= length;
    for (const SweepAxis& axis : group) values[axis.pointer] = axis.values[index / stride % length];
  }
  return values;
}

bool is_excluded(const SweepConfig& sweep, std::size_t index) {
  RUNAHEAD_REQUIRE(index < combination_count(sweep), "no such combination");
  if (sweep.exclude.empty() || index >= grid_count(sweep)) return false;
  const Json values = axes_values(sweep, index);
  return std::ranges::any_of(sweep.exclude,
                             [&](const Json& entry) { return agrees_with(values, entry); });
}

}  // namespace runahead::config
