#include "core/reproduce/claim.h"

#include <utility>

namespace runahead::reproduce {
namespace {

Expectation expectation_of(const Claim& claim, const std::string& device) {
  if (device == "cpu") return claim.on_cpu;
  return device == "acpu" ? claim.on_acpu : claim.on_cuda;
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

std::vector<Verdict> judge(const std::vector<Claim>& claims, const std::string& device,
                           const Measured& measured) {
  std::vector<Verdict> verdicts;
  for (const Claim& claim : claims) {
    Verdict verdict{.claim = &claim, .device = device, .expected = expectation_of(claim, device)};
    const bool is_asked = verdict.expected != Expectation::kNotAsked;
    if (is_asked) verdict.finding = claim.judge(measured);
    const auto& holds = verdict.finding.holds;
    verdict.is_met = !is_asked || (holds && *holds == (verdict.expected == Expectation::kHolds));
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace runahead::reproduce
