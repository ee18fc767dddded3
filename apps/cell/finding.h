#pragma once

#include <string>

#include "core/record/record.h"

namespace runahead::cell {

/// What a run's numbers say, in a sentence: "Without a wait the front end finished issuing after
/// 0.262 s; 97 batches were in flight; their inputs held 204 MB." Parts that were not measured are
/// left out. Empty for an experiment that counts no batches in flight.
///
/// The same words as on the report's page (scripts/report/findings.py): tests/data/findings.json
/// holds both to it.
[[nodiscard]] std::string finding(const record::Record& record);

}  // namespace runahead::cell
