#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers, for the dispatch key AutocastPrivateUse1, every operator that autocast treats in a
/// special way on the CPU, so that `torch.autocast("acpu")` casts the same arguments to the same
/// types as `torch.autocast("cpu")`. All other operators run as they are.
void register_autocast(torch::Library& library);

}  // namespace runahead::device
