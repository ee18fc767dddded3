#include "core/device/layouts/layout_table.h"

namespace runahead::device {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x9E3779B97F4A7C15ULL;
    value_ ^= value_ >> 32;
  }
  void add(c10::IntArrayRef words) noexcept {
    for (const std::int64_t word : words) add(static_cast<std::uint64_t>(word));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

// A contiguous layout is found by its sizes alone: `strides` are empty for it.
std::uint64_t hash_of(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                      at::ScalarType dtype) noexcept {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(dtype) << 32 | sizes.size());
  hash.add(sizes);
  hash.add(strides);
  return hash.value();
}

}  // namespace

LayoutTable::LayoutTable() : slots_(std::make_unique<std::array<Slot, kSlots>>()) {}

LayoutTable::~LayoutTable() {
  for (const Slot& slot : *slots_) delete slot.load(std::memory_order_relaxed);
}

template <typename IsSame, typename Make>
const TensorLayout* LayoutTable::find(std::uint64_t hash, IsSame&& is_same, Make&& make) {
  std::unique_ptr<const TensorLayout> added;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    Slot& slot = (*slots_)[(hash + place) % kSlots];
    const TensorLayout* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      if (added == nullptr) added = std::make_unique<const TensorLayout>(make());
      if (slot.compare_exchange_strong(known, added.get(), std::memory_order_acq_rel)) {
        return added.release();
      }
    }
    if (is_same(*known)) return known;
  }
  return nullptr;
}

const TensorLayout* LayoutTable::find(const at::Tensor& tensor) {
  if (tensor.storage_offset() != 0) return nullptr;
  return find(
      hash_of(tensor.sizes(), tensor.is_contiguous() ? c10::IntArrayRef() : tensor.strides(),
              tensor.scalar_type()),
      [&](const TensorLayout& known) { return known.describes(tensor); },
      [&] { return TensorLayout::of(tensor); });
}

const TensorLayout* LayoutTable::find_contiguous(c10::IntArrayRef sizes, at::ScalarType dtype) {
  return find(
      hash_of(sizes, {}, dtype),
      [&](const TensorLayout& known) { return known.is_contiguous_of(sizes, dtype); },
      [&] { return TensorLayout::contiguous(sizes, dtype); });
}

template <typename Make>
LayoutReference LayoutReference::make(const TensorLayout* known, Make&& make_own) {
  LayoutReference reference;
  reference.address_ = known != nullptr
                           ? reinterpret_cast<std::uintptr_t>(known)
                           : reinterpret_cast<std::uintptr_t>(new TensorLayout(make_own())) | kOwn;
  return reference;
}

LayoutReference LayoutReference::of(LayoutTable& table, const at::Tensor& tensor) {
  return make(table.find(tensor), [&] { return TensorLayout::of(tensor); });
}

LayoutReference LayoutReference::of_known(const TensorLayout& known) noexcept {
  LayoutReference reference;
  reference.address_ = reinterpret_cast<std::uintptr_t>(&known);
  return reference;
}

LayoutReference LayoutReference::contiguous(LayoutTable& table, c10::IntArrayRef sizes,
                                            at::ScalarType dtype) {
  return make(table.find_contiguous(sizes, dtype),
              [&] { return TensorLayout::contiguous(sizes, dtype); });
}

}  // namespace runahead::device
