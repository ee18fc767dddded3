#include "apps/runahead/frameworks_table.h"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "apps/runahead/text_table.h"
#include "core/base/json.h"

namespace runahead::apps {
namespace {

/// "dispatch, default, copy_seconds" and its median, in the order of a framework's document.
using Medians = std::vector<std::pair<std::string, double>>;

/// Null where there is none.
Json member(const Json& object, const std::string& key) {
  return object.is_object() ? object.value(key, Json()) : Json();
}

Medians medians_of(const Json& document) {
  Medians medians;
  const Json programs = member(document, "programs");
  for (const auto& [program, content] : programs.items()) {
    const Json cases = member(content, "cases");
    for (const auto& [name, result] : cases.items()) {
      const Json figures = member(result, "figures");
      for (const auto& [figure, spread] : figures.items()) {
        const Json median = member(spread, "median");
        if (!median.is_number()) continue;
        medians.emplace_back(program + ", " + name + ", " + figure, median.get<double>());
      }
    }
  }
  return medians;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string reason_of(const Json& document) {
  const Json reason = member(document, "reason");
  return reason.is_string() ? reason.get<std::string>() : "it gives no reason";
}

/// A row for each of `figures`, a column for each framework of `columns`.
std::string table_of(const std::vector<std::string>& figures,
                     const std::map<std::string, std::map<std::string, std::string>>& columns) {
  std::vector<TextTable::Column> headings{{"program, case, figure", TextTable::Align::kLeft}};
  for (const auto& [name, medians] : columns) headings.push_back({name});
  TextTable table(headings);
  for (const std::string& figure : figures) {
    std::vector<std::string> cells{figure};
    for (const auto& [name, medians] : columns) {
      const auto found = medians.find(figure);
      cells.push_back(found == medians.end() ? "-" : found->second);
    }
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

}  // namespace

std::string frameworks_table(const record::Record& record) {
  std::vector<std::string> figures;
  std::map<std::string, std::map<std::string, std::string>> columns;
  std::map<std::string, bool> is_listed;
  std::string without;
  const Json peers = member(member(record.results, record.experiment), "peers");
  for (const auto& [name, document] : peers.items()) {
    const Medians medians = medians_of(document);
    if (medians.empty()) without += name + " has no figures: " + reason_of(document) + "\n";
    for (const auto& [figure, median] : medians) {
      columns[name][figure] = text_of(median);
      if (!std::exchange(is_listed[figure], true)) figures.push_back(figure);
    }
  }
  return (figures.empty() ? "" : table_of(figures, columns)) + without;
}

}  // namespace runahead::apps
