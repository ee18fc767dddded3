#include "core/device/storage/commitment.h"

#include "core/device/runtime.h"

namespace runahead::device {

Commitment::Commitment(Runtime& runtime, std::uint64_t bytes) : runtime_(runtime), bytes_(bytes) {
  if (bytes != 0) runtime.engine()->admit(bytes);
}

Commitment::~Commitment() { give_back(bytes_); }

void Commitment::resize(std::uint64_t bytes) {
  if (bytes > bytes_) runtime_.engine()->admit(bytes - bytes_);
  if (bytes < bytes_) give_back(bytes_ - bytes);
  bytes_ = bytes;
}

void Commitment::give_back(std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  runtime_.ledger.foresee_free(bytes, 0);
  runtime_.ledger.free(bytes);
}

}  // namespace runahead::device
