#include "core/config/schema.h"

#include "core/config/axis_values.h"
#include "core/config/experiment_fields.h"
#include "core/config/field_schema.h"
#include "core/config/sweep_axes.h"
#include "core/config/sweep_fields.h"

namespace runahead::config {
namespace {

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
  fields.add({kBaseKey.name, kBaseKey.doc}, {{"type", Json::array({"object", "string"})}});
  fields.require(kBaseKey.name);
  Json axes = pointers_to(axis_values_schema());
  axes["default"] = Json::object();
  fields.add({kAxesKey.name, kAxesKey.doc}, axes);
  fields.add({kZipKey.name, kZipKey.doc},
             list_of(pointers_to(axis_values_schema()), kMaxSweepAxes));
  fields.add({kCellsKey.name, kCellsKey.doc}, list_of(pointers_to(Json::object()), kMaxSweepCells));
  fields.add({kExcludeKey.name, kExcludeKey.doc},
             list_of(pointers_to(Json::object()), kMaxExclusions));
  describe(defaults, fields);
  return titled("runahead sweep config", fields.take());
}

}  // namespace runahead::config
