#include "core/base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/base/text.h"

namespace runahead {
namespace {

constexpr std::size_t kMostProblemsShown = 20;
constexpr std::size_t kLongestShown = 60;  ///< Bytes shown of a value.

bool is_whole_float(const Json& found) {
  constexpr double kMost = 1e21;
  if (!found.is_number_float()) return false;
  const auto value = found.get<double>();
  return std::floor(value) == value && std::fabs(value) < kMost;
}

/// The value, shortened, with its type if the value does not show it.
std::string describe_found(const Json& found) {
  if (found.is_object() || found.is_array()) return found.is_object() ? "an object" : "an array";
  if (!is_whole_float(found)) return shortened(dump_json(found), kLongestShown);
  char digits[32];  // Most likely as it was written, and not 1000000000.0 or 1e+20.
  std::snprintf(digits, sizeof digits, "%.0f", found.get<double>());
  return digits;
}

}  // namespace

void JsonProblems::add(const std::string& pointer, const std::string& message) {
  lines_.push_back(source_ + ": " + (pointer.empty() ? "" : pointer_text(pointer) + ": ") +
                   message);
}

void JsonProblems::add_found(const std::string& pointer, const Json& found,
                             const std::string& allowed, const std::string* nearest) {
  add(pointer, "found " + describe_found(found) + suggestion(nearest) + "allowed: " + allowed);
}

void JsonProblems::throw_if_any() const {
  if (lines_.empty()) return;
  std::string message =
      joined(std::span(lines_).first(std::min(lines_.size(), kMostProblemsShown)), "\n");
  if (lines_.size() > kMostProblemsShown) {
    message += "\n… and " + std::to_string(lines_.size() - kMostProblemsShown) + " more";
  }
  throw ConfigError(message);
}

std::string suggestion(const std::string* nearest) {
  return nearest == nullptr ? "; " : "; did you mean \"" + *nearest + "\"? ";
}

std::string quoted_list(const std::vector<std::string>& names) {
  return joined(names, ", ", [](const std::string& name) { return "\"" + name + "\""; });
}

ObjectReader::ObjectReader(const Json& document, std::string pointer, JsonProblems& problems,
                           const std::string& allowed)
    : object_(document.is_object() ? &document : nullptr),
      pointer_(std::move(pointer)),
      problems_(problems) {
  if (object_ == nullptr) problems_.add_found(pointer_, document, allowed);
}

std::string ObjectReader::pointer_to(const std::string& key) const {
  return child_pointer(pointer_, key);
}

bool ObjectReader::has(const std::string& key) const {
  return object_ != nullptr && object_->contains(key);
}

void ObjectReader::require(const std::vector<std::string>& keys) {
  if (object_ == nullptr) return;
  for (const std::string& key : keys) {
    if (!has(key)) problems_.add(pointer_to(key), "is missing");
  }
}

const Json* ObjectReader::find(const std::string& key) {
  if (std::ranges::find(known_keys_, key) == known_keys_.end()) {
    known_keys_.push_back(key);
  }
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() ? nullptr : &*found;
}

std::optional<std::string> ObjectReader::string(const std::string& key) {
  return read(key,
              TextForm{.allowed = "a string", .accepts = [](const std::string&) { return true; }});
}

std::optional<std::size_t> ObjectReader::choice(const std::string& key,
                                                const std::vector<std::string>& names) {
  const Json* found = find(key);
  if (found == nullptr) return std::nullopt;
  const std::string name = found->is_string() ? found->get<std::string>() : "";
  const auto match = std::ranges::find(names, name);
  if (found->is_string() && match != names.end()) {
    return static_cast<std::size_t>(match - names.begin());
  }
  const std::string* nearest = found->is_string() ? nearest_name(name, names) : nullptr;
  problems_.add_found(pointer_to(key), *found, quoted_list(names), nearest);
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> ObjectReader::integers(const std::string& key,
                                                                IntegerRange count,
                                                                IntegerRange range) {
  const Json* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_array() || std::cmp_less(found->size(), count.min) ||
      std::cmp_greater(found->size(), count.max)) {
    const std::string what = !found->is_array() ? describe_found(*found)
                             : found->empty()   ? "an empty array"
                                                : "an array of " + std::to_string(found->size());
    problems_.add(pointer_to(key), "found " + what + "; allowed: an array of " +
                                       std::to_string(count.min) + " to " +
                                       std::to_string(count.max) + ", each " + describe(range));
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (std::size_t index = 0; index < found->size(); ++index) {
    if (const auto value = value_in((*found)[index], range)) {
      values.push_back(*value);
    } else {
      problems_.add_found(child_pointer(pointer_to(key), std::to_string(index)), (*found)[index],
                          describe(range));
    }
  }
  return values.size() == found->size() ? std::optional(values) : std::nullopt;
}

bool ObjectReader::is_known(const std::string& key) const {
  return std::ranges::find(known_keys_, key) != known_keys_.end();
}

bool ObjectReader::has_unknown_keys() const {
  if (object_ == nullptr) return false;
  for (const auto& [key, value] : object_->items()) {
    if (!is_known(key)) return true;
  }
  return false;
}

void ObjectReader::report_unknown_keys() {
  if (object_ == nullptr) return;
  for (const auto& [key, value] : object_->items()) {
    if (is_known(key)) continue;
    const std::string* nearest = nearest_name(key, known_keys_);
    problems_.add(pointer_to(key),
                  "unknown key" + suggestion(nearest) +
                      "allowed: " + (known_keys_.empty() ? "none here" : quoted_list(known_keys_)));
  }
}

}  // namespace runahead
