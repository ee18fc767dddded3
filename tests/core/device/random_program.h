#pragma once

#include <array>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {

inline constexpr int kStressThreads = 4;

/// What RUNAHEAD_STRESS_OPERATIONS asks for, else `usual`.
inline int stress_operations(int usual) {
  const char* const requested = std::getenv("RUNAHEAD_STRESS_OPERATIONS");
  return requested != nullptr ? std::stoi(requested) : usual;
}

/// Tensors on the device and their equals on the CPU, changed by the same random operations.
class RandomProgram {
 public:
  static constexpr std::size_t kOwnTensors = 8;

  RandomProgram(const torch::Device& device, unsigned seed) : device_(device), random_(seed) {
    for (Pair& pair : pairs_) pair = from_host();
  }

  void step() {
    const std::size_t target = pick(kOwnTensors);
    const Pair& a = pairs_[pick(kOwnTensors)];
    const Pair& b = pairs_[pick(kOwnTensors)];
    switch (pick(9)) {
      case 0:
        return put(
            target, [](auto& x, auto& y) { return (x + y) * 0.5; }, a, b);
      case 1:
        return put(
            target, [](auto& x, auto& y) { return x.mm(y).tanh(); }, a, b);
      case 2:
        return put(
            target, [](auto& x, auto& y) { return x.sub(y, 0.5).relu(); }, a, b);
      case 3:
        return change(
            target, [](auto& z, auto& x) { z.mul_(0.5).add_(x.tanh()); }, a);
      case 4:
        return change(
            target, [](auto& z, auto& x) { z.slice(0, 0, 3).copy_(x.slice(0, 4, 7)); }, a);
      case 5:
        return put(
            target, [](auto& x, auto&) { return torch::empty_like(x).copy_(x.t()); }, a, b);
      case 6:
        return put(
            target, [](auto& x, auto&) { return x.t().tanh(); }, a, b);
      case 7:
        pairs_[target] = from_host();
        return;
      default:
        if (pick(64) == 0) require_equal(a);
        return put(
            target, [](auto& x, auto& y) { return torch::where(x > y, x, y); }, a, b);
    }
  }

  void require_all_equal() {
    for (const Pair& pair : pairs_) require_equal(pair);
  }

 private:
  static constexpr std::int64_t kSide = 8;

  struct Pair {
    at::Tensor device;
    at::Tensor host;
  };

  std::size_t pick(std::size_t count) { return random_() % count; }

  Pair from_host() {
    const auto value = static_cast<float>(pick(1000)) / 1000;
    const at::Tensor host = torch::full({kSide, kSide}, value);
    return {host.to(device_), host};
  }

  template <typename Make>
  void put(std::size_t target, Make&& make, const Pair& a, const Pair& b) {
    pairs_[target] = Pair{make(a.device, b.device), make(a.host, b.host)};
  }
  template <typename Change>
  void change(std::size_t target, Change&& change, const Pair& a) {
    change(pairs_[target].device, a.device);
    change(pairs_[target].host, a.host);
  }
  static void require_equal(const Pair& pair) {
    if (!is_bit_equal(pair.device, pair.host)) throw Error("the device's values are not the CPU's");
  }

  torch::Device device_;
  std::mt19937 random_;
  std::array<Pair, kOwnTensors> pairs_{};
};

/// Runs so many random operations on each of kStressThreads threads, and compares their values.
/// @throws what went wrong on any of them.
inline void run_random_programs(const torch::Device& device, int operations_a_thread) {
  std::array<std::exception_ptr, kStressThreads> failures{};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kStressThreads; ++i) {
      threads.emplace_back([&device, operations_a_thread, i, &failure = failures[i]] {
        try {
          RandomProgram program(device, i);
          for (int step = operations_a_thread; step > 0; --step) program.step();
          program.require_all_equal();
        } catch (...) {
          failure = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  synchronize();
}

}  // namespace runahead::device
