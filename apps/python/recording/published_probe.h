#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/memory/probe.h"

namespace runahead::python {

/// The values that the program published last. Thread-safe.
class Published {
 public:
  explicit Published(std::size_t count) : values_(count) {
    for (auto& value : values_) value.store(kNone);
  }

  void set(std::size_t place, memory::Reading value) noexcept {
    values_[place].store(value.value_or(kNone), std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// nullopt before anything was published.
  [[nodiscard]] memory::Reading get(std::size_t place) const noexcept;

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::atomic<std::uint64_t>> values_;
};

/// Samples published values: counters that only Python can read, since the monitor's thread must
/// not wait for Python.
class PublishedProbe final : public memory::Probe {
 public:
  /// @param columns  One for each of `values`.
  PublishedProbe(std::vector<memory::Column> columns, std::shared_ptr<const Published> values)
      : columns_(std::move(columns)), values_(std::move(values)) {}

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  std::vector<memory::Column> columns_;
  std::shared_ptr<const Published> values_;
};

}  // namespace runahead::python
