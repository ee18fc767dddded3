#include "core/report/origin.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/grouped.h"
#include "core/base/number_text.h"

namespace runahead::report {
namespace {

template <typename TextOf>
std::vector<std::string> texts_of(const std::vector<Run>& runs, const TextOf& text_of) {
  std::vector<std::string> texts;
  for (const Run& run : runs) {
    if (std::string text = text_of(run); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

/// The first text, and the number of other distinct texts.
std::string first_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  const std::size_t others = grouped(texts, std::identity()).size() - 1;
  return texts.front() + (others == 0 ? "" : " and " + counted(others, "other"));
}

/// "2026-11-24 20:18 UTC" for "2026-11-24T20:18:23Z"; any other text unchanged.
std::string minute_of(const std::string& time) {
  constexpr std::size_t kTime = 10;     // End of the date.
  constexpr std::size_t kSeconds = 16;  // End of the minutes.
  if (time.size() <= kSeconds || time[kTime] != 'T' || time.back() != 'Z') return time;
  return time.substr(0, kTime) + " " + time.substr(kTime + 1, kSeconds - kTime - 1) + " UTC";
}

/// The period from the earliest to the latest time. Such texts sort by time.
std::string period_of(const std::vector<std::string>& times) {
  if (times.empty()) return "";
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  const std::string from = minute_of(*first);
  const std::string to = minute_of(*last);
  return from == to ? from : from + " to " + to;
}

}  // namespace

std::string version_of(const Run& run) {
  const std::string number = run.text("/environment/runahead");
  return number.empty() ? "" : number + " (" + run.text("/environment/git") + ")";
}

std::vector<Fact> origin_of(const std::vector<Run>& runs) {
  const auto at = [](const char* pointer) {
    return [pointer](const Run& run) { return run.text(pointer); };
  };
  std::vector<Fact> facts{{"date", period_of(texts_of(runs, at("/ended_at")))},
                          {"host", first_of(texts_of(runs, at("/environment/host")))},
                          {"command", first_of(texts_of(runs, at("/command")))},
                          {"runahead", first_of(texts_of(runs, version_of))}};
  std::erase_if(facts, [](const Fact& fact) { return fact.text.empty(); });
  return facts;
}

}  // namespace runahead::report
