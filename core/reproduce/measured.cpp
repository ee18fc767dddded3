#include "core/reproduce/measured.h"

#include <algorithm>

#include "core/record/status.h"

namespace runahead::reproduce {
namespace {

/// The spread recorded by a program that repeats its own measurements; nullopt for anything else.
std::optional<Spread> recorded_spread(const Json& spread) {
  for (const char* key : {"median", "min", "max", "count"}) {
    if (!spread.contains(key) || !spread[key].is_number()) return std::nullopt;
  }
  return Spread{.median = spread["median"],
                .min = spread["min"],
                .max = spread["max"],
                .count = spread["count"]};
}

/// The values as numbers; empty if one of them is not a number.
std::vector<double> numbers_of(const std::vector<Json>& values) {
  std::vector<double> numbers;
  for (const Json& value : values) {
    if (!value.is_number()) return {};
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

}  // namespace

void Measured::add(const std::string& run, record::Record record) {
  runs_[run].push_back(std::move(record));
}

std::vector<Json> Measured::values(const std::string& run, const std::string& pointer) const {
  asked_.insert(run);
  const auto found = runs_.find(run);
  if (found == runs_.end()) return {};
  const Json::json_pointer place(pointer);
  std::vector<Json> values;
  for (const record::Record& record : found->second) {
    if (record.status != record::Status::kOk) return {};
    const Json document = record::to_json(record);
    if (!document.contains(place) || document.at(place).is_null()) return {};
    values.push_back(document.at(place));
  }
  return values;
}

std::optional<Spread> Measured::figure(const std::string& run, const std::string& pointer) const {
  const std::vector<Json> found = values(run, pointer);
  if (found.size() == 1 && found.front().is_object()) return recorded_spread(found.front());
  return spread_of(numbers_of(found));
}

std::vector<double> Measured::figures(const std::string& run, const std::string& pointer) const {
  return numbers_of(values(run, pointer));
}

std::optional<bool> Measured::fact(const std::string& run, const std::string& pointer) const {
  const std::vector<Json> found = values(run, pointer);
  if (found.empty()) return std::nullopt;
  return std::ranges::all_of(found, [](const Json& value) { return value == true; });
}

Json Measured::value(const std::string& run, const std::string& pointer) const {
  const std::vector<Json> found = values(run, pointer);
  return found.empty() ? Json(nullptr) : found.back();
}

std::string Measured::reason(const std::string& run) const {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return "the run '" + run + "' was not made";
  for (const record::Record& record : found->second) {
    if (record.status == record::Status::kOk) continue;
    return "the run '" + run + "' is " + std::string(record::name_of(record.status)) + ": " +
           record.error.value_or("no reason is known");
  }
  return "the run '" + run + "' did not measure it";
}

}  // namespace runahead::reproduce
