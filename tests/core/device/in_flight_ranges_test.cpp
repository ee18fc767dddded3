// Goal: memory that is split and merged keeps its users, until they leave or one that follows them
// all replaces them. Method: a table of steps, compared with a map from each byte to its users.
#include "core/device/storage/in_flight_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>

#include "core/device/storage/block.h"

namespace runahead::device {
namespace {

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

}  // namespace
}  // namespace runahead::device
