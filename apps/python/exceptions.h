#pragma once

namespace runahead::python {

/// Makes this module's functions raise ValueError for mistakes of the caller,
/// torch.OutOfMemoryError for failed allocations, including those of operations, and RuntimeError
/// for everything else.
void register_exceptions();

}  // namespace runahead::python
