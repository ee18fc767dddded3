#include "core/config/field_schema.h"

#include <algorithm>
#include <utility>

namespace runahead::config {
namespace {

Json with_default(Json schema, Json value) {
  schema["default"] = std::move(value);
  return schema;
}

}  // namespace

Json FieldSchema::take() {
  Json schema = {{"type", "object"}, {"properties", std::exchange(properties_, Json::object())}};
  if (!required_.empty()) schema["required"] = std::exchange(required_, Json::array());
  if (alternatives_.empty()) {
    schema["additionalProperties"] = false;
  } else {
    schema["allOf"] = std::exchange(alternatives_, Json::array());
    schema["unevaluatedProperties"] = false;
  }
  return schema;
}

void FieldSchema::add(const Key& key, Json schema) {
  Json described = {{"description", key.doc}};
  described.update(schema);
  properties_[key.name] = std::move(described);
}

void FieldSchema::member(const Key& key, const Member& member) {
  add(key, with_default(member.schema(), member.value()));
}

void FieldSchema::integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                           IntegerRange range) {
  add(key, with_default({{"type", "array"},
                         {"items", schema_of(range)},
                         {"minItems", count.min},
                         {"maxItems", count.max}},
                        values));
}

void FieldSchema::required_texts(const Key& key, std::vector<std::string>& /*values*/,
                                 IntegerRange count) {
  add(key, {{"type", "array"},
            {"items", {{"type", "string"}}},
            {"minItems", count.min},
            {"maxItems", count.max}});
  require(key.name);
}

void FieldSchema::scalars(const Key& key, std::map<std::string, Json>& values) {
  add(key, with_default(
               {{"type", "object"},
                {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
                {"additionalProperties", {{"type", Json::array({"string", "number", "boolean"})}}}},
               Json(values)));
}

void FieldSchema::section(const Key& key, const Section& describe) {
  FieldSchema fields;
  describe(fields);
  add(key, fields.take());
}

void FieldSchema::choice(const Key& key, std::size_t& value,
                         const std::vector<std::string>& names) {
  add(key, with_default({{"enum", names}}, names.at(value)));
}

void FieldSchema::variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
                          bool is_required, const Alternatives& describe) {
  if (is_required) {
    add(key, {{"enum", names}});
    required_.push_back(key.name);
  } else {
    choice(key, value, names);
  }
  if (names.size() == 1) {
    describe(0, *this);
    return;
  }
  std::vector<FieldSchema> keys_of(names.size());
  for (std::size_t alternative = 0; alternative < names.size(); ++alternative) {
    describe(alternative, keys_of[alternative]);
  }
  take_common_keys(keys_of);
  for (std::size_t alternative = 0; alternative < names.size(); ++alternative) {
    Json condition = {{"properties", {{key.name, {{"const", names[alternative]}}}}}};
    if (is_required || alternative != value) {
      condition["required"] = Json::array({key.name});  // Else a missing key selects this one.
    }
    Json keys = {{"properties", keys_of[alternative].properties_}};
    if (!keys_of[alternative].required_.empty()) keys["required"] = keys_of[alternative].required_;
    alternatives_.push_back({{"if", std::move(condition)}, {"then", std::move(keys)}});
  }
}

void FieldSchema::take_common_keys(std::vector<FieldSchema>& alternatives) {
  const Json candidates = alternatives.front().properties_;
  for (const auto& [key, schema] : candidates.items()) {
    std::vector<FieldSchema*> without;
    bool is_alike = true;
    for (FieldSchema& alternative : alternatives) {
      if (!alternative.properties_.contains(key)) {
        without.push_back(&alternative);
      } else if (alternative.properties_[key] != schema) {
        is_alike = false;
      }
    }
    if (!is_alike || without.size() > (alternatives.size() < 4 ? 0U : 1U)) continue;
    properties_[key] = schema;
    for (FieldSchema& alternative : alternatives) alternative.properties_.erase(key);
    for (FieldSchema* alternative : without) alternative->properties_[key] = false;
  }
}

void FieldSchema::word_or_section(const Key& key, std::size_t& value,
                                  const std::vector<std::string>& words, const Section& describe) {
  FieldSchema fields;
  describe(fields);
  Json schema = {{"anyOf", Json::array({{{"enum", words}}, fields.take()})}};
  if (value < words.size()) schema["default"] = words[value];
  add(key, std::move(schema));
}

}  // namespace runahead::config
