#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace runahead::config {

/// Writes the JSON Schema (draft 2020-12) of the described object. The members' values are the
/// defaults.
class FieldSchema final : public Fields {
 public:
  /// Returns the schema of the object; this object is empty afterwards.
  [[nodiscard]] Json take();

  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange count,
                IntegerRange range) override;
  void required_texts(const Key& key, std::vector<std::string>& values,
                      IntegerRange count) override;
  void scalars(const Key& key, std::map<std::string, Json>& values) override;
  void section(const Key& key, const Section& describe) override;
  void choice(const Key& key, std::size_t& value, const std::vector<std::string>& names) override;
  void variant(const Key& key, std::size_t& value, const std::vector<std::string>& names,
               bool is_required, const Alternatives& describe) override;
  void word_or_section(const Key& key, std::size_t& value, const std::vector<std::string>& words,
                       const Section& describe) override;

  /// Adds a property whose schema is written by hand.
  void add(const Key& key, Json schema);
  void require(const std::string& name) { required_.push_back(name); }

 protected:
  void member(const Key& key, const Member& member) override;

 private:
  /// Moves the keys that every alternative describes alike to this object. Among four or more
  /// alternatives, one may lack such a key, which it then forbids.
  void take_common_keys(std::vector<FieldSchema>& alternatives);

  Json properties_ = Json::object();
  Json required_ = Json::array();
  Json alternatives_ = Json::array();  ///< One if-then per alternative of a variant.
};

}  // namespace runahead::config
