#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_form.h"

namespace runahead {

/// The problems in one document, collected while it is read, so that a user sees all of them at
/// once.
class JsonProblems {
 public:
  /// @param source  Names the document in messages: usually a file.
  explicit JsonProblems(std::string source) : source_(std::move(source)) {}

  void add(const std::string& pointer, const std::string& message);
  /// Adds a problem with what was found at `pointer`.
  /// @param nearest  What was most likely meant; nullptr: unknown.
  void add_found(const std::string& pointer, const Json& found, const std::string& allowed,
                 const std::string* nearest = nullptr);

  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  /// @throws ConfigError with one line per problem, if there is any.
  void throw_if_any() const;

 private:
  std::string source_;
  std::vector<std::string> lines_{};
};

/// "; did you mean \"sweep\"? " for the name that was most likely meant; "; " for nullptr.
[[nodiscard]] std::string suggestion(const std::string* nearest);

/// "\"a\", \"b\"".
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);

/// Reads the keys of one JSON object strictly. Each reading function returns nullopt if the key is
/// missing, or if its value is not allowed, which it adds to the problems. A key that no function
/// asked for is unknown. The document and `problems` must outlive the reader.
class ObjectReader {
 public:
  /// @param document  The value at `pointer`. If it is not an object, that is the only problem
  ///                  added, and `allowed` is what its message says is allowed.
  ObjectReader(const Json& document, std::string pointer, JsonProblems& problems,
               const std::string& allowed = "an object");

  /// A value of one of the forms in json_form.h.
  template <typename Form>
  [[nodiscard]] auto read(const std::string& key, const Form& form)
      -> decltype(value_in(Json(), form)) {
    const Json* const found = find(key);
    if (found == nullptr) return std::nullopt;
    auto value = value_in(*found, form);
    if (!value) problems_.add_found(pointer_to(key), *found, describe(form));
    return value;
  }
  [[nodiscard]] std::optional<std::int64_t> integer(const std::string& key, IntegerRange range) {
    return read(key, range);
  }
  [[nodiscard]] std::optional<double> number(const std::string& key, NumberRange range) {
    return read(key, range);
  }
  [[nodiscard]] std::optional<std::string> string(const std::string& key);
  /// The index of the string in `names`.
  [[nodiscard]] std::optional<std::size_t> choice(const std::string& key,
                                                  const std::vector<std::string>& names);
  /// An array of `count` (a range of sizes) integers.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const std::string& key,
                                                                  IntegerRange count,
                                                                  IntegerRange range);
  [[nodiscard]] bool has(const std::string& key) const;
  /// Adds a problem for each of the keys that the object does not have.
  void require(const std::vector<std::string>& keys);
  /// The raw value; nullptr if the key is missing. Makes the key known.
  [[nodiscard]] const Json* find(const std::string& key);

  /// Whether the object has keys that have not been asked for.
  [[nodiscard]] bool has_unknown_keys() const;
  /// Adds a problem for each unknown key. Call it after every key has been asked for.
  void report_unknown_keys();

  /// The JSON pointer of `key` in this object.
  [[nodiscard]] std::string pointer_to(const std::string& key) const;
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }
  [[nodiscard]] JsonProblems& problems() const noexcept { return problems_; }

 private:
  [[nodiscard]] bool is_known(const std::string& key) const;

  const Json* object_ = nullptr;  ///< Null if it was not an object: every key is then missing.
  std::string pointer_;
  JsonProblems& problems_;
  std::vector<std::string> known_keys_{};
};

}  // namespace runahead
