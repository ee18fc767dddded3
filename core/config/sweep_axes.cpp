#include "core/config/sweep_axes.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/config/axis_values.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

/// A key that a sweep sets, and where in its document.
struct SetKey {
  std::string pointer{};
  std::string place{};
};

/// Reports a pointer that names no key.
bool is_pointer_to_key(const std::string& pointer, const std::string& place,
                       JsonProblems& problems) {
  try {
    if (!split_pointer(pointer).empty()) return true;
    problems.add(place, "\"\" is the whole config; allowed: a pointer to a key");
  } catch (const ConfigError& error) {
    problems.add(place, error.what());
  }
  return false;
}

/// Reports keys that cannot be set independently of each other.
void check_overlaps(const std::vector<SetKey>& keys, JsonProblems& problems) {
  for (std::size_t index = 0; index < keys.size(); ++index) {
    const SetKey& key = keys[index];
    for (std::size_t other = 0; other < keys.size(); ++other) {
      if (other < index && keys[other].pointer == key.pointer) {
        problems.add(key.place,
                     "is set by " + pointer_text(keys[other].place) + " too; allowed: once");
      }
      if (key.pointer.starts_with(keys[other].pointer + "/")) {
        problems.add(key.place, "lies within another axis, " + keys[other].pointer +
                                    "; allowed: axes that do not overlap; merge the two");
      }
    }
  }
}

constexpr const char* kAxes = R"(an object of keys and lists, such as {"/batches": [10, 100]})";
constexpr const char* kAssignment = R"(an object of keys and values, such as {"/batches": 10})";
constexpr const char* kZips = "an array of objects, each of keys and lists";
constexpr const char* kAssignments = "an array of objects, each of keys and values";

/// Whether `found` has that type and at most `most` elements; reports it if not.
/// @param allowed  What is allowed, for the message.
bool has_size(const Json& found, Json::value_t type, const char* allowed, const std::string& place,
              std::size_t most, JsonProblems& problems) {
  if (found.type() != type) {
    problems.add_found(place, found, allowed);
    return false;
  }
  if (found.size() <= most) return true;
  problems.add(place, "found " + std::to_string(found.size()) + "; allowed: at most " +
                          std::to_string(most));
  return false;
}

