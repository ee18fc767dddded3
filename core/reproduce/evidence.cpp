#include "core/reproduce/evidence.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/number_text.h"

namespace runahead::reproduce {
namespace {

constexpr std::string_view kSeconds = "_seconds";
constexpr std::string_view kBytes = "_bytes";

std::string limit_text(const Limit& limit, NumberText text) {
  if (limit.least == limit.most) return "expected: " + text(limit.most);
  if (std::isinf(limit.least)) {
    return std::string("limit: ") + (limit.excludes_bounds ? "below " : "at most ") +
           text(limit.most);
  }
  if (std::isinf(limit.most)) {
    return std::string("limit: ") + (limit.excludes_bounds ? "above " : "at least ") +
           text(limit.least);
  }
  return "limits: " + text(limit.least) + " to " + text(limit.most);
}

}  // namespace

bool Limit::allows(double value) const {
  return excludes_bounds ? least < value && value < most : least <= value && value <= most;
}

std::string number_text(double value) { return significant(value, 3); }

std::string percent_text(double share) { return number_text(100.0 * share) + " %"; }

std::string quantity_text(const std::string& key, double value) {
  if (key.ends_with(kSeconds)) return format_duration(value);
  return key.ends_with(kBytes) ? format_size(value) : number_text(value);
}

std::string words_of(const std::string& pointer) {
  std::string words = pointer.substr(pointer.rfind('/') + 1);
  for (const std::string_view unit : {kSeconds, kBytes}) {
    if (words.ends_with(unit)) words.resize(words.size() - unit.size());
  }
  std::ranges::replace(words, '_', ' ');
  return words;
}

Finding judged(Evidence evidence) {
  std::string measured = std::move(evidence.what);
  if (!measured.empty()) measured += " ";
  measured += evidence.text(evidence.value) + evidence.of + " (" +
              limit_text(evidence.limit, evidence.text) + ")";
  if (!evidence.from.empty()) measured += ": " + evidence.from;
  return {.holds = evidence.limit.allows(evidence.value),
          .measured = std::move(measured),
          .values = std::move(evidence.values)};
}

}  // namespace runahead::reproduce
