#pragma once

namespace runahead::device {

/// Gives the calling thread `count` >= 1 intra-op threads, and no other thread: neither those that
/// run nor those that start later, which at::set_num_threads changes too.
void set_own_intra_op_threads(int count);

}  // namespace runahead::device