/// The axes that an object from pointer to values holds.
std::vector<SweepAxis> axes_of(const Json& found, const std::string& place,
                               JsonProblems& problems) {
  std::vector<SweepAxis> axes;
  if (!has_size(found, Json::value_t::object, kAxes, place, kMaxSweepAxes, problems)) return axes;
  for (const auto& [pointer, values] : found.items()) {
    const std::string axis_place = child_pointer(place, pointer);
    SweepAxis axis{pointer, read_axis_values(values, axis_place, problems)};
    if (!is_pointer_to_key(pointer, axis_place, problems) || axis.values.empty()) continue;
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Reports a group of `zip` whose axes cannot take their values together.
bool is_zip(const std::vector<SweepAxis>& group, const std::string& place, JsonProblems& problems) {
  if (group.size() < 2) {
    problems.add(place, "found " + counted(group.size(), "axis", "axes") +
                            " that can be used; allowed: two or more");
    return false;
  }
  for (const SweepAxis& axis : group) {
    if (axis.values.size() == group.front().values.size()) continue;
    problems.add(place, "found " + std::to_string(group.front().values.size()) + " values of " +
                            group.front().pointer + " and " + std::to_string(axis.values.size()) +
                            " of " + axis.pointer + "; allowed: as many of each");
    return false;
  }
  return true;
}

void read_zip(const Json& found, const std::string& place, SweepConfig& sweep,
              JsonProblems& problems) {
  if (!has_size(found, Json::value_t::array, kZips, place, kMaxSweepAxes, problems)) return;
  for (std::size_t index = 0; index < found.size(); ++index) {
    const std::string group_place = child_pointer(place, std::to_string(index));
    std::vector<SweepAxis> group = axes_of(found[index], group_place, problems);
    if (is_zip(group, group_place, problems)) sweep.zip.push_back(std::move(group));
  }
}

/// The objects from pointer to value that an array holds.
std::vector<Json> assignments_of(const Json& found, const std::string& place, std::size_t most,
                                 JsonProblems& problems) {
  std::vector<Json> assignments;
  if (!has_size(found, Json::value_t::array, kAssignments, place, most, problems))
    return assignments;
  for (std::size_t index = 0; index < found.size(); ++index) {
    const std::string entry_place = child_pointer(place, std::to_string(index));
    if (!has_size(found[index], Json::value_t::object, kAssignment, entry_place, kMaxSweepAxes,
                  problems)) {
      continue;
    }
    std::vector<SetKey> keys;
    for (const auto& [pointer, value] : found[index].items()) {
      const std::string key_place = child_pointer(entry_place, pointer);
      if (is_pointer_to_key(pointer, key_place, problems)) keys.push_back({pointer, key_place});
    }
    check_overlaps(keys, problems);
    assignments.push_back(found[index]);
  }
  return assignments;
}

/// Whether `axes` and `zip`, if present, name few enough axes to write their values out; reports it
/// if not.
bool are_few(const Json* axes, const Json* zip, const std::string& place, JsonProblems& problems) {
  std::size_t count = axes != nullptr && axes->is_object() ? axes->size() : 0;
  if (zip != nullptr && zip->is_array()) {
    for (const Json& group : *zip) count += group.is_object() ? group.size() : 0;
  }
  if (count <= kMaxSweepAxes) return true;
  problems.add(place, "found " + std::to_string(count) +
                          " axes, those of zip included; allowed: at most " +
                          std::to_string(kMaxSweepAxes));
  return false;
}

/// Every axis, including those of the zips.
std::vector<const SweepAxis*> all_axes(const SweepConfig& sweep) {
  std::vector<const SweepAxis*> axes;
  for (const SweepAxis& axis : sweep.axes) axes.push_back(&axis);
  for (const auto& group : sweep.zip) {
    for (const SweepAxis& axis : group) axes.push_back(&axis);
  }
  return axes;
}

void check_axes(const SweepConfig& sweep, const ObjectReader& reader) {
  std::vector<SetKey> keys;
  for (const SweepAxis& axis : sweep.axes) {
    keys.push_back({axis.pointer, child_pointer(reader.pointer_to(kAxesKey.name), axis.pointer)});
  }
  for (std::size_t index = 0; index < sweep.zip.size(); ++index) {
    const std::string place = child_pointer(reader.pointer_to(kZipKey.name), std::to_string(index));
    for (const SweepAxis& axis : sweep.zip[index]) {
      keys.push_back({axis.pointer, child_pointer(place, axis.pointer)});
    }
  }
  check_overlaps(keys, reader.problems());
}

/// Reports an entry of `exclude` that cannot leave anything out, which is usually a typo.
void check_exclusion(const Json& entry, const std::string& place,
                     const std::vector<const SweepAxis*>& axes, JsonProblems& problems) {
  std::vector<std::string> pointers;
  for (const SweepAxis* axis : axes) pointers.push_back(axis->pointer);
  if (entry.empty() || pointers.empty()) {
    problems.add(place, entry.empty() ? "found {}, which leaves out everything; allowed: values "
                                        "of axes"
                                      : "there are no axes; allowed: values of axes");
    return;
  }
  for (const auto& [pointer, value] : entry.items()) {
    const auto axis = std::ranges::find_if(
        axes, [&key = pointer](const auto* one) { return one->pointer == key; });
    if (axis == axes.end()) {
      const std::string* nearest = nearest_name(pointer, pointers);
      problems.add(child_pointer(place, pointer), "no axis has this pointer" + suggestion(nearest) +
                                                      "allowed: " + quoted_list(pointers));
    } else if (const auto& values = (*axis)->values;
               std::ranges::find(values, value) == values.end()) {
      problems.add_found(child_pointer(place, pointer), value, "a value of that axis");
    }
  }
}

void check_exclusions(const SweepConfig& sweep, const std::string& place, JsonProblems& problems) {
  const auto axes = all_axes(sweep);
  for (std::size_t index = 0; index < sweep.exclude.size(); ++index) {
    check_exclusion(sweep.exclude[index], child_pointer(place, std::to_string(index)), axes,
                    problems);
  }
}

}  // namespace

void read_axes(ObjectReader& reader, SweepConfig& sweep) {
  JsonProblems& problems = reader.problems();
  const auto place = [&reader](const Key& key) { return reader.pointer_to(key.name); };
  const Json* axes = reader.find(kAxesKey.name);
  const Json* zip = reader.find(kZipKey.name);
  if (are_few(axes, zip, place(kAxesKey), problems)) {
    if (axes != nullptr) sweep.axes = axes_of(*axes, place(kAxesKey), problems);
    if (zip != nullptr) read_zip(*zip, place(kZipKey), sweep, problems);
  }
  if (const Json* found = reader.find(kCellsKey.name)) {
    sweep.cells = assignments_of(*found, place(kCellsKey), kMaxSweepCells, problems);
  }
  if (const Json* found = reader.find(kExcludeKey.name)) {
    sweep.exclude = assignments_of(*found, place(kExcludeKey), kMaxExclusions, problems);
  }
  if (!problems.empty()) return;  // Further problems would only follow from these.
  check_axes(sweep, reader);
  check_exclusions(sweep, place(kExcludeKey), problems);
}

}  // namespace runahead::config
