#include "core/config/axis_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/json_pointer.h"
#include "core/base/number_text.h"

namespace runahead::config {
namespace {

constexpr NumberRange kRangeEnds{-1e15, 1e15};
constexpr NumberRange kRangeStep{0.0, 1e15, /*above_min=*/true};
constexpr NumberRange kLogspaceEnds{1e-100, 1e100};
constexpr IntegerRange kLogspaceCount{2, static_cast<std::int64_t>(kMaxAxisValues)};
constexpr IntegerRange kPowerEnds{1, std::int64_t{1} << 62};
constexpr double kStepSlack = 1e-9;  ///< Share of a step by which rounding may miss the last value.
constexpr double kLargestWhole = 0x1p53;
constexpr int kSignificantDigits = 12;

std::string allowed_values() {
  return "an array of 1 to " + std::to_string(kMaxAxisValues) +
         " values, or an object with one of the keys \"range\", \"logspace\", \"powers_of_two\"";
}

/// A number as a person would have written it.
Json plain_number(double value) {
  if (std::trunc(value) == value && std::abs(value) <= kLargestWhole) {
    return static_cast<std::int64_t>(value);
  }
  std::string text;
  append_number(text, value, std::chars_format::general, kSignificantDigits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Also reports a missing key; the reader reports errors in its value.
template <typename Range>
auto required(ObjectReader& reader, const std::string& key, const Range& range) {
  if (!reader.has(key)) {
    reader.problems().add(reader.pointer_to(key),
                          "found nothing; this key is required; allowed: " + describe(range));
  }
  return reader.read(key, range);
}

std::vector<Json> range_values(ObjectReader& reader) {
  const auto from = required(reader, "from", kRangeEnds);
  const auto to = required(reader, "to", kRangeEnds);
  const double step = reader.number("step", kRangeStep).value_or(1.0);
  if (!from || !to) return {};
  const double steps = std::floor(std::abs(*to - *from) / step + kStepSlack);
  if (!(steps < static_cast<double>(kMaxAxisValues))) {
    reader.problems().add(reader.pointer(), "gives more than " + std::to_string(kMaxAxisValues) +
                                                " values; allowed: at most that; a larger step");
    return {};
  }
  const double signed_step = *to < *from ? -step : step;
  std::vector<Json> values;
  for (std::size_t index = 0; index <= static_cast<std::size_t>(steps); ++index) {
    values.push_back(plain_number(*from + static_cast<double>(index) * signed_step));
  }
  return values;
}

std::vector<Json> logspace_values(ObjectReader& reader) {
  const auto from = required(reader, "from", kLogspaceEnds);
  const auto to = required(reader, "to", kLogspaceEnds);
  const auto count = required(reader, "count", kLogspaceCount);
  const bool is_whole = reader.read("whole", Boolean{}).value_or(false);
  if (!from || !to || !count) return {};
  std::vector<Json> values;
  for (std::int64_t index = 0; index < *count; ++index) {
    const double share = static_cast<double>(index) / static_cast<double>(*count - 1);
    const double value = index == *count - 1 ? *to : *from * std::pow(*to / *from, share);
    values.push_back(plain_number(is_whole ? std::round(value) : value));
  }
  if (is_whole) values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<Json> powers_of_two(ObjectReader& reader) {
  const auto from = required(reader, "from", kPowerEnds);
  const auto to = required(reader, "to", kPowerEnds);
  if (!from || !to) return {};
  std::vector<Json> values;
  for (std::int64_t exponent = 0; exponent <= 62; ++exponent) {
    const std::int64_t power = std::int64_t{1} << exponent;
    if (power >= *from && power <= *to) values.emplace_back(power);
  }
  if (values.empty()) {
    reader.problems().add(reader.pointer(), "found no power of two from " + std::to_string(*from) +
                                                " to " + std::to_string(*to) +
                                                "; allowed: at least one");
  }
  return values;
}

struct Generator {
  const char* name = "";
  std::vector<Json> (*values)(ObjectReader&) = nullptr;
};

constexpr std::array<Generator, 3> kGenerators{
    {{"range", range_values}, {"logspace", logspace_values}, {"powers_of_two", powers_of_two}}};

std::vector<Json> generated_values(const Generator& generator, const Json& arguments,
                                   const std::string& pointer, JsonProblems& problems) {
  ObjectReader reader(arguments, pointer, problems);
  if (!arguments.is_object()) return {};
  std::vector<Json> values = generator.values(reader);
  reader.report_unknown_keys();
  return values;
}

/// The schema of an object with these keys.
Json object_schema(const Json& properties, const Json& required_keys) {
  return {{"type", "object"},
          {"properties", properties},
          {"required", required_keys},
          {"additionalProperties", false}};
}

/// The schema of an object that has one generator.
Json generator_schema(const char* name, const Json& arguments) {
  return object_schema({{name, arguments}}, Json::array({name}));
}

}  // namespace

std::vector<Json> read_axis_values(const Json& found, const std::string& pointer,
                                   JsonProblems& problems) {
  if (found.is_array()) {
    if (!found.empty() && found.size() <= kMaxAxisValues) {
      return std::vector<Json>(found.begin(), found.end());
    }
    problems.add(pointer,
                 "found " + std::to_string(found.size()) + " values; allowed: " + allowed_values());
    return {};
  }
  for (const Generator& generator : kGenerators) {
    if (!found.is_object() || found.size() != 1 || !found.contains(generator.name)) continue;
    return generated_values(generator, found[generator.name],
                            child_pointer(pointer, generator.name), problems);
  }
  problems.add_found(pointer, found, allowed_values());
  return {};
}

Json axis_values_schema() {
  const Json ends = schema_of(kRangeEnds);
  const Json log_ends = schema_of(kLogspaceEnds);
  const Json powers = schema_of(kPowerEnds);
  const Json both = Json::array({"from", "to"});
  const Json range =
      object_schema({{"from", ends}, {"to", ends}, {"step", schema_of(kRangeStep)}}, both);
  const Json logspace = object_schema({{"from", log_ends},
                                       {"to", log_ends},
                                       {"count", schema_of(kLogspaceCount)},
                                       {"whole", schema_of(Boolean{})}},
                                      Json::array({"from", "to", "count"}));
  return {{"anyOf", Json::array({{{"type", "array"}, {"minItems", 1}, {"maxItems", kMaxAxisValues}},
                                 generator_schema("range", range),
                                 generator_schema("logspace", logspace),
                                 generator_schema(
                                     "powers_of_two",
                                     object_schema({{"from", powers}, {"to", powers}}, both))})}};
}

}  // namespace runahead::config
