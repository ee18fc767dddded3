#include "core/record/command_line.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/base/text.h"

namespace runahead::record {
namespace {

constexpr const char* kVariable = "RUNAHEAD_COMMAND";
/// The system starts no program with a word or variable of more than 128 KiB.
constexpr std::size_t kLongestBytes = std::size_t{64} << 10;

/// Quotes `word` for a shell if necessary.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return shell_quoted(word);
}

}  // namespace

void announce_command_line(const char* program, int argc, const char* const* argv) {
  std::string text = program;
  for (int index = 1; index < argc; ++index) text += " " + shell_word(argv[index]);
  ::setenv(kVariable, shortened(text, kLongestBytes).c_str(), 0);
}

std::string command_line() {
  if (const char* announced = std::getenv(kVariable)) return announced;
  std::string text;
  for (const std::string& word : words_of_process("self")) {
    text += text.empty() ? std::filesystem::path(word).filename().string() : " " + shell_word(word);
  }
  return shortened(text, kLongestBytes);
}

std::vector<std::string> words_of_process(const std::string& process) {
  std::ifstream file("/proc/" + process + "/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace runahead::record
