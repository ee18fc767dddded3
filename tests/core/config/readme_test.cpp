// The tables of keys in core/config/README.md are what the schemas say: on a failure, paste the
// table that the failure shows.

#include <gtest/gtest.h>

#include <map>

#include "core/base/file.h"
#include "core/config/schema.h"

namespace runahead::config {
namespace {

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string range_text(const Json& schema) {
  const std::string from = schema.contains("exclusiveMinimum")
                               ? "above " + schema["exclusiveMinimum"].dump() + ", up to "
                               : schema["minimum"].dump() + " to ";
  return from + schema["maximum"].dump();
}

/// What a key may be, in words.
std::string allowed_text(const Json& schema) {
  std::string text;
  if (schema.contains("enum")) {
    for (const Json& name : schema["enum"]) {
      text += (text.empty() ? "" : ", ") + code(name.get<std::string>());
    }
    return text;
  }
  if (schema.contains("anyOf")) {
    const Json& first = schema["anyOf"][0];
    const Json& second = schema["anyOf"][1];
    if (second.value("type", "") == "string") {
      return first["type"] == "integer" ? "size, " + range_text(first)
                                        : "duration, " + range_text(first);
    }
    return allowed_text(first) +
           (second.value("type", "") == "null" ? " or null" : ", or an object");
  }
  if (schema["type"].is_array()) {
    return "object or string";
  }
  if (schema["type"] == "array") {
    return "array of " + schema["minItems"].dump() + " to " + schema["maxItems"].dump() +
           ", each " + allowed_text(schema["items"]);
  }
  if (schema.contains("maximum")) {
    return schema["type"].get<std::string>() + ", " + range_text(schema);
  }
  if (schema.contains("pattern")) {
    return code("cpu") + ", " + code("acpu") + ", " + code("cuda") + ", " + code("cuda:N");
  }
  if (schema["type"] == "string") return "text";
  return schema["type"] == "boolean" ? "`true`, `false`" : "object";
}

std::string row(const std::string& pointer, const Json& schema, const std::string& alternatives) {
  const std::string fallback =
      schema.contains("default") ? code(schema["default"].dump()) : "required";
  const std::string only = alternatives.empty() ? "" : " Only with " + alternatives + ".";
  return "| " + code(pointer) + " | " + fallback + " | " + allowed_text(schema) + " | " +
         schema["description"].get<std::string>() + only + " |\n";
}

std::string rows_of(const Json& schema, const std::string& parent);

std::string rows_of_key(const std::string& pointer, const Json& schema,
                        const std::string& alternatives) {
  if (schema.contains("properties")) {
    return rows_of(schema, pointer);
  }
  std::string rows = row(pointer, schema, alternatives);
  if (schema.contains("anyOf") && schema["anyOf"][1].contains("properties")) {
    rows += rows_of(schema["anyOf"][1], pointer);
  }
  return rows;
}

std::string rows_of(const Json& schema, const std::string& parent) {
  std::string rows;
  for (const auto& [key, property] : schema["properties"].items()) {
    rows += rows_of_key(parent + "/" + key, property, "");
  }
  // A key that several alternatives share is one row.
  Json keys = Json::object();
  std::map<std::string, std::string> alternatives;
  for (const Json& alternative : schema.value("allOf", Json::array())) {
    const auto& condition = alternative["if"]["properties"].items().begin();
    for (const auto& [key, property] : alternative["then"]["properties"].items()) {
      if (property == false) continue;  // Another kind's.
      // Of a section, what any of them has.
      if (keys.contains(key) && property.contains("properties")) {
        keys[key]["properties"].update(property["properties"]);
      } else {
        keys[key] = property;
      }
      std::string& names = alternatives[key];
      names += (names.empty() ? "" : ", ") + code(condition.value()["const"].get<std::string>());
    }
  }
  for (const auto& [key, property] : keys.items()) {
    // Which kind has a key of the whole config is a table of its own.
    rows += rows_of_key(parent + "/" + key, property, parent.empty() ? "" : alternatives[key]);
  }
  return rows;
}

std::string table_of(const Json& schema) {
  return "| key | default | allowed | what it does |\n|---|---|---|---|\n" + rows_of(schema, "");
}

/// Which keys each kind of experiment has besides those that all have.
std::string kinds_table(const Json& schema) {
  std::string table = "| experiment | keys of its own |\n|---|---|\n";
  for (const Json& alternative : schema["allOf"]) {
    std::string keys;
    for (const auto& [key, property] : alternative["then"]["properties"].items()) {
      if (property != false) keys += (keys.empty() ? "" : ", ") + code("/" + key);
    }
    const auto& condition = alternative["if"]["properties"].items().begin();
    table += "| " + code(condition.value()["const"].get<std::string>()) + " | " + keys + " |\n";
  }
  return table;
}

void expect_table(const std::string& readme, const std::string& table, const Json& schema) {
  EXPECT_NE(readme.find("\n\n" + table + "\n"), std::string::npos)
      << "core/config/README.md lacks this table of the " << schema["title"] << ":\n"
      << table;
}

TEST(ConfigReadme, ListsEveryKeyAsTheSchemasDo) {
  const std::string path = std::string(RUNAHEAD_SOURCE_FOLDER) + "/core/config/README.md";
  const std::string readme = read_file(path, 1 << 20) + "\n";

  for (const Json& schema : {experiment_schema(), sweep_schema()}) {
    expect_table(readme, table_of(schema), schema);
  }
  expect_table(readme, kinds_table(experiment_schema()), experiment_schema());
}

}  // namespace
}  // namespace runahead::config
