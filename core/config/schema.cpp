#include "core/config/schema.h"

#include "core/config/experiment_fields.h"
#include "core/config/field_schema.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

Json titled(const std::string& title, Json schema) {
  Json document = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  document.update(schema);
  return document;
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
  // A base is read after the axes are set: alone it may lack what they give.
  fields.add(base_key(), {{"type", Json::array({"object", "string"})}});
  fields.require(base_key().name);
  fields.add(axes_key(), {{"type", "object"},
                          {"propertyNames", {{"pattern", "^(/([^~/]|~[01])*)+$"}}},
                          {"additionalProperties",
                           {{"type", "array"}, {"minItems", 1}, {"maxItems", kMaxAxisValues}}},
                          {"default", Json::object()}});
  describe(defaults, fields);
  return titled("runahead sweep config", fields.take());
}

}  // namespace runahead::config
