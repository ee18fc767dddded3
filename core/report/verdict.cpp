#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/report/extremes.h"
#include "core/report/finding.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

constexpr const char* kNoWait = "none";

/// "a window of 2 batches", "limit off"; `unwaited` for a line without a wait.
std::string noun_of(const Line& line, const Extremes& extremes, const char* unwaited) {
  constexpr std::string_view kWith = "With ";
  const std::string phrase = extremes.phrase(line);
  if (phrase.starts_with(kWith)) return phrase.substr(kWith.size());
  return line.policy == kNoWait ? unwaited : "this run";
}

std::string subject_of(const Line& line, const Extremes& extremes) {
  return noun_of(line, extremes, "not waiting");
}

/// How a difference is worded: "cost 119 MB more memory", "saved 11 % of the time".
struct Wording {
  Compared Contrast::*figure = nullptr;
  std::optional<double> (*amount)(const Compared&) = nullptr;
  std::string (*text)(double) = nullptr;
  const char* more = "";    ///< Follows an amount after "cost".
  const char* less = "";    ///< Follows an amount after "saved".
  const char* change = "";  ///< Follows "changed", for noise and for mixed signs.
  double least = 0.0;       ///< A smaller amount is not named.
};

struct Effect {
  std::string verb{};
  std::string object{};
  std::string where{};  ///< Follows the object: which comparisons have it.
};

struct Amount {
  double value = 0.0;
  bool is_at_least = false;  ///< A bound: the amount is at least as far from 0.
};

/// @param amounts  At least one.
Effect effect_of(const std::vector<Amount>& amounts, const Wording& words) {
  const auto [least, most] = std::ranges::minmax_element(amounts, {}, &Amount::value);
  const auto text_of = [&](const Amount& amount) {
    return (amount.is_at_least ? "at least " : "") + words.text(std::abs(amount.value));
  };
  const auto range = [&](const Amount& from, const Amount& to) {
    const std::string first = text_of(from);
    const std::string last = text_of(to);
    return from.is_at_least || first == last ? first : first + " to " + last;
  };
  if (std::max(std::abs(least->value), std::abs(most->value)) < words.least) {
    return {"changed", words.change + (" by less than " + words.text(words.least))};
  }
  if (least->value >= 0.0) return {"cost", range(*least, *most) + " " + words.more};
  if (most->value <= 0.0) return {"saved", range(*most, *least) + " " + words.less};
  const bool is_open = least->is_at_least || most->is_at_least;
  return {"changed", words.change + (" by -" + words.text(-least->value)) + " to +" +
                         words.text(most->value) + (is_open ? " or more" : "")};
}

/// Which of all comparisons are meant: " at batch size 128", " in 3 of them"; "" for all.
std::string where(const std::vector<const Contrast*>& meant, std::size_t all) {
  if (meant.size() == all) return "";
  if (meant.size() > 1) return " in " + std::to_string(meant.size()) + " of them";
  const std::string& place = meant.front()->lines.place;
  return " " + (place.empty() ? "in one of them" : place);
}

/// The effect on one figure; nullopt if it is known nowhere.
std::optional<Effect> effect_on(const std::vector<Contrast>& all, const Wording& words) {
  std::vector<const Contrast*> known;
  std::vector<const Contrast*> named;
  std::vector<Amount> amounts;
  for (const Contrast& contrast : all) {
    const Compared& one = contrast.*words.figure;
    const std::optional<double> amount = words.amount(one);
    if (!amount) continue;
    known.push_back(&contrast);
    if (one.is_within_noise()) continue;
    named.push_back(&contrast);
    amounts.push_back({*amount, one.is_at_least});
  }
  if (known.empty()) return std::nullopt;
  if (named.empty()) {
    return Effect{"changed", words.change, " by no more than noise" + where(known, all.size())};
  }
  Effect effect = effect_of(amounts, words);
  effect.where = where(named, all.size());
  if (named.size() < known.size()) effect.where += " (elsewhere no more than noise)";
  return effect;
}

std::string percent_text(double share) {
  const double percent = share * 100.0;
  return formatted(percent < 9.95 && percent != std::floor(percent) ? "%.1f %%" : "%.0f %%",
                   percent);
}

std::optional<double> more_bytes(const Compared& memory) {
  return memory.has_medians() ? std::optional(memory.difference()) : std::nullopt;
}

std::optional<double> more_time(const Compared& time) {
  const std::optional<double> ratio = ratio_of_medians(time);
  return ratio ? std::optional(*ratio - 1.0) : std::nullopt;
}

/// "cost 119 MB more memory and saved 11 % of the time"; "" if neither is known.
std::string effects_text(const std::vector<Contrast>& all) {
  const auto memory = effect_on(all, {&Contrast::memory, more_bytes, format_size, "more memory",
                                      "of memory", "memory", kLeastBytes});
  const auto time = effect_on(all, {&Contrast::time, more_time, percent_text, "more time",
                                    "of the time", "the time", kAlike});
  const auto text_of = [](const Effect& one) { return one.verb + " " + one.object + one.where; };
  if (!memory || !time) return memory ? text_of(*memory) : time ? text_of(*time) : "";
  if (memory->verb != time->verb) return text_of(*memory) + " and " + text_of(*time);
  const bool is_same_place = memory->where == time->where;
  return memory->verb + " " + memory->object + (is_same_place ? "" : memory->where) + " and " +
         time->object + time->where;
}

