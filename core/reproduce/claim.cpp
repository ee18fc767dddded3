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
    const Expectation expected = expectation_of(claim, device);
    if (expected == Expectation::kNotAsked) continue;
    Finding finding = claim.judge(measured);
    const bool is_met = finding.holds && *finding.holds == (expected == Expectation::kHolds);
    verdicts.push_back({.claim = &claim,
                        .device = device,
                        .expected = expected,
                        .finding = std::move(finding),
                        .is_met = is_met});
  }
  return verdicts;
}

}  // namespace runahead::reproduce
