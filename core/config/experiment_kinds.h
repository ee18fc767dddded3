#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace runahead::config {

struct ExperimentConfig;

/// A figure or fact that a kind of experiment measures in addition to what every record has.
struct ResultKey {
  std::string name{};  ///< In `results.<kind>`, with the unit at its end.
  std::string doc{};
};

/// Describes keys of a config.
using DescribeKeys = std::function<void(ExperimentConfig&, Fields&)>;

/// A kind of experiment, as named by the key `experiment`: one file in `kinds/`, and one in
/// core/experiment, which runs it.
struct ExperimentKind {
  std::string name{};
  std::string doc{};                 ///< What it measures, in a sentence.
  bool has_model = false;            ///< Whether it has the section `model`.
  bool trains = false;               ///< Whether it trains the model: has `optimizer` and `loss`.
  bool runs_command = false;         ///< It runs a user's command, without LibTorch or a device.
  DescribeKeys describe{};           ///< Its keys in addition to those that all kinds have.
  std::vector<ResultKey> results{};  ///< The contents of `results.<kind>` in its record.
};

/// Describes every key of an experiment config, in the canonical order: its name, its default, what
/// is allowed and what it does. Each kind of experiment describes the keys that it uses; others are
/// unknown.
void describe(ExperimentConfig& config, Fields& fields);

/// Every kind that exists.
[[nodiscard]] const std::vector<ExperimentKind>& experiment_kinds();

/// The kind of that name. @throws UsageError if there is none.
[[nodiscard]] const ExperimentKind& kind_of(const std::string& name);

/// Whether the config's kind runs a user's command.
[[nodiscard]] bool runs_command(const ExperimentConfig& config);

}  // namespace runahead::config
