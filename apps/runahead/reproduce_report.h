#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/record/status.h"
#include "core/reproduce/claim.h"

namespace runahead::apps {

/// A run of `reproduce`, in the order of the folder's records.jsonl.
struct ReproducedRun {
  std::string name{};
  std::string device{};
  std::int64_t process = 0;
  std::int64_t attempt = 0;
  std::string id{};  ///< Id of the record.
  record::Status status = record::Status::kOk;
};

/// The verdicts on a document's claims.
struct DocumentVerdicts {
  std::string name{};
  std::vector<reproduce::Verdict> verdicts{};  ///< Device by device.
};

struct ReproduceReport {
  std::string status = "ok";  ///< Or "interrupted".
  bool is_quick = false;
  std::vector<std::string> devices{};
  std::vector<ReproducedRun> runs{};
  std::vector<DocumentVerdicts> documents{};
};

/// Whether claims were judged, and each was found as expected.
[[nodiscard]] bool all_met(const ReproduceReport& report);

/// `reproduce.json`: {schema_version, status, quick, devices, all_met, runs, claims}.
/// A run: {run, device, process, attempt, id, status}. A claim, once per device: {document, id,
/// experiment, claim, condition, device, expected ("holds", "fails", "not asked"), holds (null: not
/// measured), met (null: not asked), measured (in words), values, runs, attempts ([{holds,
/// measured}], one per measurement), depends_on}.
[[nodiscard]] Json reproduce_json(const ReproduceReport& report);

struct ReproduceTextOptions {
  bool is_coloured = false;
  bool lists_all = false;  ///< Also list claims found as expected, if no page shows them.
};

/// The number of verdicts that are as expected, then each claim that is not, with the finding and
/// its figures on each device. Claims that an interrupted run did not measure are only counted.
[[nodiscard]] std::string reproduce_text(const ReproduceReport& report,
                                         const ReproduceTextOptions& options = {});

}  // namespace runahead::apps
