#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reproduce/claim.h"

/// How most claims are judged. A finding names the figures that it rests on: medians with their
/// range. Pointers are those of Measured::figure.
namespace runahead::reproduce {

/// A figure of a run.
struct Place {
  std::string run{};
  std::string pointer{};
};

/// The median of `part` is below `share` of the median of `whole`.
[[nodiscard]] Judge below_share(Place part, double share, Place whole);

/// The least of `part` is at most `share` of the least of `whole`: other load only adds to times.
[[nodiscard]] Judge least_at_most(Place part, double share, Place whole);

/// The median over the processes of the ratio of the two is at most `share`. The n-th processes of
/// two runs follow each other, so a drift of the machine's speed affects both.
[[nodiscard]] Judge paired_at_most(Place part, double share, Place whole);

/// The fact holds.
[[nodiscard]] Judge fact_holds(Place fact);

/// The figure's median lies in [least, most].
[[nodiscard]] Judge within(Place figure, double least, double most);

/// The text is `expected`.
[[nodiscard]] Judge text_is(Place text, std::string expected);

/// All parts hold; not measured if one of them was not.
[[nodiscard]] Judge all_of(std::vector<Judge> parts);

/// "not measured", and why.
[[nodiscard]] Finding not_measured(const Measured& measured, const std::string& run);

/// Of a figure: "0.0123", three digits.
[[nodiscard]] std::string number_text(double value);

/// "median (min to max)".
[[nodiscard]] std::string spread_text(const Spread& spread);

}  // namespace runahead::reproduce
