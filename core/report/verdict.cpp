#include "core/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/report/extremes.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

/// A smaller difference of RSS may be noise.
constexpr double kNoiseBytes = 1e6;
constexpr const char* kNoWait = "none";

/// "a window of 2 batches", "no wait".
std::string noun_of(const Run& run) {
  if (run.text("/config/sync/policy") == kNoWait) return "no wait";
  const std::string phrase = within(sync_phrase(run.object("/config/sync")));
  constexpr std::string_view kWith = "with ";
  return phrase.starts_with(kWith) ? phrase.substr(kWith.size()) : "this run";
}

std::string subject_of(const Run& run) {
  if (run.text("/config/sync/policy") == kNoWait) return "not waiting";
  return noun_of(run);
}

/// How a difference is worded: "cost 119 MB more memory", "saved 11 % of the time".
struct Wording {
  std::string (*text)(double) = nullptr;
  const char* more = "";    ///< Follows an amount after "cost".
  const char* less = "";    ///< Follows an amount after "saved".
  const char* change = "";  ///< Follows "changed", for noise and for mixed signs.
  double noise = 0.0;       ///< A smaller difference may be noise.
};

struct Effect {
  std::string verb{};
  std::string object{};
};

/// @param differences  At least one.
Effect effect_of(const std::vector<double>& differences, const Wording& words) {
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  const auto range = [&words](double from, double to) {
    const std::string first = words.text(from);
    const std::string last = words.text(to);
    return first == last ? first : first + " to " + last;
  };
  if (std::max(std::abs(*least), std::abs(*most)) < words.noise) {
    return {"changed", words.change + (" by less than " + words.text(words.noise))};
  }
  if (*least >= 0.0) return {"cost", range(*least, *most) + " " + words.more};
  if (*most <= 0.0) return {"saved", range(-*most, -*least) + " " + words.less};
  return {"changed", words.change + (" by -" + words.text(-*least)) + " to +" + words.text(*most)};
}

std::string percent_text(double share) {
  const double percent = share * 100.0;
  return formatted(percent < 9.95 && percent != std::floor(percent) ? "%.1f %%" : "%.0f %%",
                   percent);
}

/// "cost 119 MB more memory and saved 11 % of the time"; "" if neither is known.
std::string effects_text(const std::vector<Extremes>& all) {
  std::vector<double> bytes;
  std::vector<double> shares;
  for (const auto& [furthest, least] : all) {
    const auto grown = furthest->number(kGrowth);
    const auto other = least->number(kGrowth);
    if (grown && other) bytes.push_back(*grown - *other);
    if (const auto ratio = ratio_of_times(*furthest, *least)) shares.push_back(*ratio - 1.0);
  }
  std::vector<Effect> effects;
  if (!bytes.empty()) {
    effects.push_back(
        effect_of(bytes, {format_size, "more memory", "of memory", "memory", kNoiseBytes}));
  }
  if (!shares.empty()) {
    effects.push_back(
        effect_of(shares, {percent_text, "more time", "of the time", "the time", kAlike}));
  }
  std::string text;
  for (const Effect& effect : effects) {
    const bool is_same_verb = !text.empty() && effect.verb == effects.front().verb;
    text += (text.empty() ? "" : " and ") + (is_same_verb ? "" : effect.verb + " ") + effect.object;
  }
  return text;
}

/// The text of all comparisons if it is the same for all, else `otherwise`.
template <typename TextOf>
std::string common_text(const std::vector<Extremes>& all, const std::string& otherwise,
                        const TextOf& text_of) {
  const std::string first = text_of(all.front());
  const auto is_first = [&](const Extremes& one) { return text_of(one) == first; };
  return std::all_of(all.begin(), all.end(), is_first) ? first : otherwise;
}

/// Names the run that ran ahead least, unless "not waiting" already implies it.
std::string against(const Extremes& extremes) {
  const bool is_plain = extremes.furthest->text("/config/sync/policy") == kNoWait &&
                        extremes.least->text("/config/sync/policy") == "every_batch";
  return is_plain ? "" : ", against " + noun_of(*extremes.least);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

/// The verdict on a run that has no counterpart to compare with.
std::string verdict_of_one(const Run& run) {
  const auto growth = run.number(kGrowth);
  if (!growth) return "";
  std::string text = capitalised(subject_of(run)) + " let memory grow by " + format_size(*growth) +
                     ", with up to " +
                     counted(count_of(*run.number(kBatches)), "batch", "batches") + " in flight";
  return text + (run.is_ok() ? "." : "; the run ended as " + run.status() + ".");
}

}  // namespace

std::string verdict(std::span<const Comparison> comparisons) {
  std::vector<Extremes> all;
  std::vector<const Run*> single;
  for (const Comparison& comparison : comparisons) {
    std::vector<const Run*> runs = counted_runs(comparison);
    std::erase_if(runs, shares_cpus);
    for (const auto& of_sweep : grouped(runs, source_of)) {
      const Extremes extremes = extremes_of(of_sweep);
      if (extremes.differ()) all.push_back(extremes);
      if (of_sweep.size() == 1) single.push_back(extremes.furthest);
    }
  }
  if (all.empty()) return single.size() == 1 ? verdict_of_one(*single.front()) : "";
  const std::string effects = effects_text(all);
  if (effects.empty()) return "";
  const auto subject = [](const Extremes& one) { return subject_of(*one.furthest); };
  const std::string count = all.size() == 1 ? "" : "in " + counted(all.size(), "comparison") + ", ";
  return capitalised(count + common_text(all, "running ahead", subject) + " " + effects) +
         common_text(all, "", against) + ".";
}

}  // namespace runahead::report
