#pragma once

namespace runahead::python {

/// Has this module's functions raise ValueError for what a caller got wrong, torch.OutOfMemoryError
/// for memory that could not be had, in an operation too, and RuntimeError for everything else.
void register_exceptions();

}  // namespace runahead::python
