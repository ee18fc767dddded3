#include "core/config/sweep_config.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/base/json_reader.h"
#include "core/config/assignment.h"
#include "core/config/experiment_kinds.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

constexpr const char* kPolicyPointer = "/sync/policy";

Json read_base(ObjectReader& reader, const std::filesystem::path& folder) {
  const Json* base = reader.find(base_key().name);
  if (base == nullptr) {
    reader.problems().add(reader.pointer_to(base_key().name),
                          "found nothing; this key is required; allowed: an experiment config, or "
                          "the name of a file that holds one");
    return Json::object();
  }
  if (base->is_string()) {
    return read_json_file(folder / base->get<std::string>());
  }
  if (!base->is_object()) {
    reader.problems().add_found(reader.pointer_to(base_key().name), *base,
                                "an experiment config, or the name of a file that holds one");
  }
  return *base;
}

/// Reports pointers that cannot be set independently of each other.
void check_pointers(const std::vector<SweepAxis>& axes, const ObjectReader& reader) {
  for (const SweepAxis& axis : axes) {
    for (const SweepAxis& other : axes) {
      if (other.pointer.starts_with(axis.pointer + "/")) {
        reader.problems().add(reader.pointer_to(other.pointer),
                              "lies within another axis, " + axis.pointer +
                                  "; allowed: axes that do not overlap; merge the two");
      }
    }
  }
}

std::vector<SweepAxis> read_axes(ObjectReader& reader) {
  std::vector<SweepAxis> axes;
  const Json* found = reader.find(axes_key().name);
  if (found == nullptr) {
    return axes;
  }
  ObjectReader object(*found, reader.pointer_to(axes_key().name), reader.problems());
  if (!found->is_object()) {
    return axes;
  }
  for (const auto& [pointer, values] : found->items()) {
    if (!values.is_array() || values.empty() || values.size() > kMaxAxisValues) {
      reader.problems().add(
          object.pointer_to(pointer),
          "found " + (values.is_array() ? std::to_string(values.size()) + " values" : "no array") +
              "; allowed: an array of 1 to " + std::to_string(kMaxAxisValues) + " values");
      continue;
    }
    try {
      if (split_pointer(pointer).empty()) {
        throw ConfigError("\"\" is the whole config; allowed: a pointer to a key");
      }
      axes.push_back({pointer, std::vector<Json>(values.begin(), values.end())});
    } catch (const ConfigError& error) {
      reader.problems().add(object.pointer_to(pointer), error.what());
    }
  }
  check_pointers(axes, object);
  return axes;
}

/// Combinations times repeats, or one more than allowed if there are more than that.
std::uint64_t cell_count(const SweepConfig& sweep) {
  std::uint64_t cells = static_cast<std::uint64_t>(sweep.repeats);
  for (const SweepAxis& axis : sweep.axes) {
    cells = std::min(cells * axis.values.size(), kMaxSweepCells + 1);
  }
  return cells;
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
  ObjectReader reader(document, "", problems);
  sweep.base = read_base(reader, folder);
  sweep.axes = read_axes(reader);
  FieldReader fields(reader);
  describe(sweep, fields);
  fields.finish();
  problems.throw_if_any();
  if (cell_count(sweep) > kMaxSweepCells) {
    throw ConfigError(source + ": /axes: found more than " + std::to_string(kMaxSweepCells) +
                      " cells, repeats included; allowed: at most that; split the sweep");
  }
  return sweep;
}

Json to_json(const SweepConfig& sweep) {
  SweepConfig copy = sweep;  // A description needs members that it could change.
  Json document = {{"base", sweep.base}, {"axes", Json::object()}};
  for (const SweepAxis& axis : sweep.axes) {
    document["axes"][axis.pointer] = axis.values;
  }
  FieldWriter writer;
  describe(copy, writer);
  document.update(writer.take());
  return document;
}

std::size_t combination_count(const SweepConfig& sweep) {
  std::size_t count = 1;
  for (const SweepAxis& axis : sweep.axes) {
    count *= axis.values.size();
  }
  return count;
}

Json axes_values(const SweepConfig& sweep, std::size_t index) {
  RUNAHEAD_REQUIRE(index < combination_count(sweep), "no such combination");
  Json values = Json::object();
  std::size_t stride = combination_count(sweep);
  for (const SweepAxis& axis : sweep.axes) {
    stride /= axis.values.size();
    values[axis.pointer] = axis.values[index / stride % axis.values.size()];
  }
  return values;
}

namespace {

void require_a_cell_runs_it(const ExperimentConfig& config, const std::string& cell) {
  if (!kind_of(config.experiment).is_foreign) return;
  JsonProblems problems(cell);
  problems.add_found("/experiment", config.experiment,
                     "what runs here; other frameworks run only in `runahead run`");
  problems.throw_if_any();
}

}  // namespace

ExperimentConfig resolve_cell(const Json& base, const Json& axes_values,
                              const std::string& source) {
  const std::string cell =
      axes_values.empty() ? source : source + ", cell " + dump_json(axes_values);
  Json document = base;
  try {
    // The policy first: it drops keys of other policies, which must not be a later axis's.
    if (axes_values.contains(kPolicyPointer)) {
      set_value(document, kPolicyPointer, axes_values[kPolicyPointer]);
    }
    for (const auto& [pointer, value] : axes_values.items()) {
      if (pointer != kPolicyPointer) {
        set_value(document, pointer, value);
      }
    }
  } catch (const ConfigError& error) {
    throw ConfigError(cell + ": " + error.what());
  }
  ExperimentConfig config = read_experiment(document, cell);
  require_a_cell_runs_it(config, cell);
  return config;
}

}  // namespace runahead::config
