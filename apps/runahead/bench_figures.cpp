#include "apps/runahead/bench_figures.h"

#include "core/base/number_text.h"

namespace runahead::apps {

void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread) {
  object[key] = spread ? Json(spread->median) : Json(nullptr);
  object[key + "_min"] = spread ? Json(spread->min) : Json(nullptr);
  object[key + "_max"] = spread ? Json(spread->max) : Json(nullptr);
}

std::string spread_text(const Json& object, const std::string& key, const char* pattern) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "-";
  return formatted(pattern, object[key].get<double>()) + " (" +
         formatted(pattern, object[key + "_min"].get<double>()) + " to " +
         formatted(pattern, object[key + "_max"].get<double>()) + ")";
}

}  // namespace runahead::apps
