#pragma once

#include <string>
#include <vector>

#include "core/reproduce/claim.h"
#include "core/reproduce/evidence.h"

/// Judges of most claims. Pointers are those of Measured::figure.
namespace runahead::reproduce {

/// A figure of a run.
struct Place {
  std::string run{};
  std::string pointer{};
};

/// The ratio of the medians of `part` and `whole` is within the limit.
[[nodiscard]] Judge share_of_medians(Place part, Limit share, Place whole);

/// The ratio of the minima is within the limit. Other load on the machine only adds to times.
[[nodiscard]] Judge share_of_least(Place part, Limit share, Place whole);

/// The median over the processes of `part` / `whole` is within the limit. The n-th processes of two
/// runs execute one after the other, so a drift of the machine's speed affects both.
[[nodiscard]] Judge share_of_pairs(Place part, Limit share, Place whole);

/// The fact holds.
[[nodiscard]] Judge fact_holds(Place fact);

/// The figure's median is within the limit.
[[nodiscard]] Judge median_is(Place figure, Limit limit);

/// The text is `expected`.
[[nodiscard]] Judge text_is(Place text, std::string expected);

/// All parts hold; not measured if one of them was not.
[[nodiscard]] Judge all_of(std::vector<Judge> parts);

/// "not measured", and why.
[[nodiscard]] Finding not_measured(const Measured& measured, const std::string& run);

}  // namespace runahead::reproduce
