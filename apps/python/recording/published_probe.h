#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory/probe.h"

namespace runahead::python {

/// The values that the program published last. Thread-safe.
class Published {
 public:
  explicit Published(std::size_t count) : values_(count) {}

  void set(std::size_t place, std::uint64_t value) noexcept {
    values_[place].store(value, std::memory_order_relaxed);
    is_set_.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// nullopt before anything was published.
  [[nodiscard]] memory::Reading get(std::size_t place) const noexcept;

 private:
  std::vector<std::atomic<std::uint64_t>> values_;
  std::atomic<bool> is_set_{false};
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
