#include "apps/runahead/reproduce_report.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

namespace runahead::apps {
namespace {

using reproduce::Claim;
using reproduce::Expectation;
using reproduce::Verdict;

constexpr std::int64_t kReproduceSchemaVersion = 2;
constexpr int kDeviceWidth = 6;

bool is_asked(const Verdict& verdict) { return verdict.expected != Expectation::kNotAsked; }

Json json_of(const ReproducedRun& run) {
  return {{"run", run.name},        {"device", run.device},
          {"process", run.process}, {"attempt", run.attempt},
          {"id", run.id},           {"status", std::string(record::name_of(run.status))}};
}

Json json_of(const std::vector<reproduce::Finding>& attempts) {
  Json document = Json::array();
  for (const reproduce::Finding& attempt : attempts) {
    document.push_back({{"holds", or_null(attempt.holds)}, {"measured", attempt.measured}});
  }
  return document;
}

/// The measurement, with the number of agreeing attempts if there are several.
std::string measured_text(const Verdict& verdict) {
  const std::vector<reproduce::Finding>& attempts = verdict.attempts;
  if (attempts.size() < 2) return verdict.finding.measured;
  const auto agreeing = std::ranges::count_if(
      attempts, [&](const auto& attempt) { return attempt.holds == verdict.finding.holds; });
  return verdict.finding.measured + " (in " + std::to_string(agreeing) + " of " +
         std::to_string(attempts.size()) + " attempts)";
}

Json json_of(const std::string& document, const Verdict& verdict) {
  const Claim& claim = *verdict.claim;
  return {{"document", document},
          {"id", claim.id},
          {"experiment", claim.experiment},
          {"claim", claim.text},
          {"condition", claim.condition},
          {"device", verdict.device},
          {"expected", name_of(verdict.expected)},
          {"holds", or_null(verdict.finding.holds)},
          {"met", is_asked(verdict) ? Json(verdict.is_met) : Json(nullptr)},
          {"measured", measured_text(verdict)},
          {"values", verdict.finding.values},
          {"runs", verdict.finding.runs},
          {"attempts", json_of(verdict.attempts)},
          {"depends_on", claim.depends_on}};
}

bool is_measured(const Verdict& verdict) { return verdict.finding.holds.has_value(); }

/// "holds, as expected: …". If it was not measured, the finding says so.
std::string outcome_of(const Verdict& verdict) {
  if (!is_measured(verdict)) return measured_text(verdict);
  const std::string found = *verdict.finding.holds ? "holds" : "fails";
  return found + (verdict.is_met ? ", as expected: " : ", NOT AS EXPECTED: ") +
         measured_text(verdict);
}

std::string mark_of(bool is_met, bool is_coloured) {
  const std::string mark = is_met ? "✓" : "✗";
  if (!is_coloured) return mark;
  return (is_met ? "\033[32m" : "\033[31m") + mark + "\033[0m";
}

using VerdictsOfClaims = std::vector<std::vector<const Verdict*>>;

/// The verdicts that are asked, grouped by claim, in the order of the documents.
VerdictsOfClaims by_claim(const ReproduceReport& report) {
  VerdictsOfClaims claims;
  for (const DocumentVerdicts& document : report.documents) {
    std::map<const Claim*, std::vector<const Verdict*>> found;  // Claims of a document: one array.
    for (const Verdict& verdict : document.verdicts) {
      if (is_asked(verdict)) found[verdict.claim].push_back(&verdict);
    }
    for (auto& [claim, verdicts] : found) claims.push_back(std::move(verdicts));
  }
  return claims;
}

void write_claim(std::ostringstream& text, const std::vector<const Verdict*>& verdicts,
                 bool is_coloured) {
  const Claim& claim = *verdicts.front()->claim;
  text << '\n' << claim.text << " [" << claim.id << "]\n";
  for (const Verdict* verdict : verdicts) {
    text << "  " << mark_of(verdict->is_met, is_coloured) << ' ' << std::left
         << std::setw(kDeviceWidth) << verdict->device << outcome_of(*verdict) << '\n';
  }
  if (!claim.depends_on.empty()) text << "  " << claim.depends_on << '\n';
}

/// "✗ 54 of 59 as expected".
std::string headline(const ReproduceReport& report, bool is_coloured) {
  std::size_t asked = 0;
  std::size_t met = 0;
  std::size_t unmeasured = 0;
  for (const auto& verdicts : by_claim(report)) {
    for (const Verdict* verdict : verdicts) {
      ++asked;
      if (verdict->is_met) ++met;
      if (!is_measured(*verdict)) ++unmeasured;
    }
  }
  std::string text = mark_of(met == asked, is_coloured) + " " + std::to_string(met) + " of " +
                     std::to_string(asked) + " as expected";
  if (unmeasured > 0) text += ", " + std::to_string(unmeasured) + " not measured";
  if (report.status == "interrupted") text += ": interrupted";
  return text + "\n";
}

}  // namespace

bool all_met(const ReproduceReport& report) {
  const VerdictsOfClaims asked = by_claim(report);
  return !asked.empty() && std::ranges::all_of(asked, [](const auto& verdicts) {
    return std::ranges::all_of(verdicts, [](const Verdict* verdict) { return verdict->is_met; });
  });
}

Json reproduce_json(const ReproduceReport& report) {
  Json runs = Json::array();
  for (const ReproducedRun& run : report.runs) runs.push_back(json_of(run));
  Json claims = Json::array();
  for (const DocumentVerdicts& document : report.documents) {
    for (const Verdict& verdict : document.verdicts) {
      claims.push_back(json_of(document.name, verdict));
    }
  }
  return {{"schema_version", kReproduceSchemaVersion},
          {"status", report.status},
          {"quick", report.is_quick},
          {"devices", report.devices},
          {"all_met", all_met(report)},
          {"runs", std::move(runs)},
          {"claims", std::move(claims)}};
}

std::string reproduce_text(const ReproduceReport& report, const ReproduceTextOptions& options) {
  std::ostringstream text;
  text << headline(report, options.is_coloured);
  const bool is_interrupted = report.status == "interrupted";
  for (const bool surprises : {true, false}) {
    if (!surprises && !options.lists_all) break;
    for (const auto& verdicts : by_claim(report)) {
      const bool is_surprise = std::ranges::any_of(verdicts, [&](const Verdict* verdict) {
        return !verdict->is_met && (is_measured(*verdict) || !is_interrupted);
      });
      if (is_surprise == surprises) write_claim(text, verdicts, options.is_coloured);
    }
  }
  return text.str();
}

}  // namespace runahead::apps
