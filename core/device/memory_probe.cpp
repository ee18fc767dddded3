#include <algorithm>
#include <array>

#include "core/device/device.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

struct ClassColumn {
  TensorClass tensor_class;
  const char* name;
};
constexpr std::array<ClassColumn, kTensorClasses> kClasses{
    {{TensorClass::kParameters, "parameters"},
     {TensorClass::kGradients, "gradients"},
     {TensorClass::kOptimizerState, "optimizer_state"},
     {TensorClass::kActivations, "activations"},
     {TensorClass::kInputs, "inputs"},
     {TensorClass::kOther, "other_tensors"}}};

constexpr std::size_t kFirstClass = 5;
constexpr std::size_t kFirstPart = kFirstClass + kTensorClasses;
constexpr std::size_t kFirstUntouched = kFirstPart + 4;

std::vector<std::string> all_columns() {
  std::vector<std::string> columns{"live_bytes", "reserved_bytes", "promised_bytes", "held_bytes",
                                   "operations_in_flight"};
  for (const auto& [_, name] : kClasses) columns.push_back(std::string(name) + "_bytes");
  for (const char* part : {"executing", "untouched", "allocator_cache", "bookkeeping"}) {
    columns.push_back(std::string(part) + "_bytes");
  }
  for (const auto& [_, name] : kClasses) columns.push_back(std::string(name) + "_untouched_bytes");
  return columns;
}

class DeviceProbe final : public memory::Probe {
 public:
  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

  // Present values only: workers write these counters, and each that is read here costs them a
  // transfer between CPUs.
  void read(std::span<memory::Reading> readings) noexcept override {
    Runtime* const runtime = Runtime::find();
    if (runtime == nullptr) {
      std::ranges::fill(readings, std::nullopt);
      return;
    }
    const MemoryLedger& ledger = runtime->ledger;
    const std::uint64_t live = ledger.live.bytes.current();
    const std::uint64_t cached = ledger.idle.bytes.current();
    std::uint64_t untouched = 0;
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      readings[kFirstClass + i] = ledger.class_bytes(kClasses[i].tensor_class);
      const std::uint64_t of_class = ledger.untouched_bytes(kClasses[i].tensor_class);
      readings[kFirstUntouched + i] = of_class;
      untouched += of_class;
    }
    const std::array first{live, live + cached, ledger.promised.current(), ledger.held.current(),
                           runtime->engine()->in_flight()};
    std::ranges::copy(first, readings.begin());
    const std::array parts{ledger.executing_bytes(), untouched, cached,
                           runtime->bookkeeping_bytes()};
    std::ranges::copy(parts, readings.begin() + kFirstPart);
  }

 private:
  std::vector<std::string> columns_ = all_columns();
};

}  // namespace

std::unique_ptr<memory::Probe> make_memory_probe() { return std::make_unique<DeviceProbe>(); }

}  // namespace runahead::device
