#include "core/config/runnable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"

namespace runahead::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void require(const std::string& text) {
  require_runnable(read_experiment(parse_json(text, "config.json"), "config.json"), "config.json");
}

std::string refusal_of(const std::string& text) {
  return test::error_message<ConfigError>([&] { require(text); });
}

TEST(Runnable, LooksAtTheSectionOfADeviceForThatDeviceOnly) {
  EXPECT_THAT(
      refusal_of(R"({"experiment": "train", "device": "cuda:1", "cuda": {"staging": "pinned"}})"),
      HasSubstr("/cuda/staging: found \"pinned\""));
  EXPECT_THAT(
      refusal_of(R"({"experiment": "train", "device": "cuda", "sync": {"policy": "adaptive"}})"),
      AllOf(HasSubstr("config.json: /sync/policy: found \"adaptive\""), HasSubstr("\"window\"")));
  EXPECT_NO_THROW(require(R"({"experiment": "train", "cuda": {"staging": "pinned"}})"));
  EXPECT_NO_THROW(require(R"({"experiment": "train", "sync": {"policy": "adaptive"}})"));
}

TEST(Runnable, TakesABudgetOnEveryDevice) {
  for (const char* device : {"cpu", "acpu", "cuda", "cuda:1"}) {
    EXPECT_NO_THROW(require(std::string(R"({"experiment": "train", "device": ")") + device +
                            R"(", "sync": {"policy": "budget", "bytes": "64MiB"}})"));
  }
}

TEST(Runnable, TakesADeviceThatThisMachineMayNotHave) {
  EXPECT_NO_THROW(require(R"({"experiment": "train", "device": "cuda:7"})"));
}

}  // namespace
}  // namespace runahead::config
