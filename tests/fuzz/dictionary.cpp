// Prints libFuzzer's dictionary: the keys, pointers and words of configs, from their schemas, and
// the keys of records.

#include <cstdio>
#include <set>
#include <string>

#include "core/base/json.h"
#include "core/base/json_pointer.h"
#include "core/config/schema.h"
#include "core/record/record.h"

namespace {

using runahead::Json;
using Words = std::set<std::string>;

void add_words(const Json& schema, const std::string& pointer, Words& words);

/// The keys of an object that a schema describes, alone and as pointers.
void add_keys(const Json& properties, const std::string& pointer, Words& words) {
  for (const auto& [key, schema] : properties.items()) {
    const std::string key_pointer = runahead::child_pointer(pointer, key);
    words.insert({key, key_pointer});
    add_words(schema, key_pointer, words);
  }
}

void add_words(const Json& schema, const std::string& pointer, Words& words) {
  if (!schema.is_structured()) return;
  for (const auto& [key, part] : schema.items()) {
    if (schema.is_object() && key == "properties") {
      add_keys(part, pointer, words);
    } else if (schema.is_object() && key == "enum") {
      for (const Json& word : part) words.insert(word.get<std::string>());
    } else {
      add_words(part, pointer, words);
    }
  }
}

void add_record_keys(const Json& section, Words& words) {
  for (const auto& [key, value] : section.items()) {
    words.insert(key);
    if (value.is_object()) add_record_keys(value, words);
  }
}

}  // namespace

int main() {
  Words words{"KiB", "GiB", "ms", "min", "guard", "off", "skipped", "out_of_memory", "ok"};
  add_words(runahead::config::experiment_schema(), "", words);
  add_words(runahead::config::sweep_schema(), "", words);
  add_record_keys(runahead::record::to_json({}), words);
  for (const std::string& word : words) std::printf("\"\\\"%s\\\"\"\n", word.c_str());
  for (const char* text : {"null", "true", "false", "1e300", "--set ", "18446744073709551615"}) {
    std::printf("\"%s\"\n", text);
  }
}
