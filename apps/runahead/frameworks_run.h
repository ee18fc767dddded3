#pragma once

#include <filesystem>
#include <string>

#include "core/config/experiment_config.h"
#include "core/record/record.h"

namespace runahead::apps {

/// Runs the seeds' programs on every framework that scripts/peers/setup made, one after another, as
/// a config of the kind `frameworks` says. Blocks: minutes to half an hour a framework.
/// @param documents  Folder that is made, and gets NAME.json of each framework.
/// @return Their record: ok where a framework is absent, which its document tells; failed where a
///         program of one failed; interrupted, with what was measured, if the user asked to stop.
/// @throws Error if the folder cannot be made.
[[nodiscard]] record::Record run_frameworks(const config::ExperimentConfig& config,
                                            const std::filesystem::path& documents);

/// The medians of such a record: a row a figure, a column a framework, "-" where it has none; then
/// who has none at all, and why.
[[nodiscard]] std::string frameworks_text(const record::Record& record);

}  // namespace runahead::apps
