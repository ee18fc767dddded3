#include "core/config/experiment_checks.h"

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

/// Copies into `buffers` buffers that are used again, with batches prepared ahead.
std::string reuse(const std::string& device, int buffers, int ahead) {
  return R"({"experiment": "train", "device": ")" + device +
         R"(", "cuda": {"copies": "side_reuse", "buffers": )" + std::to_string(buffers) +
         R"(}, "data": {"prefetch": )" + std::to_string(ahead) + "}}";
}

TEST(Runnable, BuffersThatAreUsedAgainBoundTheBatchesAhead) {
  EXPECT_NO_THROW(require(reuse("cuda:1", 4, 2)));
  EXPECT_THAT(refusal_of(reuse("cuda:1", 4, 3)),
              AllOf(HasSubstr("/data/prefetch: found 3"), HasSubstr("/cuda/buffers is 4"),
                    HasSubstr("at most 2"), HasSubstr("set /cuda/buffers to 5 or more")));
  EXPECT_THAT(refusal_of(reuse("cuda", 2, 1)), HasSubstr("at most 0"));
}

TEST(Runnable, LooksAtTheSectionOfADeviceForThatDeviceOnly) {
  EXPECT_NO_THROW(require(reuse("acpu", 2, 100)));
  EXPECT_NO_THROW(require(reuse("cpu", 2, 100)));
}

}  // namespace
}  // namespace runahead::config
