#include "core/array_files/array_names.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/array_files/file_bytes.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace runahead::array_files {
namespace {

/// As many names as fit in a message; if there are very many, only the first are compared.
std::string nearest_first(const std::vector<std::string>& names, const std::string& name) {
  constexpr std::size_t kMostCompared = 1000;
  constexpr std::size_t kMostListed = 20;
  std::vector<std::pair<std::size_t, const std::string*>> sorted;
  for (std::size_t index = 0; index < std::min(names.size(), kMostCompared); ++index) {
    sorted.emplace_back(name.empty() ? 0 : edit_distance(name, names[index]), &names[index]);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  const std::string list = joined(std::span(sorted).first(std::min(sorted.size(), kMostListed)),
                                  ", ", [](const auto& entry) { return in_quotes(*entry.second); });
  if (names.size() <= kMostListed) return list;
  return list + " and " + format_count(static_cast<double>(names.size() - kMostListed)) + " more";
}

}  // namespace

std::size_t chosen_array(const std::vector<std::string>& names, const std::string& name,
                         const std::string& source) {
  if (name.empty() && names.size() == 1) return 0;
  const auto found = std::find(names.begin(), names.end(), name);
  if (name.empty() || found == names.end()) {
    throw ConfigError(source + ": found " +
                      (name.empty() ? "no name of one of its " + counted(names.size(), "array")
                                    : "the name " + in_quotes(name)) +
                      "; allowed: " + nearest_first(names, name));
  }
  if (std::find(found + 1, names.end(), name) != names.end()) {
    throw ConfigError(source + ": found several arrays of the name " + in_quotes(name) +
                      "; allowed: one");
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace runahead::array_files
