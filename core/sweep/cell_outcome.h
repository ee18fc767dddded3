#pragma once

#include <filesystem>

#include "core/record/record.h"
#include "core/sweep/child_process.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// The record of a run, from how its child ended and what it wrote to `folder`.
///
/// | child | status |
/// |---|---|
/// | asked to stop | timed_out, out_of_memory or interrupted, whatever it wrote |
/// | ended by SIGINT, SIGTERM or SIGHUP of another program | interrupted |
/// | ended by another signal | crashed |
/// | exit 0 with a record | the record's |
/// | another exit code with a record | the record's, but never ok |
/// | exit 1 or 2 without a record | failed, with the last line of its stderr |
/// | exit 3 without a record | skipped: something it needs is missing |
/// | exit 130 without a record | interrupted |
/// | anything else | crashed |
///
/// Figures that the child measured and wrote are kept in every case. The caller fills in how it was
/// run (Record::cell).
[[nodiscard]] record::Record outcome_of(const Cell& cell, std::int64_t repeat,
                                        const std::filesystem::path& folder, const ChildEnd& end,
                                        const ChildLimits& limits);

/// Whether something other than the run or its limits ended it: SIGKILL, or a request to stop that
/// this process did not make. That says nothing about the cell, so the run deserves another try.
[[nodiscard]] bool was_ended_from_outside(const ChildEnd& end);

/// Whether a run failed because a disk was full, which says nothing about the cell.
[[nodiscard]] bool lacked_disk_space(const record::Record& record);

}  // namespace runahead::sweep
