#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json.h"

namespace runahead {

// What a JSON value may be: true or false, a number in a range, a text.

struct Boolean {};

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct UnsignedRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

struct NumberRange {
  double min = 0.0;
  double max = 0.0;
  bool above_min = false;  ///< `min` itself is not allowed.
};

/// A number of bytes, or a string with a unit: "1.5GiB".
struct BytesRange {
  UnsignedRange bytes{};
};

/// A number of seconds, or a string with a unit: "5min".
struct SecondsRange {
  NumberRange seconds{};
};

struct TextForm {
  std::string pattern{};                  ///< A regular expression for the schema; "": any text.
  std::string allowed{};                  ///< The same in words, for errors.
  bool (*accepts)(const std::string&){};  ///< The same for reading.
};

/// "an integer from 1 to 8", "a number above 0, up to 1": what is allowed, for errors.
[[nodiscard]] std::string describe(const Boolean& form);
[[nodiscard]] std::string describe(const IntegerRange& range);
[[nodiscard]] std::string describe(const UnsignedRange& range);
[[nodiscard]] std::string describe(const NumberRange& range);
[[nodiscard]] std::string describe(const BytesRange& range);
[[nodiscard]] std::string describe(const SecondsRange& range);
[[nodiscard]] std::string describe(const TextForm& form);

/// The same as a JSON Schema.
[[nodiscard]] Json schema_of(const Boolean& form);
[[nodiscard]] Json schema_of(const IntegerRange& range);
[[nodiscard]] Json schema_of(const UnsignedRange& range);
[[nodiscard]] Json schema_of(const NumberRange& range);
[[nodiscard]] Json schema_of(const BytesRange& range);
[[nodiscard]] Json schema_of(const SecondsRange& range);
[[nodiscard]] Json schema_of(const TextForm& form);

/// The value of a JSON value that has the form, else nullopt. 3.0 is an integer, 3.5 is none.
[[nodiscard]] std::optional<bool> value_in(const Json& found, const Boolean& form);
[[nodiscard]] std::optional<std::int64_t> value_in(const Json& found, const IntegerRange& range);
[[nodiscard]] std::optional<std::uint64_t> value_in(const Json& found, const UnsignedRange& range);
[[nodiscard]] std::optional<double> value_in(const Json& found, const NumberRange& range);
[[nodiscard]] std::optional<std::uint64_t> value_in(const Json& found, const BytesRange& range);
[[nodiscard]] std::optional<double> value_in(const Json& found, const SecondsRange& range);
[[nodiscard]] std::optional<std::string> value_in(const Json& found, const TextForm& form);

}  // namespace runahead
