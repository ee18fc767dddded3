#pragma once

#include "core/base/scratch_folder.h"

namespace runahead::test {

using TemporaryFolder = ScratchFolder;

}  // namespace runahead::test
