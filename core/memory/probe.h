#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runahead::memory {

/// One reading: bytes or a count; nullopt if it could not be measured.
using Reading = std::optional<std::uint64_t>;

/// One of a probe's readings, as files and charts show it.
struct Column {
  Column(const char* column_name) : Column(std::string(column_name)) {}
  Column(std::string column_name, std::string column_label = {}, int sign = 0)
      : name(std::move(column_name)), label(std::move(column_label)), rss_sign(sign) {}

  std::string name;   ///< Includes its unit: `rss_bytes`.
  std::string label;  ///< Its name in charts; empty: `name`.
  int rss_sign;       ///< 1: a part of RSS; -1: counted in such a part but not resident; else 0.

  friend bool operator==(const Column& column, const std::string& other) {
    return column.name == other;
  }
};

/// The names of the columns, in order.
[[nodiscard]] inline std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

/// The index of a column among those of a probe or a series; nullopt if it is not there.
[[nodiscard]] inline std::optional<std::size_t> find_column(const std::vector<std::string>& columns,
                                                            std::string_view name) noexcept {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

/// One source of readings (the process, an allocator, a backlog). Only the monitor's thread reads
/// it. A probe is the one place that knows its columns.
class Probe {
 public:
  virtual ~Probe() = default;

  /// What it reads; fixed for the probe's life.
  [[nodiscard]] virtual const std::vector<Column>& columns() const = 0;

  /// Fills `readings` (as many as there are columns). Must be quick: runs at the monitor's rate.
  virtual void read(std::span<Reading> readings) noexcept = 0;

  /// CPU time of its own threads. Thread-safe.
  [[nodiscard]] virtual double own_cpu_seconds() const noexcept { return 0.0; }
};

/// A probe that one function reads.
class FunctionProbe final : public Probe {
 public:
  using Read = std::function<void(std::span<Reading>)>;

  /// @param read  Sets the readings that can be measured; the others, and those that an exception
  /// leaves unset, are null.
  FunctionProbe(std::vector<Column> columns, Read read)
      : columns_(std::move(columns)), read_(std::move(read)) {}

  [[nodiscard]] const std::vector<Column>& columns() const override { return columns_; }

  void read(std::span<Reading> readings) noexcept override {
    std::ranges::fill(readings, std::nullopt);
    try {
      read_(readings);
    } catch (const std::exception&) {
      return;
    }
  }

 private:
  std::vector<Column> columns_;
  Read read_;
};

}  // namespace runahead::memory
