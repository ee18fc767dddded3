#include "core/config/schema.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/config/axis_values.h"
#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"
#include "core/config/sweep_axes.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

Json with_default(Json schema, Json value) {
  schema["default"] = std::move(value);
  return schema;
}

Json array_of(const Json& items, IntegerRange count) {
  return {{"type", "array"}, {"items", items}, {"minItems", count.min}, {"maxItems", count.max}};
}

/// Writes the JSON Schema of the described object. The members' values are the defaults.
class FieldSchema final : public Fields {
 public:
  /// Returns the schema of the object; this object is empty afterwards.
  [[nodiscard]] Json take() {
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

  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                IntegerRange range) override {
    add(key, with_default(array_of(schema_of(range), count), values));
  }

  void required_texts(const Key& key, std::vector<std::string>& /*values*/,
                      IntegerRange count) override {
    add(key, array_of({{"type", "string"}}, count));
    require(key.name);
  }

  void scalars(const Key& key, std::map<std::string, Json>& values) override {
    const Json scalar = {{"type", Json::array({"string", "number", "boolean"})}};
    add(key, with_default({{"type", "object"},
                           {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
                           {"additionalProperties", scalar}},
                          values));
  }

  void section(const Key& key, const Section& describe) override {
    add(key, schema_described_by(describe));
  }

  void choice(const Key& key, std::size_t& value, const std::vector<std::string>& names) override {
    add(key, with_default({{"enum", names}}, names.at(value)));
  }

  void variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
               bool is_required, const Alternatives& describe) override {
    if (is_required) {
      add(key, {{"enum", names}});
      require(key.name);
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
      if (!keys_of[alternative].required_.empty()) {
        keys["required"] = keys_of[alternative].required_;
      }
      alternatives_.push_back({{"if", std::move(condition)}, {"then", std::move(keys)}});
    }
  }

  void word_or_section(const Key& key, std::size_t& value, const std::vector<std::string>& words,
                       const Section& describe) override {
    Json schema = {{"anyOf", Json::array({{{"enum", words}}, schema_described_by(describe)})}};
    if (value < words.size()) schema["default"] = words[value];
    add(key, std::move(schema));
  }

  /// Adds a property whose schema is written by hand.
  void add(const Key& key, const Json& schema) {
    Json described = {{"description", key.doc}};
    described.update(schema);
    properties_[key.name] = std::move(described);
  }
  void require(const std::string& name) { required_.push_back(name); }

 protected:
  void member(const Key& key, const Member& member) override {
    add(key, with_default(member.schema(), member.value()));
  }

 private:
  static Json schema_described_by(const Section& describe) {
    FieldSchema fields;
    describe(fields);
    return fields.take();
  }

  /// Moves the keys that every alternative describes alike to this object. Among four or more
  /// alternatives, one may lack such a key, which it then forbids.
  void take_common_keys(std::vector<FieldSchema>& alternatives) {
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

  Json properties_ = Json::object();
  Json required_ = Json::array();
  Json alternatives_ = Json::array();  ///< One if-then per alternative of a variant.
};

Json titled(const std::string& title, Json schema) {
  Json document = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  document.update(schema);
  return document;
}

/// The schema of an object that maps JSON pointers to what `value` describes.
Json pointers_to(const Json& value) {
  return {{"type", "object"},
          {"maxProperties", kMaxSweepAxes},
          {"propertyNames", {{"pattern", "^(/([^~/]|~[01])*)+$"}}},
          {"additionalProperties", value}};
}

/// The schema of an array, empty by default.
Json list_of(const Json& item, std::uint64_t most) {
  return {{"type", "array"},
          {"minItems", 0},
          {"maxItems", most},
          {"items", item},
          {"default", Json::array()}};
}

}  // namespace

Json experiment_schema() {
  ExperimentConfig defaults;
  FieldSchema fields;
  describe(defaults, fields);
  return titled("runahead experiment config", fields.take());
}

Json sweep_schema() {
  SweepConfig defaults;
  FieldSchema fields;
  // A base is read after the axes are set, so on its own it may lack what they provide.
  fields.add(kBaseKey, {{"type", Json::array({"object", "string"})}});
  fields.require(kBaseKey.name);
  Json axes = pointers_to(axis_values_schema());
  axes["default"] = Json::object();
  fields.add(kAxesKey, axes);
  fields.add(kZipKey, list_of(pointers_to(axis_values_schema()), kMaxSweepAxes));
  fields.add(kCellsKey, list_of(pointers_to(Json::object()), kMaxSweepCells));
  fields.add(kExcludeKey, list_of(pointers_to(Json::object()), kMaxExclusions));
  describe(defaults, fields);
  return titled("runahead sweep config", fields.take());
}

}  // namespace runahead::config
