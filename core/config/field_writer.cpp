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

}  // namespace runahead::config
