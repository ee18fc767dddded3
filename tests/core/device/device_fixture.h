#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <future>
#include <string>

#include "core/base/enum_names.h"
#include "core/device/device.h"
#include "core/device/runtime.h"

namespace runahead::device {

/// Holds the device's workers until it is opened, so that a test sees the queue as it was issued.
class WorkerGate {
 public:
  /// Occupies every worker. Opens by itself when destroyed.
  explicit WorkerGate(int workers = 1) : opened_(open_.get_future().share()) {
    for (int i = 0; i < workers; ++i) {
      auto reached = std::make_shared<std::promise<void>>();
      std::future<void> is_reached = reached->get_future();
      Runtime::get().push({.name = "gate", .body = [reached, opened = opened_] {
                             reached->set_value();
                             opened.wait();
                           }});
      is_reached.wait();
    }
  }
  ~WorkerGate() { open(); }
  void open() {
    if (!std::exchange(is_open_, true)) open_.set_value();
  }

 private:
  std::promise<void> open_{};
  std::shared_future<void> opened_;
  bool is_open_ = false;
};

/// The device with default settings, idle, its counters at a known baseline.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    register_device();
    torch::set_num_threads(1);
    configure({});
    torch::manual_seed(0);
    synchronize();
    reset_peaks();
  }
  void TearDown() override {
    set_limit({});
    try {
      synchronize();
    } catch (const Error&) {
      // A test may leave an error that it did not read.
    }
    configure({});
  }

  using Statistics = c10::CachingDeviceAllocator::DeviceStats;
  static c10::DeviceAllocator& allocator() { return *c10::getDeviceAllocator(at::kPrivateUse1); }
  static Statistics statistics() { return allocator().getDeviceStats(0); }

  const torch::Device acpu_{c10::DeviceType::PrivateUse1};
};

inline const std::string& allocation_name(Allocation allocation) {
  return names_of<Allocation>()[static_cast<std::size_t>(allocation)];
}

/// Runs a suite under the allocation models that are named.
#define RUNAHEAD_RUN_UNDER(suite, ...)                                    \
  INSTANTIATE_TEST_SUITE_P(Models, suite, ::testing::Values(__VA_ARGS__), \
                           [](const auto& model) { return allocation_name(model.param); })

/// Whether two tensors have the same type, shape and bits (NaN included), wherever they are.
inline ::testing::AssertionResult is_bit_equal(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor left = a.cpu().contiguous();
  const at::Tensor right = b.cpu().contiguous();
  if (left.scalar_type() != right.scalar_type() || left.sizes() != right.sizes()) {
    return ::testing::AssertionFailure()
           << left.toString() << left.sizes() << " is not " << right.toString() << right.sizes();
  }
  if (left.nbytes() != 0 && std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) != 0) {
    constexpr std::int64_t kPrinted = 32;
    if (left.numel() > kPrinted) {
      const at::Tensor difference = (left.to(at::kDouble) - right.to(at::kDouble)).abs().max();
      return ::testing::AssertionFailure()
             << "values of " << left.sizes() << " differ by up to " << difference.item<double>();
    }
    return ::testing::AssertionFailure() << "values differ:\n" << left << "\n" << right;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult is_full_of(const at::Tensor& tensor, float value) {
  return is_bit_equal(tensor, torch::full(tensor.sizes(), value));
}

}  // namespace runahead::device
