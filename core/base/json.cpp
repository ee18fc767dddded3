#include "core/base/json.h"

#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_pointer.h"
#include "core/base/json_syntax.h"

namespace runahead {
namespace {

/// Checks a document being parsed for errors that the JSON grammar does not forbid.
class DocumentGuard {
 public:
  DocumentGuard(const std::string& source, std::size_t max_depth)
      : source_(source), max_depth_(max_depth) {}

  void on_event(Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        open();
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        levels_.pop_back();
        break;
      case Json::parse_event_t::key:
        take_key(parsed.get_ref<const std::string&>());
        break;
      case Json::parse_event_t::value:
        break;
    }
  }

 private:
  struct Level {
    std::set<std::string> keys{};
    std::string key{};  ///< The key being read.
  };

  void open() {
    if (levels_.size() == max_depth_) {
      throw ConfigError(source_ + ": " + pointer() + ": objects and arrays are nested more than " +
                        std::to_string(max_depth_) + " levels deep; remove some levels");
    }
    levels_.emplace_back();
  }

  void take_key(const std::string& key) {
    levels_.back().key = key;
    if (!levels_.back().keys.insert(key).second) {
      throw ConfigError(source_ + ": " + pointer() +
                        ": the key is given more than once; allowed: once");
    }
  }

  std::string pointer() const {
    std::string pointer;
    for (const Level& level : levels_) {
      pointer = level.keys.empty() ? pointer + "/…" : child_pointer(pointer, level.key);
    }
    return cut(pointer);
  }

  /// The pointer, with its middle left out if it is long.
  static std::string cut(const std::string& pointer) {
    constexpr std::size_t kLongest = 80;
    if (pointer.size() <= kLongest) return pointer;
    const std::size_t head = pointer.find('/', kLongest / 2);
    const std::size_t tail = pointer.rfind('/', pointer.size() - kLongest / 4);
    if (head == std::string::npos || tail == std::string::npos || tail <= head) return pointer;
    return pointer.substr(0, head) + "/…" + pointer.substr(tail);
  }

  const std::string& source_;
  std::size_t max_depth_ = 0;
  std::vector<Level> levels_{};
};

/// The number that no double can hold; nlohmann's message names it but not its place.
std::size_t offset_of_number(std::string_view text, std::string_view message) {
  const std::size_t begin = message.find('\'') + 1;
  return text.find(message.substr(begin, message.rfind('\'') - begin));
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source, const JsonBounds& bounds) {
  if (text.size() > bounds.bytes) {
    throw ConfigError(source + ": the text is " + std::to_string(text.size()) +
                      " bytes long; allowed: at most " + std::to_string(bounds.bytes));
  }
  // The parser takes a zero byte for the end of the text and would ignore the rest.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw ConfigError(
        describe_syntax_error(text, zero, source, "found a zero byte; allowed: text"));
  }
  DocumentGuard guard(source, bounds.depth);
  const auto watch = [&guard](int, Json::parse_event_t event, Json& parsed) {
    guard.on_event(event, parsed);
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    throw ConfigError(describe_syntax_error(text, error.byte - (error.byte > 0), source));
  } catch (const Json::out_of_range& error) {
    throw ConfigError(
        describe_syntax_error(text, offset_of_number(text, error.what()), source,
                              "a number that is too large for 64-bit floating point"));
  }
}

bool is_json(std::string_view text) {
  return text.find('\0') == std::string_view::npos && Json::accept(text);
}

Json read_json_file(const std::filesystem::path& path, const JsonBounds& bounds) {
  return parse_json(read_file(path, bounds.bytes), path.string(), bounds);
}

std::string dump_json(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace runahead
