#pragma once

namespace runahead::record {

/// Version of this project: "0.1.0".
extern const char* const kVersion;

/// Git revision of the build, with "-dirty" if files had changed; "" if not built from a clone.
extern const char* const kGitRevision;

}  // namespace runahead::record
