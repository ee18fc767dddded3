#include "core/base/json_number.h"

#include <vector>

#include "core/base/json_pointer.h"

namespace runahead {
namespace {

/// Searches a text being parsed for a number: at a JSON pointer, or with a given value.
class NumberSearch : public nlohmann::json_sax<Json> {
 public:
  explicit NumberSearch(std::string_view pointer) : pointer_(pointer) {}
  explicit NumberSearch(double value) : value_(value) {}

  [[nodiscard]] const std::optional<std::string>& found() const { return found_; }

  bool null() override { return pass(); }
  bool boolean(bool /*value*/) override { return pass(); }
  bool number_integer(Json::number_integer_t /*value*/) override { return pass(); }
  bool number_unsigned(Json::number_unsigned_t /*value*/) override { return pass(); }
  bool number_float(Json::number_float_t value, const std::string& written) override {
    if (value_ ? value == *value_ : place() == pointer_) found_ = written;
    return pass();
  }
  bool string(std::string& /*value*/) override { return pass(); }
  bool binary(Json::binary_t& /*value*/) override { return pass(); }
  bool start_object(std::size_t /*size*/) override { return open(false); }
  bool start_array(std::size_t /*size*/) override { return open(true); }
  bool key(std::string& name) override {
    levels_.back().key = name;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  struct Level {
    bool is_array = false;
    std::size_t index = 0;
    std::string key{};
  };

  [[nodiscard]] std::string place() const {
    std::string pointer;
    for (const Level& level : levels_) {
      pointer = child_pointer(pointer, level.is_array ? std::to_string(level.index) : level.key);
    }
    return pointer;
  }

  /// Notes that a value has ended; returns true while the search goes on.
  bool pass() {
    if (!levels_.empty()) ++levels_.back().index;
    return !found_;
  }
  bool open(bool is_array) {
    levels_.push_back({.is_array = is_array});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return pass();
  }

  std::string_view pointer_{};
  std::optional<double> value_{};
  std::vector<Level> levels_{};
  std::optional<std::string> found_{};
};

}  // namespace

std::optional<std::string> written_number(std::string_view text, std::string_view pointer) {
  NumberSearch search(pointer);
  static_cast<void>(Json::sax_parse(text.begin(), text.end(), &search));
  return search.found();
}

std::optional<std::string> written_like(std::string_view text, double value) {
  NumberSearch search(value);
  static_cast<void>(Json::sax_parse(text.begin(), text.end(), &search));
  return search.found();
}

}  // namespace runahead
