#pragma once

#include "core/base/error.h"

namespace runahead::apps {

/// Opens the standard streams that are closed, so that no other file gets their numbers and with
/// them what is meant for a stream. A write to stdout still fails. Call it before any file is
/// opened.
void open_closed_streams();

/// Flushes stdout and reports if a write to it has failed, so that output is never lost silently.
/// @return kFailed instead of kOk if one has; else `code`.
[[nodiscard]] ExitCode with_stdout_checked(ExitCode code);

}  // namespace runahead::apps
