#include "core/device/streams.h"

#include <c10/util/Exception.h>

#include <utility>

namespace runahead::device {
namespace {

thread_local c10::StreamId current_id = 0;

}  // namespace

// Two threads may both find that no stream is in use. They then set the default stream twice, which
// is harmless.
c10::StreamId Streams::take(bool has_high_priority, engine::Engine& engine) {
  if (!are_in_use()) {
    engine.set_default_stream(default_stream());
    are_in_use_.store(true, std::memory_order_release);
  }
  const std::size_t pool = has_high_priority ? 1 : 0;
  const std::size_t turn = taken_[pool].fetch_add(1, std::memory_order_relaxed) % kPoolSize;
  return static_cast<c10::StreamId>(1 + pool * kPoolSize + turn);
}

bool Streams::has_high_priority(c10::StreamId id) noexcept {
  return static_cast<std::size_t>(id) > kPoolSize;
}

c10::StreamId Streams::current() const noexcept { return are_in_use() ? current_id : 0; }

c10::StreamId Streams::exchange_current(c10::StreamId id) {
  static_cast<void>(of(id));
  return std::exchange(current_id, id);
}

bool Streams::place(engine::Operation& operation) noexcept {
  if (current_id == 0) return false;
  operation.stream = &streams_[static_cast<std::size_t>(current_id)];
  if (has_high_priority(current_id)) operation.priority = 1;
  return true;
}

engine::Stream& Streams::of(c10::StreamId id) {
  TORCH_CHECK(id >= 0 && static_cast<std::size_t>(id) < streams_.size(),
              "acpu: there is no stream ", id,
              "; streams come from torch.Stream(device='acpu') or ",
              "c10::impl::VirtualGuardImpl::getStreamFromGlobalPool");
  return streams_[static_cast<std::size_t>(id)];
}

engine::Stream* Streams::named(c10::StreamId id) { return id == 0 ? nullptr : &of(id); }

}  // namespace runahead::device
