#include "core/config/command_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "support/error_message.h"

namespace runahead::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

ExperimentConfig read_program(const std::string& keys) {
  const std::string text = R"({"experiment": "program", )" + keys + "}";
  return read_experiment(parse_json(text, "p.json"), "p.json", text);
}

TEST(CommandConfig, FillsInPlaceholders) {
  const ExperimentConfig config = read_program(
      R"("command": ["{runahead_home}/x", "{n}:{flag}", "{{n}}", "{\"a\": {}}", "{{", ""],
              "arguments": {"n": 64, "flag": true, "name": "a b"},
              "environment": {"NAME": "<{name}>", "THREADS": 1})");

  const CommandLine line = fill_in(config.command, "/home");
  EXPECT_THAT(line.words, ElementsAre("/home/x", "64:true", "{n}", "{\"a\": {}}", "{{", ""));
  EXPECT_THAT(line.environment, ElementsAre(Pair("NAME", "<a b>"), Pair("THREADS", "1")));
}

TEST(CommandConfig, IsAPartOfTheIdWhateverTheOrderOfItsKeys) {
  const auto id = [](const std::string& arguments) {
    return config_id(
        read_program(R"("command": ["x", "{a}{b}"], "arguments": {)" + arguments + "}"));
  };
  EXPECT_EQ(id(R"("a": 1, "b": 2)"), id(R"("b": 2, "a": 1)"));
  EXPECT_NE(id(R"("a": 1, "b": 2)"), id(R"("a": 1, "b": 3)"));
}

TEST(CommandConfig, ErrorsNameThePlace) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"("arguments": {})", "/command: found nothing; this key is required"},
      {R"("command": [])",
       "/command: found an empty array; allowed: an array of 1 to 1000 strings"},
      {R"("command": "ls -l")", "/command: found \"ls -l\"; allowed: an array"},
      {R"("command": ["x", 64])", "/command/1: found 64; allowed: a string, such as \"64\""},
      {R"("command": [1, "x", 64])", "/command/2: found 64; allowed: a string, such as \"64\""},
      {R"("command": [""])", "/command/0: found an empty text"},
      {R"("command": ["x\u0000y"])", "/command/0: found a zero byte"},
      {R"("command": ["x", "{bach_size}", "{batch_size}"], "arguments": {"batch_size": 1})",
       "/command/1: found the placeholder {bach_size}, for which there is no argument; did you "
       "mean \"batch_size\"? add /arguments/bach_size"},
      {R"("command": ["x"], "environment": {"A": "{b}"})", "/environment/A: found the placeholder"},
      {R"("command": ["x"], "arguments": {"batch_size": 1})",
       "/arguments/batch_size: found an argument that no placeholder uses"},
      {R"("command": ["x"], "arguments": {"batch-size": 1})",
       "/arguments/batch-size: found an invalid name"},
      {R"("command": ["x", "{a}"], "arguments": {"a": [1]})",
       "/arguments/a: found an array; allowed: a string, a number, true or false"},
      {R"("command": ["x"], "environment": {"RUNAHEAD_RECORD": "x"})",
       "/environment/RUNAHEAD_RECORD: found a variable that each run sets itself"},
      {R"("command": ["x"], "device": "cuda")",
       "/device: found a key that is not allowed where /experiment is \"program\"; allowed with "
       "it: "}};
  for (const auto& [keys, message] : wrong) {
    EXPECT_THAT(test::error_message<ConfigError>([&] { static_cast<void>(read_program(keys)); }),
                HasSubstr(message))
        << keys;
  }
}

}  // namespace
}  // namespace runahead::config
