#include "apps/cell/figures_table.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "core/base/text.h"
#include "core/record/figures.h"

namespace runahead::cell {
namespace {

constexpr int kKeyWidth = 30;
constexpr std::size_t kLongestList = 8;
constexpr std::size_t kMostObjects = 32;  ///< In a list; only the last ones are shown.
constexpr std::array<std::string_view, 2> kPictures{"dot", "svg"};

/// A number in the unit of its key.
std::string number_text(const std::string& key, const Json& value) {
  return record::text_of(record::unit_of_key(key), value.get<double>());
}

std::string spread_text(const std::string& key, const Json& spread) {
  return number_text(key, spread["median"]) + " (" + number_text(key, spread["min"]) + " to " +
         number_text(key, spread["max"]) + ", " + spread["count"].dump() + " repeats)";
}

void add_line(std::ostringstream& table, const std::string& key, const std::string& value) {
  table << "  " << std::left << std::setw(kKeyWidth) << key << " " << value << '\n';
}

void add_text(std::ostringstream& table, const std::string& key, const std::string& text) {
  if (text.find('\n') == std::string::npos) return add_line(table, key, text);
  table << "  " << key << '\n';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) table << "    " << line << '\n';
}

bool is_of_objects(const Json& list) { return !list.empty() && list[0].is_object(); }

void add(std::ostringstream& table, const std::string& key, const Json& value);

void add_list(std::ostringstream& table, const std::string& key, const Json& list) {
  if (is_of_objects(list)) {
    const std::size_t first = list.size() > kMostObjects ? list.size() - kMostObjects : 0;
    for (std::size_t i = first; i < list.size(); ++i) {
      add(table, key + "[" + std::to_string(i) + "]", list[i]);
    }
  } else if (list.size() <= kLongestList) {
    const auto text_of = [&](const Json& part) {
      return part.is_number() ? number_text(key, part) : part.dump();
    };
    add_line(table, key, joined(list, ", ", text_of));
  }
}

void add(std::ostringstream& table, const std::string& key, const Json& value) {
  if (value.is_number()) return add_line(table, key, number_text(key, value));
  if (value.is_boolean()) return add_line(table, key, value.get<bool>() ? "yes" : "no");
  if (value.is_string()) return add_text(table, key, value.get<std::string>());
  if (value.is_array()) return add_list(table, key, value);
  if (!value.is_object()) return;
  if (value.contains("median")) return add_line(table, key, spread_text(key, value));
  for (const auto& [name, part] : value.items()) add(table, key + "." + name, part);
}

bool is_picture(const std::string& key) {
  return std::ranges::find(kPictures, key) != kPictures.end();
}

}  // namespace

std::string figures_table(const record::Record& record) {
  const auto results = record.results.find(record.experiment);
  if (results == record.results.end() || !results->is_object()) return "";
  std::ostringstream table;
  for (const auto& [key, value] : results->items()) {
    if (!is_picture(key)) add(table, key, value);
  }
  return table.str();
}

}  // namespace runahead::cell
