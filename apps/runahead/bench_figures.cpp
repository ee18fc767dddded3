#include "apps/runahead/bench_figures.h"

#include "core/base/number_text.h"

namespace runahead::apps {

void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread) {
  object[key] = spread ? Json(spread->median) : Json(nullptr);
  object[key + "_min"] = spread ? Json(spread->min) : Json(nullptr);
  object[key + "_max"] = spread ? Json(spread->max) : Json(nullptr);
}

std::string spread_text(const Json& object, const std::string& key, const char* pattern,
                        double scale) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "-";
  const auto text_of = [&](const std::string& name) {
    return formatted(pattern, scale * object[name].get<double>());
  };
  return text_of(key) + " (" + text_of(key + "_min") + " to " + text_of(key + "_max") + ")";
}

}  // namespace runahead::apps
