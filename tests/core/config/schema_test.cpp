#include "core/config/schema.h"

#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"
#include "example_configs.h"

namespace runahead::config {
namespace {

/// GCC 12's std::regex does not compile without warnings under sanitizers.
bool matches(const std::string& text, const std::string& pattern) {
  regex_t compiled{};
  EXPECT_EQ(::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB), 0) << pattern;
  const bool is_match = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return is_match;
}

/// The schema of one key of an object, also where an alternative of a variant describes it.
const Json* property(const Json& schema, const Json& object, const std::string& key) {
  if (schema.contains("properties") && schema["properties"].contains(key)) {
    return &schema["properties"][key];
  }
  for (const Json& alternative : schema.value("allOf", Json::array())) {
    const auto condition = alternative["if"]["properties"].items().begin();
    if (object.value(condition.key(), Json()) == condition.value()["const"] &&
        alternative["then"]["properties"].contains(key)) {
      static thread_local Json found;
      found = alternative["then"]["properties"][key];
      return &found;
    }
  }
  return nullptr;
}

bool satisfies(const Json& value, const Json& schema);

bool satisfies_object(const Json& object, const Json& schema) {
  for (const auto& [key, value] : object.items()) {
    const Json* found = property(schema, object, key);
    if (found == nullptr || !satisfies(value, Json(*found))) {
      ADD_FAILURE() << key << ": " << value << (found == nullptr ? " has no schema" : " is wrong");
      return false;
    }
  }
  for (const Json& key : schema.value("required", Json::array())) {
    EXPECT_TRUE(object.contains(key.get<std::string>())) << key << " is missing";
  }
  return true;
}

bool has_type(const Json& value, const std::string& type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer()) ||
         (type == "number" && value.is_number()) || (type == "null" && value.is_null());
}

/// As much of draft 2020-12 as the schemas use.
bool satisfies(const Json& value, const Json& schema) {
  if (schema.contains("enum")) {
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  }
  if (schema.contains("anyOf")) {
    return std::any_of(schema["anyOf"].begin(), schema["anyOf"].end(),
                       [&](const Json& one) { return satisfies(value, one); });
  }
  const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
  if (std::none_of(types.begin(), types.end(),
                   [&](const Json& type) { return has_type(value, type.get<std::string>()); })) {
    return false;
  }
  if (value.is_object() && schema.contains("properties")) {
    return satisfies_object(value, schema);
  }
  if (value.is_array() && schema.contains("items")) {
    return std::all_of(value.begin(), value.end(),
                       [&](const Json& item) { return satisfies(item, schema["items"]); });
  }
  if (value.is_string() && schema.contains("pattern")) {
    return matches(value.get<std::string>(), schema["pattern"].get<std::string>());
  }
  return !value.is_number() || ((!schema.contains("minimum") || value >= schema["minimum"]) &&
                                (!schema.contains("maximum") || value <= schema["maximum"]));
}

/// Every key of an object's schema says what it does, and has a default unless it is required.
void expect_described(const Json& schema, const std::string& pointer) {
  for (const auto& [key, property] : schema["properties"].items()) {
    if (property == false) continue;  // No key of this kind.
    const std::string place = child_pointer(pointer, key);
    EXPECT_FALSE(property.value("description", "").empty()) << place;
    if (property.contains("properties")) {
      expect_described(property, place);
    } else if (place != "/experiment" && place != "/base" && place != "/command") {
      EXPECT_TRUE(property.contains("default")) << place;
    }
  }
  for (const Json& alternative : schema.value("allOf", Json::array())) {
    expect_described(alternative["then"], pointer);
  }
}

TEST(Schema, DescribesEveryKeyAndRefusesOthers) {
  EXPECT_EQ(experiment_schema()["unevaluatedProperties"], false);
  expect_described(experiment_schema(), "");
  expect_described(sweep_schema(), "");
  EXPECT_EQ(experiment_schema()["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

TEST(Schema, ResolvedConfigsSatisfyIt) {
  for (const char* text : kExampleConfigs) {
    const Json resolved = to_json(read_experiment(parse_json(text, "test"), "test"));
    EXPECT_TRUE(satisfies(resolved, experiment_schema())) << text;
  }
}

TEST(Schema, PatternsAcceptWhatReadingAccepts) {
  const std::string device = experiment_schema()["properties"]["device"]["pattern"];
  const std::string names[] = {"cpu",       "acpu",  "cuda",   "cuda:0",  "cuda:127",
                               "cuda:1234", "cuda:", "cuda:x", "cuda:-1", "cpu:0",
                               "gpu",       "",      "cuda:0 "};
  for (const std::string& name : names) {
    const auto read = [&name] {
      static_cast<void>(read_experiment({{"experiment", "train"}, {"device", name}}, "test"));
    };
    if (matches(name, device)) {
      EXPECT_NO_THROW(read()) << name;
    } else {
      EXPECT_THROW(read(), ConfigError) << name;
    }
  }
}

TEST(Schema, TheProjectsConfigsAreValidAndSatisfyIt) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(RUNAHEAD_SOURCE_FOLDER) + "/configs")) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++count;
    SCOPED_TRACE(entry.path().string());
    const Json document = read_json_file(entry.path());
    if (is_sweep(document)) {
      EXPECT_NO_THROW(static_cast<void>(load_sweep(entry.path())));
      EXPECT_TRUE(satisfies(document, sweep_schema()));
    } else {
      EXPECT_NO_THROW(static_cast<void>(load_experiment(entry.path())));
      EXPECT_TRUE(satisfies(document, experiment_schema()));
    }
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace runahead::config
