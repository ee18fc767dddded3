#include "apps/runahead/bench_figures.h"

#include <cstdio>

namespace runahead::apps {

namespace {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace

void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread) {
  object[key] = spread ? Json(spread->median) : Json(nullptr);
  object[key + "_min"] = spread ? Json(spread->min) : Json(nullptr);
  object[key + "_max"] = spread ? Json(spread->max) : Json(nullptr);
}

std::string spread_text(const Json& object, const std::string& key, const char* pattern) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "-";
  return format(pattern, object[key].get<double>()) + " (" +
         format(pattern, object[key + "_min"].get<double>()) + " to " +
         format(pattern, object[key + "_max"].get<double>()) + ")";
}

}  // namespace runahead::apps
