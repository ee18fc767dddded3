#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/sweep/cell_runner.h"

namespace runahead::test {

/// Runs nothing: a run ends as soon as it has started, with the record that a function gives it.
class RecordedRunner : public sweep::CellRunner {
 public:
  using RecordOf = std::function<record::Record(const sweep::Cell&, const sweep::CellJob&)>;
  explicit RecordedRunner(RecordOf record_of) : record_of_(std::move(record_of)) {}

  void start(const sweep::Cell& cell, const sweep::CellJob& job) override {
    cells.push_back(cell);
    ended_.push_back({job, record_of_(cell, job)});
  }
  sweep::CellResult wait_any() override {
    sweep::CellResult result = std::move(ended_.front());
    ended_.pop_front();
    return result;
  }
  bool interrupted() override { return cells.size() >= interrupt_after; }

  std::vector<sweep::Cell> cells{};  ///< Of the runs that were started.
  std::size_t interrupt_after = std::numeric_limits<std::size_t>::max();  ///< So many runs.

 private:
  RecordOf record_of_;
  std::deque<sweep::CellResult> ended_{};
};

}  // namespace runahead::test
