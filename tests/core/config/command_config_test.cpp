#include "core/config/command_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/experiment_config.h"

namespace runahead::config {
namespace {

using ::testing::ElementsAre;
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

}  // namespace
}  // namespace runahead::config
