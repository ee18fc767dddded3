#pragma once

namespace runahead::device {

/// Sets the intra-op threads of the calling thread alone to `count` >= 1; at::set_num_threads would
/// change other threads too, both those running and those started later.
void set_own_intra_op_threads(int count);

}  // namespace runahead::device
