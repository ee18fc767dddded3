#include "apps/runahead/bench_figures.h"

#include <cmath>
#include <functional>

#include "core/base/number_text.h"

namespace runahead::apps {

namespace {

std::string text_of_spread(const Json& object, const std::string& key,
                           const std::function<std::string(double)>& number_text) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "-";
  const auto text_of = [&](const std::string& name) {
    return number_text(object[name].get<double>());
  };
  return text_of(key) + " (" + text_of(key + "_min") + " to " + text_of(key + "_max") + ")";
}

}  // namespace

void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread) {
  object[key] = spread ? Json(spread->median) : Json(nullptr);
  object[key + "_min"] = spread ? Json(spread->min) : Json(nullptr);
  object[key + "_max"] = spread ? Json(spread->max) : Json(nullptr);
}

std::string spread_text(const Json& object, const std::string& key, const char* pattern) {
  return text_of_spread(object, key, [&](double value) { return formatted(pattern, value); });
}

std::string three_digit_spread(const Json& object, const std::string& key, double scale,
                               const std::string& unit) {
  return text_of_spread(object, key, [&](double value) {
    const double scaled = scale * value;
    return (std::abs(scaled) < 999.5 ? three_digits(scaled) : format_count(scaled)) + unit;
  });
}

}  // namespace runahead::apps
