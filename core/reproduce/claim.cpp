#include "core/reproduce/claim.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/enum_names.h"

namespace runahead::reproduce {
namespace {

Expectation expectation_of(const Claim& claim, const std::string& device) {
  if (device == "cpu") return claim.expected.on_cpu;
  return device == "acpu" ? claim.expected.on_acpu : claim.expected.on_cuda;
}

/// While two attempts differ, the first one counts until a third decides.
void settle(Verdict& verdict, bool expected) {
  const auto is_as_expected = [expected](const Finding& attempt) {
    return attempt.holds == expected;
  };
  const auto& attempts = verdict.attempts;
  const auto met = std::ranges::count_if(attempts, is_as_expected);
  verdict.is_met = 2 * static_cast<std::size_t>(met) > attempts.size();
  verdict.finding = *std::find_if(attempts.rbegin(), attempts.rend(), [&](const Finding& attempt) {
    return is_as_expected(attempt) == verdict.is_met;
  });
}

}  // namespace

std::string name_of(Expectation expectation) {
  // In the order of the enum.
  constexpr std::array<const char*, 3> kNames{"holds", "fails", "not asked"};
  return name_at(kNames, expectation);
}

bool Verdict::is_open() const {
  if (is_met || attempts.empty() || !attempts.front().holds) return false;
  return attempts.size() == 1 || (attempts.size() == 2 && attempts[0].holds != attempts[1].holds);
}

Verdict judge(const Claim& claim, const std::string& device,
              const std::vector<const Measured*>& attempts) {
  Verdict verdict{.claim = &claim, .device = device, .expected = expectation_of(claim, device)};
  verdict.is_met = verdict.expected == Expectation::kNotAsked;
  if (verdict.is_met) return verdict;
  const bool expected = verdict.expected == Expectation::kHolds;
  for (const Measured* attempt : attempts) {
    static_cast<void>(attempt->take_asked());
    Finding finding = claim.judge(*attempt);
    finding.runs = attempt->take_asked();
    if (!verdict.attempts.empty() && !finding.holds) continue;
    verdict.attempts.push_back(std::move(finding));
    settle(verdict, expected);
    if (!verdict.is_open()) break;
  }
  return verdict;
}

}  // namespace runahead::reproduce
