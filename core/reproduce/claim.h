#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/reproduce/measured.h"

namespace runahead::reproduce {

/// What is expected of a claim on a device. A kFails claim must be measured to fail: on `cpu` every
/// call computes, so claims about asynchrony cannot hold there.
enum class Expectation { kHolds, kFails, kNotAsked };

/// What is expected on each device.
struct Expectations {
  Expectation on_cpu = Expectation::kNotAsked;
  Expectation on_acpu = Expectation::kNotAsked;
  Expectation on_cuda = Expectation::kNotAsked;
};

/// "holds", "fails", "not asked".
[[nodiscard]] std::string name_of(Expectation expectation);

/// What the measurements say about a claim.
struct Finding {
  std::optional<bool> holds{};   ///< nullopt if not measured.
  std::string measured{};        ///< The result in words and figures, or why there is none.
  Json values = Json::object();  ///< The figures that it rests on, by key.
  std::set<std::string> runs{};  ///< The runs that it rests on.
};

/// Finds whether a claim holds in the runs on one device; leaves `runs` empty. A pure function.
using Judge = std::function<Finding(const Measured&)>;

/// A statement that can be true or false, and its test.
struct Claim {
  std::string id{};          ///< "jax.dispatch_returns_early"; never changes.
  std::string experiment{};  ///< The kind of experiment whose runs it rests on.
  std::string text{};        ///< The statement, in our words.
  std::string condition{};   ///< The tested condition: "dispatch < 10 % of the copy".
  Expectations expected{};
  Judge judge{};
  std::string depends_on{};  ///< What the result depends on, if both sides are shown; may be empty.
};

/// A claim on one device, compared with what is expected there.
struct Verdict {
  const Claim* claim = nullptr;  ///< Outlives the verdict.
  std::string device{};
  Expectation expected = Expectation::kNotAsked;
  std::vector<Finding> attempts{};  ///< Attempts that count, in order; empty if not asked.
  Finding finding{};                ///< The last attempt that agrees with the verdict.
  bool is_met = false;  ///< Found as expected; false if it was not measured, true if not asked.

  /// Whether another attempt may change the verdict: the claim was measured, is not as expected,
  /// and no majority has formed.
  [[nodiscard]] bool is_open() const;
};

/// Maximum number of attempts at a claim. If the first two differ, the third decides.
inline constexpr std::size_t kMostAttempts = 3;

/// The verdict over all attempts. The first attempt decides if it is as expected or was not
/// measured; otherwise the majority of the measured attempts decides.
/// @param claim     Must outlive the result. If it is not asked on `device`, it has no finding.
/// @param device    "cpu", "acpu" or "cuda".
/// @param attempts  One to kMostAttempts independent measurements. After the first, attempts that
///                  did not measure the claim are ignored.
[[nodiscard]] Verdict judge(const Claim& claim, const std::string& device,
                            const std::vector<const Measured*>& attempts);

}  // namespace runahead::reproduce
