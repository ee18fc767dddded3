// An experiment config as `runahead validate` takes it: a document, and behind it a line for each
// --set.

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/config/experiment_checks.h"
#include "core/config/experiment_config.h"
#include "fuzz/fuzz_target.h"

namespace runahead::fuzz {
namespace {

constexpr std::string_view kSet = "\n--set ";  // Nothing that JSON can have within a string.

struct Input {
  std::string_view document{};
  std::vector<std::string_view> sets{};
};

Input split(std::string_view text) {
  const std::size_t first = text.find(kSet);
  Input input{.document = text.substr(0, first)};
  for (std::size_t at = first; at != std::string_view::npos;) {
    const std::size_t begin = at + kSet.size();
    at = text.find(kSet, begin);
    input.sets.push_back(text.substr(begin, at == std::string_view::npos ? at : at - begin));
  }
  return input;
}

config::ExperimentConfig resolve(const Input& input) {
  Json document = parse_json(input.document, "fuzz");
  require(input.document.find('\0') == std::string_view::npos, "a document has a zero byte");
  for (const std::string_view assignment : input.sets) config::apply_set(document, assignment);
  return config::read_experiment(document, "fuzz");
}

/// Why a config cannot be run; empty if it can.
std::string obstacle_of(const config::ExperimentConfig& config) {
  return refusal_of<ConfigError>([&] { config::require_runnable(config, "fuzz"); });
}

/// What is resolved resolves to itself.
void check_resolved(const config::ExperimentConfig& config) {
  const std::string text = dump_json(config::to_json(config));
  const config::ExperimentConfig again =
      config::read_experiment(parse_json(text, "resolved"), "resolved");
  require(dump_json(config::to_json(again)) == text, "a resolved config resolves to another");
  require(config::config_id(again) == config::config_id(config), "it has another id");
  require(obstacle_of(again) == obstacle_of(config), "only one of the two can be run");
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  const fuzz::Input input = fuzz::split(fuzz::input_text(data, size));
  config::ExperimentConfig config;
  const std::string refusal = fuzz::refusal_of<ConfigError>([&] { config = fuzz::resolve(input); });
  if (refusal.empty()) fuzz::check_resolved(config);
  return 0;
}
