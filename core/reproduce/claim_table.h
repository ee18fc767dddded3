#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/reproduce/claim.h"

/// Vocabulary of the claim tables.
namespace runahead::reproduce {

using enum Expectation;

inline constexpr Expectations kEverywhere{kHolds, kHolds, kHolds};
/// For claims about asynchrony: on `cpu` every call computes.
inline constexpr Expectations kNotOnCpu{kFails, kHolds, kHolds};
inline constexpr Expectations kOnCpuAndAcpu{kHolds, kHolds, kNotAsked};
inline constexpr Expectations kOnAcpuNotOnCpu{kFails, kHolds, kNotAsked};
inline constexpr Expectations kOnAcpu{kNotAsked, kHolds, kNotAsked};
inline constexpr Expectations kOnAcpuAndCuda{kNotAsked, kHolds, kHolds};
inline constexpr Expectations kOnCuda{kNotAsked, kNotAsked, kHolds};

/// `claims`, with their experiment set to `experiment`.
[[nodiscard]] inline std::vector<Claim> claims_on(const std::string& experiment,
                                                  std::vector<Claim> claims) {
  for (Claim& claim : claims) claim.experiment = experiment;
  return claims;
}

[[nodiscard]] inline std::vector<Claim> concatenated(
    std::initializer_list<std::vector<Claim>> parts) {
  std::vector<Claim> claims;
  for (const auto& part : parts) claims.insert(claims.end(), part.begin(), part.end());
  return claims;
}

}  // namespace runahead::reproduce
