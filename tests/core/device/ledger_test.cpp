#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/device/storage/block.h"
#include "core/device/storage/high_water_mark.h"
#include "core/device/storage/in_flight_ranges.h"

namespace runahead::device {
namespace ledger_test {

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

// Goal: memory that is split and merged keeps its users, until they leave or one that follows them
// all replaces them. Method: a table of steps, compared with a map from each byte to its users.

constexpr std::size_t kAddresses = 64;

TEST(InFlightRanges, AgreeWithAnAccountOfEachByte) {
  std::array<char, 8> blocks{};
  const auto block = [&](std::size_t i) { return reinterpret_cast<Block*>(&blocks[i]); };
  struct Use {
    std::uintptr_t address;
    std::uint64_t bytes;
    std::size_t user;
  };
  std::mt19937 generator(7);
  const auto draw = [&](std::size_t bound) { return generator() % bound; };
  for (int round = 0; round < 200; ++round) {
    InFlightRanges ranges;
    std::array<std::set<Block*>, kAddresses> account{};
    std::vector<Use> uses;
    for (std::size_t step = 0; step < 40; ++step) {
      SCOPED_TRACE("round " + std::to_string(round) + ", step " + std::to_string(step));
      const std::uintptr_t address = draw(kAddresses);
      const std::uint64_t bytes = 1 + draw(kAddresses - address);
      const std::size_t kind = draw(4);
      if (kind == 0) {
        ranges.clear(address, bytes);
        for (std::size_t i = 0; i < bytes; ++i) account[address + i].clear();
      } else if (kind == 1 && !uses.empty()) {
        const Use use = uses.back();
        uses.pop_back();
        ranges.remove(use.address, use.bytes, *block(use.user));
        for (std::size_t i = 0; i < use.bytes; ++i) {
          account[use.address + i].erase(block(use.user));
        }
      } else if (uses.size() < blocks.size()) {
        const Use use{address, bytes, uses.size()};
        uses.push_back(use);
        ranges.add(address, bytes, *block(use.user), kind == 2);
        for (std::size_t i = 0; i < bytes; ++i) {
          if (kind == 2) account[address + i].clear();
          account[address + i].insert(block(use.user));
        }
      }
      const std::uintptr_t asked = draw(kAddresses);
      const std::uint64_t asked_bytes = 1 + draw(kAddresses - asked);
      std::set<Block*> expected;
      for (std::size_t i = 0; i < asked_bytes; ++i) {
        expected.insert(account[asked + i].begin(), account[asked + i].end());
      }
      const auto found = ranges.users(asked, asked_bytes);
      ASSERT_EQ(std::set<Block*>(found.begin(), found.end()), expected);
      ASSERT_EQ(found.size(), expected.size()) << "each once";
      ASSERT_EQ(ranges.is_used(asked, asked_bytes), !expected.empty());
    }
  }
}

}  // namespace ledger_test
}  // namespace runahead::device
