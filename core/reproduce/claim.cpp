#include "core/reproduce/claim.h"

#include <algorithm>
#include <utility>

namespace runahead::reproduce {
namespace {

Expectation expectation_of(const Claim& claim, const std::string& device) {
  if (device == "cpu") return claim.on_cpu;
  return device == "acpu" ? claim.on_acpu : claim.on_cuda;
}

/// As expected by the first look or by the majority; of two that differ the first still counts.
void settle(Verdict& verdict, bool expected) {
  const auto is_as_expected = [expected](const Finding& look) { return look.holds == expected; };
  const auto& looks = verdict.looks;
  const auto met = std::count_if(looks.begin(), looks.end(), is_as_expected);
  verdict.is_met = 2 * static_cast<std::size_t>(met) > looks.size();
  verdict.finding = *std::find_if(looks.rbegin(), looks.rend(), [&](const Finding& look) {
    return is_as_expected(look) == verdict.is_met;
  });
}

}  // namespace

std::string name_of(Expectation expectation) {
  switch (expectation) {
    case Expectation::kHolds:
      return "holds";
    case Expectation::kFails:
      return "fails";
    case Expectation::kNotAsked:
      break;
  }
  return "not asked";
}

bool Verdict::is_open() const {
  if (is_met || looks.empty() || !looks.front().holds) return false;
  return looks.size() == 1 || (looks.size() == 2 && looks[0].holds != looks[1].holds);
}

Verdict judge(const Claim& claim, const std::string& device,
              const std::vector<const Measured*>& looks) {
  Verdict verdict{.claim = &claim, .device = device, .expected = expectation_of(claim, device)};
  verdict.is_met = verdict.expected == Expectation::kNotAsked;
  if (verdict.is_met) return verdict;
  const bool expected = verdict.expected == Expectation::kHolds;
  for (const Measured* look : looks) {
    static_cast<void>(look->take_asked());
    Finding finding = claim.judge(*look);
    finding.runs = look->take_asked();
    if (!verdict.looks.empty() && !finding.holds) continue;
    verdict.looks.push_back(std::move(finding));
    settle(verdict, expected);
    if (!verdict.is_open()) break;
  }
  return verdict;
}

}  // namespace runahead::reproduce
