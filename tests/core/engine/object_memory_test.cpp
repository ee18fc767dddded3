#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <vector>

#include "core/engine/object_memory.h"

namespace runahead::engine::test {
namespace {

using Object = std::array<std::size_t, 40>;

class Objects {
 public:
  void take(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      void* const memory = memory_.take();
      EXPECT_EQ(reinterpret_cast<std::size_t>(memory) % 64, 0U);
      auto* const object = ::new (memory) Object();
      object->fill(next_number_);
      objects_.push_back({object, next_number_++});
    }
  }
  /// Gives back all but the first `count`, in random order.
  void give_back_until(std::size_t count) {
    std::shuffle(objects_.begin() + static_cast<std::ptrdiff_t>(count), objects_.end(), random_);
    for (; objects_.size() > count; objects_.pop_back()) memory_.give_back(objects_.back().object);
  }
  void expect_unchanged() const {
    for (const auto& [object, number] : objects_) {
      Object expected;
      expected.fill(number);
      ASSERT_EQ(*object, expected);
    }
  }
  ObjectMemory& memory() { return memory_; }

 private:
  struct Numbered {
    Object* object;
    std::size_t number;
  };
  ObjectMemory memory_{sizeof(Object)};
  std::vector<Numbered> objects_{};
  std::size_t next_number_ = 1;
  std::mt19937 random_{0};
};

TEST(ObjectMemory, ShrinksToWhatIsInUseAndNeverTouchesIt) {
  constexpr std::size_t kMany = 50'000;
  Objects objects;
  for (int round = 0; round < 4; ++round) {
    objects.take(kMany);
    objects.expect_unchanged();
    const std::size_t most_bytes = objects.memory().bytes();
    EXPECT_GE(most_bytes, kMany * sizeof(Object));

    objects.give_back_until(10);
    if (objects.memory().is_oversized()) objects.memory().shrink();
    EXPECT_LT(objects.memory().bytes(), most_bytes / 2);
    EXPECT_FALSE(objects.memory().is_oversized());
    objects.expect_unchanged();
  }
}

TEST(ObjectMemory, ReusesWhatIsGivenBack) {
  Objects objects;
  for (int round = 0; round < 1000; ++round) {
    objects.take(200);
    objects.expect_unchanged();
    objects.give_back_until(100);
  }
  objects.give_back_until(0);
  EXPECT_LE(objects.memory().bytes(), 1000 * sizeof(Object));
}

}  // namespace
}  // namespace runahead::engine::test
