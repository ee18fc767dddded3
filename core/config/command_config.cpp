#include "core/config/command_config.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string_view>

#include "core/base/json_pointer.h"
#include "core/base/text.h"

namespace runahead::config {
namespace {

bool is_word_character(char character) {
  return character == '_' || std::isalnum(static_cast<unsigned char>(character)) != 0;
}

/// The identifier in braces at the beginning of `text`; empty if there is none.
std::string_view name_in_braces(std::string_view text) {
  const std::size_t end = text.find('}');
  if (!text.starts_with('{') || end == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, end - 1);
  return is_identifier(std::string(name)) ? name : std::string_view();
}

/// The text with each placeholder replaced by what `value_of` returns for it.
std::string replaced(std::string_view text,
                     const std::function<std::string(const std::string&)>& value_of) {
  std::string filled;
  while (!text.empty()) {
    const std::string_view name = name_in_braces(text);
    const std::string_view literal = name_in_braces(text.substr(1));
    if (text.front() == '{' && !literal.empty() &&
        text.substr(literal.size() + 3).starts_with('}')) {
      filled += text.substr(1, literal.size() + 2);
      text.remove_prefix(literal.size() + 4);
    } else if (!name.empty()) {
      filled += value_of(std::string(name));
      text.remove_prefix(name.size() + 2);
    } else {
      filled += text.front();
      text.remove_prefix(1);
    }
  }
  return filled;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

/// Calls `visit` with each text that may have placeholders, and its JSON pointer.
void for_each_text(
    const CommandConfig& command,
    const std::function<void(const std::string& pointer, const std::string&)>& visit) {
  for (std::size_t index = 0; index < command.words.size(); ++index) {
    visit("/command/" + std::to_string(index), command.words[index]);
  }
  for (const auto& [name, value] : command.environment) {
    visit(child_pointer("/environment", name), text_of(value));
  }
}

/// @return The placeholders that occur.
std::set<std::string> check_placeholders(const CommandConfig& command, JsonProblems& problems) {
  std::vector<std::string> known;
  for (const auto& [name, value] : command.arguments) known.push_back(name);
  std::set<std::string> used;
  for_each_text(command, [&](const std::string& pointer, const std::string& text) {
    static_cast<void>(replaced(text, [&](const std::string& name) {
      const bool is_new = used.insert(name).second;
      if (!is_new || name == kHomePlaceholder || command.arguments.contains(name)) return "";
      const std::string* nearest = nearest_name(name, known);
      problems.add(pointer, "found the placeholder {" + name + "}, for which there is no argument" +
                                suggestion(nearest) + "add /arguments/" + name + ", or write {{" +
                                name + "}} for the text itself");
      return "";
    }));
  });
  return used;
}

/// Numbers that no integer type holds have lost digits.
void check_numbers(const std::map<std::string, Json>& values, const std::string& parent,
                   JsonProblems& problems) {
  for (const auto& [name, value] : values) {
    const double number = value.is_number_float() ? value.get<double>() : 0.0;
    if (number > -0x1p63 && number < 0x1p64) continue;
    problems.add_found(child_pointer(parent, name), value,
                       "numbers from -2^63 to 2^64; write others as text, in quotes");
  }
}

void check_texts(const CommandConfig& command, JsonProblems& problems) {
  const auto check_zero = [&problems](const std::string& pointer, const std::string& text) {
    if (text.find('\0') == std::string::npos) return;
    problems.add(pointer, "found a zero byte, which would end the text; remove it");
  };
  for_each_text(command, check_zero);
  for (const auto& [name, value] : command.arguments) {
    check_zero(child_pointer("/arguments", name), text_of(value));
  }
}

}  // namespace

CommandLine fill_in(const CommandConfig& command, const std::string& home) {
  const auto value_of = [&](const std::string& name) {
    return name == kHomePlaceholder ? home : text_of(command.arguments.at(name));
  };
  CommandLine line;
  for (const std::string& word : command.words) line.words.push_back(replaced(word, value_of));
  for (const auto& [name, value] : command.environment) {
    line.environment[name] = replaced(text_of(value), value_of);
  }
  return line;
}

bool is_identifier(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, is_word_character);
}

void check(const CommandConfig& command, JsonProblems& problems) {
  const std::set<std::string> used = check_placeholders(command, problems);
  for (const auto& [name, value] : command.arguments) {
    const std::string pointer = child_pointer("/arguments", name);
    if (name == kHomePlaceholder) {
      problems.add(pointer,
                   "found an argument of a name that is taken: {runahead_home} is the "
                   "folder with the project's configs; give it another name");
    } else if (!used.contains(name)) {
      problems.add(pointer, "found an argument that no placeholder uses; write {" + name +
                                "} into /command or /environment, or remove it");
    }
  }
  for (const char* variable : {kRecordVariable, kTraceVariable}) {
    if (!command.environment.contains(variable)) continue;
    problems.add(child_pointer("/environment", variable),
                 "found a variable that each run sets itself; remove it");
  }
  if (!command.words.empty() && command.words.front().empty()) {
    problems.add("/command/0", "found an empty text; allowed: the name or the path of a program");
  }
  check_texts(command, problems);
  check_numbers(command.arguments, "/arguments", problems);
  check_numbers(command.environment, "/environment", problems);
}

}  // namespace runahead::config
