#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/reproduce/measured.h"

namespace runahead::reproduce {

/// What is expected of a claim on a device. Where it is kFails (on `cpu` the claims on asynchrony:
/// there every call computes) the claim must be seen to fail.
enum class Expectation { kHolds, kFails, kNotAsked };

/// "holds", "fails", "not asked".
[[nodiscard]] std::string name_of(Expectation expectation);

/// What the measurements say to a claim.
struct Finding {
  std::optional<bool> holds{};   ///< nullopt: not measured.
  std::string measured{};        ///< In words, with figures; if it was not measured, why not.
  Json values = Json::object();  ///< The figures that it rests on, by their keys.
};

/// Says it of the runs on one device. Pure.
using Judge = std::function<Finding(const Measured&)>;

/// A sentence of a document that can be true or not, and how it is tested.
struct Claim {
  std::string id{};          ///< "jax.dispatch_returns_early": stays.
  std::string experiment{};  ///< The kind whose runs it rests on.
  std::string text{};        ///< The claim, in our words.
  std::string condition{};   ///< What is tested: "dispatch < 10 % of the copy".
  Expectation on_cpu = Expectation::kNotAsked;
  Expectation on_acpu = Expectation::kNotAsked;
  Expectation on_cuda = Expectation::kNotAsked;
  Judge judge{};
  std::string depends_on{};  ///< On what it depends, where both sides are shown; may be empty.
};

/// A claim on one device, held against what is expected of it there.
struct Verdict {
  const Claim* claim = nullptr;  ///< Outlives the verdict.
  std::string device{};
  Expectation expected = Expectation::kNotAsked;
  Finding finding{};
  bool is_met = false;  ///< Found as expected; false if it was not measured, true if not asked.
};

/// A verdict on each of `claims`, which must outlive the result; one that is not asked on `device`
/// has no finding.
/// @param device  "cpu", "acpu" or "cuda".
[[nodiscard]] std::vector<Verdict> judge(const std::vector<Claim>& claims,
                                         const std::string& device, const Measured& measured);

}  // namespace runahead::reproduce
