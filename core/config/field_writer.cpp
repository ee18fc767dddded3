#include "core/config/field_writer.h"

namespace runahead::config {

void FieldWriter::section(const Key& key, const Section& describe) {
  FieldWriter fields;
  describe(fields);
  object_[key.name] = fields.take();
}

void FieldWriter::variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
                          bool /*is_required*/, const Alternatives& describe) {
  object_[key.name] = names.at(value);
  describe(value, *this);
}

void FieldWriter::word_or_section(const Key& key, std::size_t& value,
                                  const std::vector<std::string>& words, const Section& describe) {
  if (value < words.size()) {
    object_[key.name] = words[value];
  } else {
    section(key, describe);
  }
}

std::vector<std::string> keys_described_by(const Fields::Section& describe) {
  FieldWriter writer;
  describe(writer);
  const Json written = writer.take();
  std::vector<std::string> keys;
  for (const auto& [key, value] : written.items()) keys.push_back(key);
  return keys;
}

}  // namespace runahead::config
