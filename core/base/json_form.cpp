#include "core/base/json_form.h"

#include <charconv>
#include <cmath>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/json_number.h"
#include "core/base/number_text.h"

namespace runahead {
namespace {

constexpr const char* kBytesPattern = "^[0-9]+$|^[0-9]+(\\.[0-9]+)? ?([kKmMgGtTpP][iI]?)?[bB]$";
constexpr const char* kSecondsPattern = "^[0-9]*\\.?[0-9]+ ?(us|ms|s|min|h|d)?$";

/// As short as it can be without losing digits: 0.5, 1e-06, 3, 1000000.
std::string number_text(double value) {
  std::string text;
  if (std::fabs(value) >= 1.0 && std::fabs(value) < 1e15) {
    append_number(text, value, std::chars_format::fixed);
  } else {
    append_number(text, value);
  }
  return text;
}

template <typename Value, typename Range>
std::optional<Value> if_within(std::optional<Value> value, const Range& range) {
  return value && *value >= range.min && *value <= range.max ? value : std::nullopt;
}

std::optional<double> if_within(std::optional<double> value, const NumberRange& range) {
  const bool is_within =
      value && (range.above_min ? *value > range.min : *value >= range.min) && *value <= range.max;
  return is_within ? value : std::nullopt;
}

std::optional<double> number_of(const Json& found) {
  if (!found.is_number()) return std::nullopt;
  return found.get<double>() + 0.0;  // -0.0 and 0.0 are the same value.
}

template <typename Range>
Json integer_schema(const Range& range) {
  return {{"type", "integer"}, {"minimum", range.min}, {"maximum", range.max}};
}

Json or_text(Json number, const char* pattern) {
  return {{"anyOf", Json::array({std::move(number), {{"type", "string"}, {"pattern", pattern}}})}};
}

}  // namespace

std::string describe(const Boolean& /*form*/) { return "true or false"; }

std::string describe(const IntegerRange& range) {
  return "an integer from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string describe(const UnsignedRange& range) {
  return "an integer from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string describe(const NumberRange& range) {
  return std::string("a number ") + (range.above_min ? "above " : "from ") +
         number_text(range.min) + (range.above_min ? ", up to " : " to ") + number_text(range.max);
}

std::string describe(const BytesRange& range) {
  return "a size from " + format_bytes(range.bytes.min) + " to " + format_bytes(range.bytes.max) +
         ", in bytes or as in \"1.5GiB\"";
}

std::string describe(const SecondsRange& range) {
  return describe(range.seconds) + ", in seconds, or as in \"5min\"";
}

std::string describe(const TextForm& form) { return form.allowed; }

Json schema_of(const Boolean& /*form*/) { return {{"type", "boolean"}}; }

Json schema_of(const IntegerRange& range) { return integer_schema(range); }

Json schema_of(const UnsignedRange& range) { return integer_schema(range); }

Json schema_of(const NumberRange& range) {
  return {{"type", "number"},
          {range.above_min ? "exclusiveMinimum" : "minimum", range.min},
          {"maximum", range.max}};
}

Json schema_of(const BytesRange& range) { return or_text(schema_of(range.bytes), kBytesPattern); }

Json schema_of(const SecondsRange& range) {
  return or_text(schema_of(range.seconds), kSecondsPattern);
}

Json schema_of(const TextForm& form) {
  Json schema = {{"type", "string"}};
  if (!form.pattern.empty()) schema["pattern"] = form.pattern;
  return schema;
}

std::optional<bool> value_in(const Json& found, const Boolean& /*form*/) {
  return found.is_boolean() ? std::optional(found.get<bool>()) : std::nullopt;
}

std::optional<std::int64_t> value_in(const Json& found, const IntegerRange& range) {
  return if_within(integer_as<std::int64_t>(found), range);
}

std::optional<std::uint64_t> value_in(const Json& found, const UnsignedRange& range) {
  return if_within(integer_as<std::uint64_t>(found), range);
}

std::optional<double> value_in(const Json& found, const NumberRange& range) {
  return if_within(number_of(found), range);
}

std::optional<std::uint64_t> value_in(const Json& found, const BytesRange& range) {
  if (!found.is_string()) return value_in(found, range.bytes);
  return if_within(parse_bytes(found.get_ref<const std::string&>()), range.bytes);
}

std::optional<double> value_in(const Json& found, const SecondsRange& range) {
  if (!found.is_string()) return value_in(found, range.seconds);
  return if_within(parse_duration(found.get_ref<const std::string&>()), range.seconds);
}

std::optional<std::string> value_in(const Json& found, const TextForm& form) {
  const bool has_form = found.is_string() && form.accepts(found.get_ref<const std::string&>());
  return has_form ? std::optional(found.get<std::string>()) : std::nullopt;
}

}  // namespace runahead
