#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json_form.h"

namespace runahead {

/// The name of a key and one sentence on what it does (with its unit, if it has one).
struct Key {
  const char* name;
  const char* doc;
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

  void boolean(const Key& key, bool& value) { add(key, value, Boolean{}); }
  /// `value` must be able to hold the whole range.
  void integer(const Key& key, std::signed_integral auto& value, IntegerRange range) {
    add(key, value, range);
  }
  void number(const Key& key, double& value, NumberRange range) { add(key, value, range); }
  void text(const Key& key, std::string& value, const TextForm& form) { add(key, value, form); }

  // `value` may be a std::optional: then the key may be null (nullopt).

  /// A std::uint64_t.
  void whole(const Key& key, auto& value, UnsignedRange range) { add(key, value, range); }
  /// A size in bytes, a std::uint64_t.
  void bytes(const Key& key, auto& value, UnsignedRange range) {
    add(key, value, BytesRange{range});
  }
  /// A duration in seconds, a double.
  void seconds(const Key& key, auto& value, NumberRange range) {
    add(key, value, SecondsRange{range});
  }

  virtual void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                        IntegerRange range) = 0;
  /// An array of strings that every config of this kind must have.
  virtual void required_texts(const Key& key, std::vector<std::string>& values,
                              IntegerRange count) = 0;
  /// An object that maps identifiers to strings, numbers and booleans.
  virtual void scalars(const Key& key, std::map<std::string, Json>& values) = 0;
  /// An object with its own keys.
  virtual void section(const Key& key, const Section& describe) = 0;

  /// One of `names`; `value` is its index.
  virtual void choice(const Key& key, std::size_t& value,
                      const std::vector<std::string>& names) = 0;
  /// One of the names of an enum (enum_names.h).
  template <typename Enum>
  void choice(const Key& key, Enum& value) {
    auto index = static_cast<std::size_t>(value);
    choice(key, index, names_of<Enum>());
    value = static_cast<Enum>(index);
  }
  /// Like choice, but the name determines which other keys this object has: `describe(i, fields)`
  /// describes those of `names[i]`. No default if `is_required`.
  using Alternatives = std::function<void(std::size_t, Fields&)>;
  virtual void variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
                       bool is_required, const Alternatives& describe) = 0;
  /// One of `words`, or an object that `describe` describes: then `value` is words.size().
  virtual void word_or_section(const Key& key, std::size_t& value,
                               const std::vector<std::string>& words, const Section& describe) = 0;

 protected:
  /// A member whose value has a form (json_form.h).
  struct Member {
    std::function<std::string()> allowed{};      ///< The form in words.
    std::function<Json()> schema{};              ///< The form as a JSON Schema.
    std::function<Json()> value{};               ///< The member's value.
    std::function<bool(const Json& found)> set;  ///< False if the form does not allow `found`.
  };

  virtual void member(const Key& key, const Member& member) = 0;

 private:
  template <typename Value, typename Form>
  void add(const Key& key, Value& value, const Form& form) {
    member(key, {.allowed = [&] { return describe(form); },
                 .schema = [&] { return schema_of(form); },
                 .value = [&] { return Json(value); },
                 .set = [&](const Json& found) { return set(value, value_in(found, form)); }});
  }

  template <typename Value, typename Form>
  void add(const Key& key, std::optional<Value>& value, const Form& form) {
    member(key, {.allowed = [&] { return describe(form); },
                 .schema =
                     [&] {
                       return Json{{"anyOf", Json::array({schema_of(form), {{"type", "null"}}})}};
                     },
                 .value = [&] { return or_null(value); },
                 .set =
                     [&](const Json& found) {
                       if (!found.is_null()) return set(value, value_in(found, form));
                       value.reset();
                       return true;
                     }});
  }

  template <typename Member, typename Value>
  static bool set(Member& member, std::optional<Value> value) {
    if (value) member = static_cast<Member>(*std::move(value));
    return value.has_value();
  }
};

}  // namespace runahead