/// The text of all comparisons if it is the same for all, else `otherwise`.
template <typename TextOf>
std::string common_text(const std::vector<Contrast>& all, const std::string& otherwise,
                        const TextOf& text_of) {
  const std::string first = text_of(all.front().lines);
  const auto is_first = [&](const Contrast& one) { return text_of(one.lines) == first; };
  return std::ranges::all_of(all, is_first) ? first : otherwise;
}

/// Names the line that ran ahead least, unless "not waiting" already implies it.
std::string against(const Extremes& extremes) {
  const bool is_plain =
      extremes.furthest->policy == kNoWait && extremes.least->policy == "every_batch";
  return is_plain ? "" : ", against " + noun_of(*extremes.least, extremes, "no wait");
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

/// Names the comparison and the folder of `line` unless they are the only ones: "at batch size
/// 128".
std::string place_of(const Line& line, const Comparison& comparison, bool is_only) {
  const std::string& source = line.main().source;
  std::string text = is_only || comparison.place.empty() ? "" : "at " + comparison.place;
  if (!source.empty()) text += (text.empty() ? "in " : " in ") + source;
  return text;
}

/// "at batch size 128, ", "in 3 comparisons, ": what the verdict is about.
std::string beginning(const std::vector<Extremes>& all, std::size_t groups) {
  if (all.size() > 1) return "in " + counted(all.size(), "comparison") + ", ";
  if (!all.front().place.empty()) return all.front().place + ", ";
  return groups == 1 ? "" : "in one of " + counted(groups, "comparison") + ", ";
}

/// "without a wait the runs ended as out_of_memory".
std::string ending_text(const Line& line, const Extremes& extremes) {
  return within(extremes.phrase(line)) + " " + ending_of(line);
}

/// The verdict on a line that has no counterpart to compare with.
std::string verdict_of_one(const Extremes& alone, const std::string& start) {
  const Line& line = *alone.furthest;
  const auto growth = median_of(line, kGrowth);
  if (!growth) return "";
  std::string endings = ending_of(line);
  for (const Line* other : alone.died) {
    if (other == &line) continue;
    endings += (endings.empty() ? "" : "; ") + ending_text(*other, alone);
  }
  return capitalised(start + subject_of(line, alone)) + " let memory grow by " +
         (is_cut_short(line) ? "at least " : "") + format_size(*growth) + ", with up to " +
         counted(count_of(*median_of(line, kBatches)), "batch", "batches") + " in flight" +
         medians_text({counted_runs(line).size()}) + (endings.empty() ? "" : "; " + endings) + ".";
}

/// "without a wait 2 of 3 runs ended as timed_out": of all lines with a run that is not ok.
std::string endings_of(const std::vector<Contrast>& all) {
  std::vector<std::string> endings;
  for (const Contrast& one : all) {
    for (const Line* line : one.lines.died) endings.push_back(ending_text(*line, one.lines));
  }
  return joined(grouped(endings, std::identity()), "; ",
                [&](const std::vector<std::string>& alike) {
                  const bool is_everywhere = alike.size() >= all.size();
                  return alike.front() +
                         (is_everywhere ? "" : " in " + std::to_string(alike.size()) + " of them");
                });
}

std::string verdict_of(const std::vector<Contrast>& all, const std::string& start) {
  const std::string effects = effects_text(all);
  const std::string endings = endings_of(all);
  if (effects.empty()) return endings.empty() ? "" : capitalised(start + endings) + ".";
  const auto subject = [](const Extremes& one) { return subject_of(*one.furthest, one); };
  std::vector<std::size_t> counts;
  for (const Contrast& one : all) {
    for (const Compared* figure : {&one.memory, &one.time}) {
      if (!figure->has_medians()) continue;
      counts.insert(counts.end(), {figure->first_count, figure->second_count});
    }
  }
  return capitalised(start + common_text(all, "running ahead", subject) + " " + effects) +
         common_text(all, "", against) + medians_text(counts) +
         (endings.empty() ? "" : "; " + endings) + ".";
}

}  // namespace

std::string verdict(std::span<const Comparison> comparisons) {
  std::vector<Extremes> different;
  std::vector<Extremes> alone;
  std::size_t groups = 0;
  for (const Comparison& comparison : comparisons) {
    std::vector<const Line*> lines = counted_lines(comparison);
    std::erase_if(lines, shares_cpus);
    for (const auto& of_sweep : grouped(lines, source_of)) {
      ++groups;
      Extremes extremes = extremes_of(of_sweep, comparison);
      extremes.place = place_of(*of_sweep.front(), comparison, comparisons.size() == 1);
      if (of_sweep.size() == 1) alone.push_back(extremes);
      if (extremes.differ()) different.push_back(extremes);
    }
  }
  if (!different.empty()) return verdict_of(contrasts_of(different), beginning(different, groups));
  if (alone.size() != 1) return "";
  return verdict_of_one(alone.front(), beginning(alone, groups));
}

}  // namespace runahead::report
