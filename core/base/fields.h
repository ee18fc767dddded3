#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_reader.h"

namespace runahead {

/// The name of a key and one sentence on what it does (with its unit, if it has one).
struct Key {
  std::string name{};
  std::string doc{};
};

/// A form that a string must have.
struct TextForm {
  std::string pattern{};                  ///< A regular expression for the schema; "": any text.
  std::string allowed{};                  ///< The same in words, for errors.
  bool (*accepts)(const std::string&){};  ///< The same for reading.
};

/// Visits every key of a config struct in canonical order, with the member that holds its value.
///
/// experiment_fields.cpp describes each struct to a Fields once. Everything done with a config is
/// an implementation of this class: reading (FieldReader), writing (FieldWriter), the JSON Schema
/// (FieldSchema), from which the reference table is made. These therefore cannot drift apart. A
/// key's default is what the member holds when a default struct is described.
class Fields {
 public:
  /// Describes the keys of a section, or the keys that one alternative adds.
  using Section = std::function<void(Fields&)>;

  virtual ~Fields() = default;

  virtual void boolean(const Key& key, bool& value) = 0;
  virtual void integer(const Key& key, std::int64_t& value, IntegerRange range) = 0;
  virtual void whole(const Key& key, std::uint64_t& value, UnsignedRange range) = 0;
  virtual void number(const Key& key, double& value, NumberRange range) = 0;
  /// A size in bytes.
  virtual void bytes(const Key& key, std::uint64_t& value, UnsignedRange range) = 0;
  /// A duration in seconds.
  virtual void seconds(const Key& key, double& value, NumberRange range) = 0;
  virtual void text(const Key& key, std::string& value, const TextForm& form) = 0;
  virtual void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                        IntegerRange range) = 0;
  /// An array of strings that every config of this kind must have.
  virtual void required_texts(const Key& key, std::vector<std::string>& values,
                              IntegerRange count) = 0;
  /// An object that maps identifiers to strings, numbers and booleans.
  virtual void scalars(const Key& key, std::map<std::string, Json>& values) = 0;
  /// An object with its own keys.
  virtual void section(const Key& key, const Section& describe) = 0;

  // Keys that may be null (nullopt).
  virtual void optional_whole(const Key& key, std::optional<std::uint64_t>& value,
                              UnsignedRange range) = 0;
  virtual void optional_bytes(const Key& key, std::optional<std::uint64_t>& value,
                              UnsignedRange range) = 0;
  virtual void optional_seconds(const Key& key, std::optional<double>& value,
                                NumberRange range) = 0;

  /// One of `names`; `value` is its index.
  virtual void choice(const Key& key, std::size_t& value,
                      const std::vector<std::string>& names) = 0;
  /// Like choice, but the name determines which other keys this object has: `describe(i, fields)`
  /// describes those of `names[i]`. No default if `is_required`.
  using Alternatives = std::function<void(std::size_t, Fields&)>;
  virtual void variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
                       bool is_required, const Alternatives& describe) = 0;
  /// One of `words`, or an object that `describe` describes: then `value` is words.size().
  virtual void word_or_section(const Key& key, std::size_t& value,
                               const std::vector<std::string>& words, const Section& describe) = 0;
};

}  // namespace runahead
