#include "apps/runahead/reproduce_report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace runahead::apps {
namespace {

using reproduce::Claim;
using reproduce::Expectation;
using reproduce::Verdict;

constexpr std::int64_t kSchemaVersion = 2;
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

/// What was measured, and in how many attempts if there are several.
std::string measured_text(const Verdict& verdict) {
  const std::vector<reproduce::Finding>& attempts = verdict.attempts;
  if (attempts.size() < 2) return verdict.finding.measured;
  const auto agreeing = std::count_if(attempts.begin(), attempts.end(), [&](const auto& attempt) {
    return attempt.holds == verdict.finding.holds;
  });
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

/// "holds, as expected" and the like.
std::string outcome_of(const Verdict& verdict) {
  if (!verdict.finding.holds) return "NOT MEASURED";
  const std::string found = *verdict.finding.holds ? "holds" : "fails";
  return verdict.is_met ? found + ", as expected" : found + ", NOT AS EXPECTED";
}

void write_claim(std::ostringstream& text, const Claim& claim,
                 const std::vector<Verdict>& verdicts) {
  text << "  " << claim.text << "\n    tested: " << claim.condition << '\n';
  for (const Verdict& verdict : verdicts) {
    if (verdict.claim != &claim || !is_asked(verdict)) continue;
    text << "    " << std::left << std::setw(kDeviceWidth) << verdict.device << outcome_of(verdict)
         << ": " << measured_text(verdict) << '\n';
  }
  if (!claim.depends_on.empty()) text << "    " << claim.depends_on << '\n';
}

std::vector<const Claim*> claims_of(const std::vector<Verdict>& verdicts) {
  std::vector<const Claim*> claims;
  for (const Verdict& verdict : verdicts) {
    if (std::find(claims.begin(), claims.end(), verdict.claim) == claims.end()) {
      claims.push_back(verdict.claim);
    }
  }
  std::sort(claims.begin(), claims.end());  // The order of their document, which is one array.
  return claims;
}

void write_summary(std::ostringstream& text, const ReproduceReport& report) {
  std::size_t verdicts = 0;
  std::vector<std::string> unmet;
  for (const DocumentVerdicts& document : report.documents) {
    for (const Verdict& verdict : document.verdicts) {
      if (is_asked(verdict)) ++verdicts;
      if (!verdict.is_met) unmet.push_back(verdict.claim->id + " on " + verdict.device);
    }
  }
  text << '\n' << verdicts - unmet.size() << " of " << verdicts << " as expected";
  for (std::size_t i = 0; i < unmet.size(); ++i) text << (i == 0 ? "; not: " : ", ") << unmet[i];
  text << '\n';
}

}  // namespace

bool all_met(const ReproduceReport& report) {
  return std::all_of(report.documents.begin(), report.documents.end(), [](const auto& document) {
    return std::all_of(document.verdicts.begin(), document.verdicts.end(),
                       [](const Verdict& verdict) { return verdict.is_met; });
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
  return {{"schema_version", kSchemaVersion}, {"status", report.status},
          {"quick", report.is_quick},         {"devices", report.devices},
          {"all_met", all_met(report)},       {"runs", std::move(runs)},
          {"claims", std::move(claims)}};
}

std::string reproduce_text(const ReproduceReport& report) {
  std::ostringstream text;
  for (const DocumentVerdicts& document : report.documents) {
    text << document.name << '\n';
    for (const Claim* claim : claims_of(document.verdicts)) {
      write_claim(text, *claim, document.verdicts);
    }
  }
  write_summary(text, report);
  return text.str();
}

}  // namespace runahead::apps
