#pragma once

#include <deque>
#include <functional>
#include <optional>
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
  }

  CellResult wait_any() override {
    RUNAHEAD_REQUIRE(!running_.empty(), "nothing is running");
    CellResult result = running_.front();
    running_.pop_front();
    result.began = begins(result.job);
    interrupted_ = interrupted_ || started.size() >= interrupt_after;
    return result;
  }

  /// Nothing has ended every other time that it is waited for with a limit.
  std::optional<CellResult> wait_any_for(double) override {
    waits_ = !waits_;
    return waits_ ? std::nullopt : std::optional(wait_any());
  }

  RunnerActivity activity(std::size_t) override {
    return {.running = {{.job = running_.front().job, .seconds = 1.0}}};
  }

  void finish() override { ++finishes; }

  bool interrupted() override { return interrupted_; }
  void interrupt() { interrupted_ = true; }

  std::vector<CellJob> started{};
  int finishes = 0;
  std::size_t interrupt_after = 1'000'000;
  std::function<bool(const CellJob&)> begins = [](const CellJob&) { return true; };

 private:
  StatusOf status_of_;
  std::deque<CellResult> running_{};
  bool interrupted_ = false;
  bool waits_ = false;
};

}  // namespace runahead::sweep::test
