#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace runahead::config {

/// Writes the described members as a JSON object: every key, in the order of the description. Sizes
/// are in bytes, durations in seconds.
class FieldWriter final : public Fields {
 public:
  /// Returns what was written; the writer is empty afterwards.
  [[nodiscard]] Json take() { return std::exchange(object_, Json::object()); }

  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange,
                IntegerRange) override {
    object_[key.name] = values;
  }
  void required_texts(const Key& key, std::vector<std::string>& values, IntegerRange) override {
    object_[key.name] = values;
  }
  void scalars(const Key& key, std::map<std::string, Json>& values) override {
    object_[key.name] = values;
  }
  void section(const Key& key, const Section& describe) override;
  void choice(const Key& key, std::size_t& value, const std::vector<std::string>& names) override {
    object_[key.name] = names.at(value);
  }
  void variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
               bool is_required, const Alternatives& describe) override;
  void word_or_section(const Key& key, std::size_t& value, const std::vector<std::string>& words,
                       const Section& describe) override;

 protected:
  void member(const Key& key, const Member& member) override { object_[key.name] = member.value(); }

 private:
  Json object_ = Json::object();
};

/// The names of the keys that `describe` describes, in order.
[[nodiscard]] std::vector<std::string> keys_described_by(const Fields::Section& describe);

}  // namespace runahead::config
