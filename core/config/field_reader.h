#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/json_reader.h"

namespace runahead::config {

/// Reads a JSON object into the described members, strictly. Errors go to the problems of the
/// ObjectReader, and a member whose key is missing or wrong keeps its value.
class FieldReader final : public Fields {
 public:
  /// @param reader  Must outlive this object.
  explicit FieldReader(ObjectReader& reader) : reader_(reader) {}

  /// Reports unknown keys. Call it after the description.
  void finish();

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

 protected:
  void member(const Key& key, const Member& member) override;

 private:
  /// Reports keys that alternatives other than `chosen` have and `chosen` does not.
  void refuse_keys_of_others(const Key& key, std::size_t chosen,
                             const std::vector<std::string>& names, const Alternatives& describe);

  ObjectReader& reader_;
  bool keys_are_known_ = true;  ///< False if the name that selects the keys is wrong.
};

}  // namespace runahead::config
