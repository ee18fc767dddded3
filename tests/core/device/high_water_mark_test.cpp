#include "core/device/storage/high_water_mark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace runahead::device {
namespace high_water_mark_test {

/// The mark with operations pushed one after the other.
class Program {
 public:
  void push(std::uint64_t bytes) {
    ++last_;
    if (last_ > room_) room_ = mark_.reserve(last_, oldest_);
    mark_.push(last_, bytes);
  }
  void add_now(std::uint64_t bytes) { mark_.add_now(bytes, oldest_); }
  void release(std::uint64_t bytes, std::uint64_t last_use) { mark_.release(bytes, last_use); }
  void finish_until(std::uint64_t sequence) { oldest_ = sequence + 1; }

  /// Goes on with another engine, whose numbers begin again.
  void restart() {
    mark_.restart();
    last_ = room_ = 0;
    oldest_ = 1;
  }

  [[nodiscard]] std::uint64_t last() const { return last_; }
  [[nodiscard]] std::uint64_t oldest() const { return oldest_; }
  [[nodiscard]] std::uint64_t bytes() const { return mark_.bytes(oldest_); }
  [[nodiscard]] HighWaterMark& mark() { return mark_; }

 private:
  HighWaterMark mark_{};
  std::uint64_t last_ = 0;
  std::uint64_t oldest_ = 1;
  std::uint64_t room_ = 0;
};

/// All changes, by operation; the mark is found by adding them up.
class Replay {
 public:
  explicit Replay(std::uint64_t bytes = 0) : now_(static_cast<std::int64_t>(bytes)) {}
  void push(std::uint64_t bytes) { changes_[++last_] += static_cast<std::int64_t>(bytes); }
  void add_now(std::uint64_t bytes) { now_ += static_cast<std::int64_t>(bytes); }
  void release(std::uint64_t bytes, std::uint64_t last_use, std::uint64_t oldest) {
    const auto signed_bytes = static_cast<std::int64_t>(bytes);
    if (last_use + 1 < oldest || last_use > last_) {  // Else of the engine before.
      now_ -= signed_bytes;
    } else {
      changes_[last_use + 1] -= signed_bytes;
    }
  }
  [[nodiscard]] std::uint64_t mark(std::uint64_t oldest) const {
    std::int64_t level = now_;
    std::int64_t highest = -1;
    for (const auto& [sequence, change] : changes_) {
      if (sequence > oldest && highest < 0) highest = level;  // Nothing changes at the oldest.
      level += change;
      if (sequence >= oldest) highest = std::max(highest, level);
    }
    return static_cast<std::uint64_t>(std::max(highest, std::max<std::int64_t>(level, 0)));
  }
  void restart() { *this = Replay(end()); }
  /// What is left when everything has run.
  [[nodiscard]] std::uint64_t end() const {
    std::int64_t level = now_;
    for (const auto& [sequence, change] : changes_) level += change;
    return static_cast<std::uint64_t>(level);
  }

 private:
  std::map<std::uint64_t, std::int64_t> changes_{};
  std::int64_t now_;
  std::uint64_t last_ = 0;
};

struct Held {
  std::uint64_t bytes = 0;
  std::uint64_t last_use = 0;
};

class HighWaterMarkDepth : public ::testing::TestWithParam<std::uint64_t> {};

// Operations allocate, use and let go tensors at random; the depth is how far they run ahead.
// Half-way all have finished, and another engine goes on with the tensors.
TEST_P(HighWaterMarkDepth, IsThatOfAReplayOfAllChanges) {
  const std::uint64_t depth = GetParam();
  std::mt19937_64 random(depth);
  Program program;
  Replay replay;
  std::vector<Held> tensors;
  std::uint64_t highest = 0;
  const std::uint64_t bookkeeping = program.mark().bookkeeping_bytes();
  for (int step = 0; step < 8000; ++step) {
    if (step == 4000) {
      program.restart();
      replay.restart();
    }
    if (random() % 8 == 0) {
      tensors.push_back({.bytes = 1 + random() % 100, .last_use = 0});
      program.add_now(tensors.back().bytes);
      replay.add_now(tensors.back().bytes);
    } else {
      const std::uint64_t bytes = random() % 3 == 0 ? 0 : random() % 1000;
      program.push(bytes);
      replay.push(bytes);
      for (int use = 0; use < 2 && !tensors.empty(); ++use) {
        tensors[random() % tensors.size()].last_use = program.last();
      }
      if (bytes > 0) tensors.push_back({.bytes = bytes, .last_use = program.last()});
    }
    highest = std::max(highest, replay.mark(program.oldest()));
    while (tensors.size() > 5) {
      std::swap(tensors[random() % tensors.size()], tensors.back());
      const Held dropped = tensors.back();
      tensors.pop_back();
      program.release(dropped.bytes, dropped.last_use);
      replay.release(dropped.bytes, dropped.last_use, program.oldest());
    }
    if (program.last() > program.oldest() + depth) {
      program.finish_until(program.oldest() + random() % depth);
    }
    ASSERT_EQ(program.bytes(), replay.mark(program.oldest())) << "step " << step;
    ASSERT_EQ(program.mark().end_bytes(), replay.end()) << "step " << step;
    // An operation adds to what is left when all before it have run; what is added now to the mark.
    const std::uint64_t mark = replay.mark(program.oldest());
    const std::uint64_t bytes = random() % (mark + 2);
    for (const bool is_now : {false, true}) {
      const std::uint64_t needed = is_now ? mark + bytes : std::max(mark, replay.end() + bytes);
      for (const std::uint64_t limit : {needed - 1, needed}) {
        ASSERT_EQ(
            program.mark().is_within(limit, {.bytes = bytes, .is_now = is_now}, program.oldest()),
            limit >= needed)
            << "step " << step;
      }
    }
  }
  EXPECT_EQ(program.mark().peak_bytes(), highest);
  if (depth < 100) {
    EXPECT_EQ(program.mark().bookkeeping_bytes(), bookkeeping) << "of what is in flight alone";
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, HighWaterMarkDepth, ::testing::Values(1, 3, 70, 600, 3000));

}  // namespace high_water_mark_test
}  // namespace runahead::device
