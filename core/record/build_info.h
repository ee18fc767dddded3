#pragma once

namespace runahead::record {

/// Version of this project: "0.1.0".
extern const char* const kVersion;

/// Git revision that was built, "-dirty" if files had changed; "" if it was not built from a clone.
extern const char* const kGitRevision;

}  // namespace runahead::record
