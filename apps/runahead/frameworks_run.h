#pragma once

#include <filesystem>

#include "core/config/experiment_config.h"
#include "core/record/record.h"

namespace runahead::apps {

/// Runs the seeds' programs on every framework that scripts/peers/setup made, one after another, as
/// a config of the kind `frameworks` says. Blocks: minutes, at most half an hour a framework.
/// @param documents  Folder that is made, and gets NAME.json of each framework.
/// @return Their record: ok where a framework is absent, which its document tells; failed where a
///         program of one failed or its time was up, with the reason; interrupted, with what was
///         measured, if the user asked to stop.
/// @throws Error if the folder cannot be made; UnavailableError without scripts/peers/all.
[[nodiscard]] record::Record run_frameworks(const config::ExperimentConfig& config,
                                            const std::filesystem::path& documents);

}  // namespace runahead::apps
