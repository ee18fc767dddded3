#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reproduce/claim.h"

/// How most claims are judged. Each finding tells the figures that it rests on: medians with their
/// range. Pointers are Measured::figure's.
namespace runahead::reproduce {

/// A figure of a run.
struct Place {
  std::string run{};
  std::string pointer{};
};

/// The median of `part` is below `share` of the median of `whole`.
[[nodiscard]] Judge below_share(Place part, double share, Place whole);

/// The least of `part` is at most `share` of the least of `whole`: times that something else
/// lengthened say nothing.
[[nodiscard]] Judge least_at_most(Place part, double share, Place whole);

/// The median, over the processes, of the ratio of the two is at most `share`: the n-th processes
/// of two runs follow one another, so that a drift of the machine's speed meets both.
[[nodiscard]] Judge paired_at_most(Place part, double share, Place whole);

/// The fact there holds.
[[nodiscard]] Judge fact_holds(Place fact);

/// The figure's median lies in [least, most].
[[nodiscard]] Judge within(Place figure, double least, double most);

/// The text there is this one.
[[nodiscard]] Judge text_is(Place text, std::string expected);

/// All hold; the findings one after another. One that was not measured leaves all of it so.
[[nodiscard]] Judge all_of(std::vector<Judge> parts);

/// "not measured", and why.
[[nodiscard]] Finding not_measured(const Measured& measured, const std::string& run);

/// The number at a JSON pointer; nullopt if there is none.
[[nodiscard]] std::optional<double> number_at(const Json& document, const std::string& pointer);

/// Of a figure: "0.0123", three digits.
[[nodiscard]] std::string number_text(double value);

/// "median (min to max)".
[[nodiscard]] std::string spread_text(const Spread& spread);

}  // namespace runahead::reproduce
