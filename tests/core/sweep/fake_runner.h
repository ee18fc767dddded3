#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/sweep/cell_runner.h"
#include "sweep_fixtures.h"

namespace runahead::sweep::test {

/// Ends runs in the order of their start, with the status that a function gives them.
class FakeRunner final : public CellRunner {
 public:
  using StatusOf = std::function<record::Status(const CellJob&)>;
  explicit FakeRunner(StatusOf status_of) : status_of_(std::move(status_of)) {}

  void start(const Cell& cell, const CellJob& job) override {
    started.push_back(job);
    running_.push_back({job, record_of(cell, job.repeat, status_of_(job))});
    most_running = std::max(most_running, running_.size());
  }

  CellResult wait_any() override {
    RUNAHEAD_REQUIRE(!running_.empty(), "nothing is running");
    CellResult result = running_.front();
    running_.pop_front();
    result.began = begins(result.job);
    interrupted_ = interrupted_ || started.size() >= interrupt_after;
    return result;
  }

  void finish() override {
    EXPECT_TRUE(running_.empty());
    ++finishes;
  }

  bool interrupted() override { return interrupted_; }
  void interrupt() { interrupted_ = true; }

  std::vector<CellJob> started{};
  std::size_t most_running = 0;
  int finishes = 0;
  std::size_t interrupt_after = 1'000'000;
  std::function<bool(const CellJob&)> begins = [](const CellJob&) { return true; };

 private:
  StatusOf status_of_;
  std::deque<CellResult> running_{};
  bool interrupted_ = false;
};

}  // namespace runahead::sweep::test
