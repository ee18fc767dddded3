#include "core/reproduce/evidence.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/number_text.h"
#include "core/record/figures.h"

namespace runahead::reproduce {
namespace {

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
  return record::text_of(record::unit_of_key(key), value);
}

std::string words_of(const std::string& pointer) {
  std::string words = pointer.substr(pointer.rfind('/') + 1);
  for (const std::string_view unit : {"_seconds", "_bytes"}) {
    if (words.ends_with(unit)) words.erase(words.size() - unit.size());
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
