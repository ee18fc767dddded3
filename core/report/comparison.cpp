#include "core/report/comparison.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

/// Values of axes below these pointers become lines of one chart. Each other value gets its own.
constexpr std::array<std::string_view, 2> kLinePointers{"/sync/", "/acpu/limit/"};
constexpr std::size_t kLongestSlug = 80;

using Runs = std::vector<const Run*>;

bool is_line_pointer(const std::string& pointer) {
  return std::ranges::any_of(
      kLinePointers, [&](std::string_view line) { return (pointer + '/').starts_with(line); });
}

/// The axes that distinguish lines (or, if not `of_lines`, charts), in the order of their keys.
Json axes_of(const Run& run, bool of_lines) {
  Json axes = Json::object();
  for (const auto& [pointer, value] : run.axes().items()) {
    if (is_line_pointer(pointer) == of_lines) axes[pointer] = value;
  }
  return axes;
}

std::string chart_key(const Run* run, bool are_two_sweeps) {
  if (run->is_single() && !run->source.empty()) return "";
  const Json axes = axes_of(*run, false);
  if (are_two_sweeps) return canonical(axes);
  Json config = run->object("/config");
  config.erase("sync");
  if (config.contains("acpu") && config["acpu"].is_object()) config["acpu"].erase("limit");
  return canonical(Json::array({config, axes}));
}

std::string line_key(const Run* run) {
  return canonical(Json::array(
      {run->source, run->at("/config/sync"), run->at("/config/acpu/limit"), axes_of(*run, true)}));
}

/// Moves the run with the median total time among those that are ok to the front.
Runs by_median_total(Runs runs) {
  Runs complete;
  std::ranges::copy_if(runs, std::back_inserter(complete), [](const Run* run) {
    return run->is_ok() && run->number("/time/total_seconds");
  });
  if (complete.empty()) return runs;
  std::ranges::stable_sort(complete, [](const Run* left, const Run* right) {
    return left->number("/time/total_seconds") < right->number("/time/total_seconds");
  });
  const Run* median = complete[(complete.size() - 1) / 2];
  const auto place = std::ranges::find(runs, median);
  std::rotate(runs.begin(), place, place + 1);
  return runs;
}

std::vector<Line> lines_of(const Runs& runs) {
  std::vector<Line> lines;
  std::map<std::string, std::size_t> count_of_name;
  const std::vector<Runs> groups = grouped(runs, line_key);
  const auto name_of = [](const Run& run) { return sync_label(run.object("/config/sync")); };
  for (const Runs& group : groups) {
    ++count_of_name[with_source(name_of(*group.front()), group.front()->source)];
  }
  for (const Runs& group : groups) {
    const Run& run = *group.front();
    std::string name = name_of(run);
    if (name.empty() || count_of_name[with_source(name, run.source)] > 1) {
      const std::string axes = axes_label(axes_of(run, true));
      name += (name.empty() || axes.empty() ? "" : ", ") + axes;
    }
    if (name.empty()) name = "run";
    lines.push_back({.label = with_source(name, run.source),
                     .name = name,
                     .policy = run.text("/config/sync/policy"),
                     .runs = by_median_total(group)});
  }
  return lines;
}

std::string title_of(const std::vector<Line>& lines, const std::string& experiment) {
  std::set<std::string> policies;
  for (const Line& line : lines) policies.insert(line.policy);
  if (policies == std::set<std::string>{""}) return "Memory growth and backlog";
  const bool is_pair = policies == std::set<std::string>{"every_batch", "none"};
  return std::string("Memory growth and backlog") +
         (experiment == "train"     ? " while training"
          : experiment == "predict" ? " while predicting"
                                    : "") +
         (is_pair ? ", sync against async" : ", by sync policy");
}

/// The setting, plus the axes that it does not show.
std::string setting_of(const Run& run) {
  const Json& config = run.object("/config");
  std::string subtitle = setting_label(config);
  const Json axes = axes_of(run, false);
  for (const auto& [pointer, value] : axes.items()) {
    if (setting_shows(config, pointer)) continue;
    subtitle += (subtitle.empty() ? "" : " · ") + axis_label(pointer, value);
  }
  return subtitle;
}

/// The distinct settings of all lines.
std::string subtitle_of(const std::vector<Line>& lines) {
  std::vector<std::string> settings;
  for (const Line& line : lines) settings.push_back(setting_of(line.main()));
  return joined(grouped(settings, std::identity()), " / ",
                [](const std::vector<std::string>& alike) { return alike.front(); });
}

bool is_slug_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_' || character == '.';
}

std::string slug_of(const Json& axes, std::set<std::string>& taken) {
  std::string base = "memory";
  const std::string words = axes_label(axes);
  for (const char character : words.empty() ? words : " " + words) {
    if (is_slug_character(character)) {
      base += character;
    } else if (base.back() != '-') {
      base += '-';
    }
  }
  base = base.substr(0, base.find_last_not_of("-.") + 1).substr(0, kLongestSlug);
  std::string slug = base;
  for (int number = 2; !taken.insert(slug).second; ++number) {
    slug = base + "-" + std::to_string(number);
  }
  return slug;
}

}  // namespace

std::string Line::repeat_text() const {
  return "repeat " + format_count(main().number("/repeat").value_or(0.0));
}

std::string Line::main_label() const {
  return runs.size() < 2 ? label : label + ", " + repeat_text();
}

std::vector<Comparison> compare(const std::vector<Run>& runs, bool are_two_sweeps) {
  std::vector<Comparison> comparisons;
  const std::vector<Runs> charts =
      grouped(pointers_to(runs), [&](const Run* run) { return chart_key(run, are_two_sweeps); });
  std::set<std::string> taken;
  for (const Runs& members : charts) {
    const Run& first = *members.front();
    std::vector<Line> lines = lines_of(members);
    const Json axes = charts.size() == 1 ? Json::object() : axes_of(first, false);
    comparisons.push_back({.title = title_of(lines, first.text("/config/experiment")),
                           .subtitle = subtitle_of(lines),
                           .place = spaced(axes_label(axes)),
                           .slug = slug_of(axes, taken),
                           .lines = std::move(lines)});
  }
  return comparisons;
}

std::vector<std::vector<const Run*>> repeats_of(const std::vector<Run>& runs) {
  return grouped(pointers_to(runs), [](const Run* run) {
    const Json& key = run->axes().empty() ? run->object("/config") : run->axes();
    return canonical(Json::array({run->source, key}));
  });
}

}  // namespace runahead::report
