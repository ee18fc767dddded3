#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "core/engine/object_memory.h"

namespace runahead::engine::test {
namespace {

using namespace std::chrono_literals;
using Object = std::array<std::size_t, 40>;

/// Objects with a number each, which detects that one has the memory of another.
class Objects {
 public:
  void take(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      void* const memory = memory_.take();
      ASSERT_EQ(reinterpret_cast<std::size_t>(memory) % 64, 0U);
      auto* const object = ::new (memory) Object();
      object->fill(next_number_);
      objects_.push_back({object, next_number_++});
    }
  }
  /// Gives back all but `count` of them, which are every n-th.
  void give_back_until(std::size_t count) {
    std::vector<Numbered> kept;
    const std::size_t step = count > 0 ? objects_.size() / count : objects_.size() + 1;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (i % step == step - 1 && kept.size() < count) {
        kept.push_back(objects_[i]);
      } else {
        memory_.give_back(objects_[i].object);
      }
    }
    objects_ = kept;
  }
  void expect_unchanged() const {
    for (const auto& [object, number] : objects_) {
      Object expected;
      expected.fill(number);
      ASSERT_EQ(*object, expected);
    }
  }
  /// @return how many, the given time after the call before.
  std::size_t return_spare_slabs_after(std::chrono::milliseconds time) {
    now_ += time;
    return memory_.take_spare_slabs(now_).size();
  }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

 private:
  struct Numbered {
    Object* object;
    std::size_t number;
  };
  ObjectMemory memory_{sizeof(Object)};
  std::vector<Numbered> objects_{};
  std::size_t next_number_ = 1;
  TimePoint now_ = Clock::now();
};

constexpr std::size_t kMany = 50'000;
constexpr std::size_t kKeptBytes = 4 * ObjectMemory::kKeptSpare * sizeof(Object);

TEST(ObjectMemory, ReturnsWhatWasNotNeededForASecond) {
  Objects objects;
  for (int round = 0; round < 3; ++round) {
    objects.take(kMany);
    EXPECT_GE(objects.bytes(), kMany * sizeof(Object));
    objects.give_back_until(0);
    EXPECT_EQ(objects.return_spare_slabs_after(5s), 0U) << "all were needed meanwhile";
    EXPECT_EQ(objects.return_spare_slabs_after(999ms), 0U) << "the next backlog may need as many";
  }
  static_cast<void>(objects.return_spare_slabs_after(1ms));
  EXPECT_LT(objects.bytes(), kKeptBytes);
}

TEST(ObjectMemory, NeverTouchesWhatIsInUseAndReturnsItsSlabsLater) {
  Objects objects;
  for (int round = 0; round < 3; ++round) {
    objects.take(kMany);
    objects.give_back_until(100);  // In every slab.
    static_cast<void>(objects.return_spare_slabs_after(1s));
    static_cast<void>(objects.return_spare_slabs_after(1s));
    objects.expect_unchanged();
    objects.give_back_until(0);
    static_cast<void>(objects.return_spare_slabs_after(1s));
    EXPECT_LT(objects.bytes(), kKeptBytes);
  }
}

TEST(ObjectMemory, GivesEachObjectToOneOwnerWhileAnotherThreadGivesBack) {
  ObjectMemory memory(sizeof(std::size_t));
  std::mutex mutex;
  std::vector<std::size_t*> handed_over;
  bool is_over = false;
  TimePoint now = Clock::now();
  std::thread giver([&] {
    std::mt19937 random(0);
    for (bool is_last = false; !is_last;) {
      std::vector<std::size_t*> taken;
      {
        const std::lock_guard lock(mutex);
        taken.swap(handed_over);
        is_last = is_over;
      }
      std::shuffle(taken.begin(), taken.end(), random);
      for (std::size_t* const object : taken) {
        EXPECT_EQ(*object, 7U);
        *object = 0;
        memory.give_back(object);
      }
    }
  });
  for (std::size_t i = 1; i <= 20 * kMany; ++i) {
    auto* const object = ::new (memory.take()) std::size_t(7);
    const std::lock_guard lock(mutex);
    handed_over.push_back(object);
    if (i % kMany != 0) continue;
    now += ObjectMemory::kKeepTime;
    static_cast<void>(memory.take_spare_slabs(now));
  }
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  giver.join();
}

}  // namespace
}  // namespace runahead::engine::test
