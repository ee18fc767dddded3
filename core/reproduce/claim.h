#pragma once

#include <functional>
#include <optional>
#include <set>
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
  std::set<std::string> runs{};  ///< The runs that it rests on.
};

/// Says it of the runs on one device, but for `runs`. Pure.
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
  std::vector<Finding> looks{};  ///< In their order, all that count; none if it is not asked.
  Finding finding{};             ///< The last look that says what the verdict says.
  bool is_met = false;  ///< Found as expected; false if it was not measured, true if not asked.

  /// Whether another look may change it: it was measured, is not as expected, and is no majority
  /// yet.
  [[nodiscard]] bool is_open() const;
};

/// How often a claim is looked at, at most: where the first two looks differ the third decides.
inline constexpr std::size_t kMostLooks = 3;

/// What the looks at a claim come to. The first counts if it is as expected, since then nobody asks
/// again, or was not measured. Else the majority does, of those that were measured.
/// @param claim   Must outlive the result. One that is not asked on `device` has no finding.
/// @param device  "cpu", "acpu" or "cuda".
/// @param looks   Each measured anew; at least one, at most kMostLooks. Those after the first that
///                were not measured are as if they were not there.
[[nodiscard]] Verdict judge(const Claim& claim, const std::string& device,
                            const std::vector<const Measured*>& looks);

}  // namespace runahead::reproduce
