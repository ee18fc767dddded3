#include "core/config/field_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/json_pointer.h"
#include "core/config/command_config.h"
#include "core/config/field_writer.h"

namespace runahead::config {
namespace {

template <typename Member, typename Value>
void assign(Member& value, std::optional<Value>&& read) {
  if (read) value = *std::move(read);
}

std::string allowed_object(const Fields::Section& describe) {
  return "an object of " + quoted_list(keys_described_by(describe));
}

/// "\"a\", \"b\" or \"c\"".
std::string one_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const bool is_last = index + 1 == names.size();
    list += (index == 0 ? "\"" : is_last ? " or \"" : ", \"") + names[index] + "\"";
  }
  return list;
}

}  // namespace

void FieldReader::finish() {
  if (keys_are_known_) reader_.report_unknown_keys();
}

void FieldReader::member(const Key& key, const Member& member) {
  const Json* const found = reader_.find(key.name);
  if (found == nullptr || member.set(*found)) return;
  reader_.problems().add_found(reader_.pointer_to(key.name), *found, member.allowed());
}

void FieldReader::integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                           IntegerRange range) {
  assign(values, reader_.integers(key.name, count, range));
}

void FieldReader::required_texts(const Key& key, std::vector<std::string>& values,
                                 IntegerRange count) {
  const std::string pointer = reader_.pointer_to(key.name);
  const std::string allowed = "an array of " + std::to_string(count.min) + " to " +
                              std::to_string(count.max) +
                              R"( strings, such as ["python", "train.py"])";
  const Json* found = reader_.find(key.name);
  if (found == nullptr) {
    reader_.problems().add(pointer, "found nothing; this key is required; allowed: " + allowed);
    return;
  }
  if (!found->is_array() || std::cmp_less(found->size(), count.min) ||
      std::cmp_greater(found->size(), count.max)) {
    if (found->is_array() && found->empty()) {
      reader_.problems().add(pointer, "found an empty array; allowed: " + allowed);
    } else {
      reader_.problems().add_found(pointer, *found, allowed);
    }
    return;
  }
  values.clear();
  for (std::size_t index = 0; index < found->size(); ++index) {
    const Json& item = (*found)[index];
    if (item.is_string()) {
      values.push_back(item.get<std::string>());
    } else {
      reader_.problems().add_found(child_pointer(pointer, std::to_string(index)), item,
                                   "a string, such as \"64\"");
    }
  }
}

void FieldReader::scalars(const Key& key, std::map<std::string, Json>& values) {
  const Json* found = reader_.find(key.name);
  if (found == nullptr) return;
  const std::string pointer = reader_.pointer_to(key.name);
  if (!found->is_object()) {
    reader_.problems().add_found(pointer, *found,
                                 "an object of names and values, such as {\"batch_size\": 64}");
    return;
  }
  values.clear();
  for (const auto& [name, value] : found->items()) {
    const std::string place = child_pointer(pointer, name);
    if (!is_identifier(name)) {
      reader_.problems().add(place,
                             "found an invalid name; allowed: letters, digits and underscores, "
                             "not starting with a digit");
    } else if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
      reader_.problems().add_found(place, value, "a string, a number, true or false");
    } else {
      values[name] = value;
    }
  }
}

void FieldReader::section(const Key& key, const Section& describe) {
  const Json* found = reader_.find(key.name);
  if (found == nullptr) return;
  if (!found->is_object()) {
    reader_.problems().add_found(reader_.pointer_to(key.name), *found, allowed_object(describe));
    return;
  }
  ObjectReader object(*found, reader_.pointer_to(key.name), reader_.problems());
  FieldReader fields(object);
  describe(fields);
  fields.finish();
}

void FieldReader::choice(const Key& key, std::size_t& value,
                         const std::vector<std::string>& names) {
  assign(value, reader_.choice(key.name, names));
}

void FieldReader::variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
                          bool is_required, const Alternatives& describe) {
  const bool is_given = reader_.find(key.name) != nullptr;
  const auto chosen = reader_.choice(key.name, names);
  if (is_given && !chosen) {
    keys_are_known_ = false;
    return;
  }
  if (is_required && !is_given) {
    reader_.problems().add(reader_.pointer_to(key.name),
                           "found nothing; this key is required; allowed: " + quoted_list(names));
  }
  value = chosen.value_or(value);
  describe(value, *this);
  refuse_keys_of_others(key, value, names, describe);
}

void FieldReader::refuse_keys_of_others(const Key& key, std::size_t chosen,
                                        const std::vector<std::string>& names,
                                        const Alternatives& describe) {
  constexpr std::size_t kMostOwnersListed = 4;
  if (!reader_.has_unknown_keys()) {
    return;  // No key can be another's; checking them all is slow for each cell of a sweep.
  }
  const auto keys_of = [&describe](std::size_t alternative) {
    return keys_described_by([&](Fields& fields) { describe(alternative, fields); });
  };
  std::map<std::string, std::vector<std::string>> owners;
  for (std::size_t other = 0; other < names.size(); ++other) {
    for (const std::string& name : keys_of(other)) owners[name].push_back(names[other]);
  }
  for (const auto& [name, alternatives] : owners) {
    const bool is_own = std::ranges::find(alternatives, names[chosen]) != alternatives.end();
    if (!is_own && reader_.has(name)) {
      static_cast<void>(reader_.find(name));  // Marks it as known: it is reported here.
      const std::vector<std::string> own = keys_of(chosen);
      const std::string is_chosen = reader_.pointer_to(key.name) + " is \"" + names[chosen] + "\"";
      const std::string found = alternatives.size() > kMostOwnersListed
                                    ? "found a key that is not allowed where " + is_chosen
                                    : std::string("this key belongs to ") + key.name + " " +
                                          one_of(alternatives) + ", but " + is_chosen;
      const std::string allowed =
          own.empty() ? ", which has no keys of its own" : "; allowed with it: " + quoted_list(own);
      reader_.problems().add(reader_.pointer_to(name), found + allowed);
    }
  }
}

void FieldReader::word_or_section(const Key& key, std::size_t& value,
                                  const std::vector<std::string>& words, const Section& describe) {
  const Json* found = reader_.find(key.name);
  if (found == nullptr) return;
  if (found->is_object()) {
    value = words.size();
    section(key, describe);
    return;
  }
  const auto word =
      found->is_string() ? std::ranges::find(words, found->get<std::string>()) : words.end();
  if (word == words.end()) {
    reader_.problems().add_found(reader_.pointer_to(key.name), *found,
                                 quoted_list(words) + ", or " + allowed_object(describe));
    return;
  }
  value = static_cast<std::size_t>(word - words.begin());
}

}  // namespace runahead::config
