// Goal: products go to oneDNN only where a calibration clearly prefers it, and a calibration is
// made once for a machine. Method: calibrations that are made up. That every setting decides alike
// is in tests/python/products_test.py.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "core/base/file.h"
#include "core/base/scratch_folder.h"
#include "core/device/device_fixture.h"
#include "core/device/products/onednn_product.h"
#include "core/device/products/product_calibration.h"
#include "core/device/products/product_table.h"
#include "core/device/products/products.h"

namespace runahead::device {
namespace products_test {

using Speedups = std::vector<double>;

constexpr ProductShape kLarge{.rows = 512, .inner = 512, .columns = 512};
constexpr ProductShape kOff{.rows = 300, .inner = 512, .columns = 512};

ProductTable table_of(double speedup) {
  return ProductTable(Speedups(ProductTable::kPoints, speedup));
}

/// Everywhere faster but at one shape of the grid.
ProductTable table_without(const ProductShape& shape) {
  Speedups speedups(ProductTable::kPoints, 2.0);
  for (std::size_t point = 0; point < ProductTable::kPoints; ++point) {
    if (ProductTable::shape_of(point) == shape) speedups[point] = 1.0;
  }
  return ProductTable(speedups);
}

TEST(ProductTable, PrefersOneDnnOnlyIfItIsClearlyFasterAllAroundAShape) {
  EXPECT_TRUE(table_of(1.2).prefers_onednn(kOff));
  EXPECT_FALSE(table_of(1.02).prefers_onednn(kOff)) << "noise";
  EXPECT_FALSE(table_without(kLarge).prefers_onednn(kLarge));
  EXPECT_FALSE(table_without(kLarge).prefers_onednn(kOff)) << "its larger neighbour";
  EXPECT_TRUE(table_without(kLarge).prefers_onednn({.rows = 256, .inner = 512, .columns = 512}));
  EXPECT_FALSE(table_without({1024, 1024, 1024})
                   .prefers_onednn({.rows = 5000, .inner = 2000, .columns = 1024}));
}

TEST(ProductTable, LeavesSmallMatricesAndTwoTransposedOnesToLibTorch) {
  EXPECT_FALSE(table_of(9.0).prefers_onednn({.rows = 512, .inner = 512, .columns = 1}));
  EXPECT_FALSE(table_of(9.0).prefers_onednn({.rows = 0, .inner = 512, .columns = 512}));
  EXPECT_FALSE(table_of(9.0).prefers_onednn({512, 512, 512, true, true}));
}

TEST(ProductTable, KnowsTheOrderOfTheOperands) {
  const ProductTable table = table_without({512, 512, 512, false, true});
  EXPECT_TRUE(table.prefers_onednn(kLarge));
  EXPECT_FALSE(table.prefers_onednn({512, 512, 512, false, true}));
  EXPECT_TRUE(table.prefers_onednn({512, 512, 512, true, false}));
}

/// A folder for calibrations, and one that prefers oneDNN everywhere.
class Calibrations : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    configure({});
    ::unsetenv("XDG_CACHE_HOME");
    DeviceTest::TearDown();
  }
  [[nodiscard]] static std::filesystem::path path() {
    return product_calibration_path(ProductTableKey::here(1));
  }
  ProductCalibration kept(const ProductTableKey& key = ProductTableKey::here(1),
                          Kept kept = Kept::kUse) {
    return kept_product_calibration(
        path(), key, [this] { return ++made_, table_of(2.0); }, kept);
  }

  std::atomic<int> made_{0};

 private:
  ScratchFolder folder_;
};

TEST_F(Calibrations, OfMachinesThatShareAFolderHaveAFileEach) {
  EXPECT_NE(product_calibration_path({.processor = "A", .torch = "2.11.0"}),
            product_calibration_path({.processor = "B", .torch = "2.11.0"}));
  EXPECT_NE(path(), product_calibration_path(ProductTableKey::here(2)));
}

TEST_F(Calibrations, OfAnotherKeyOrDamagedAreMadeAgain) {
  static_cast<void>(kept({.processor = "another", .torch = "2.11.0", .threads = 1}));
  static_cast<void>(kept());
  EXPECT_EQ(made_, 2);
  for (const char* damaged : {"", "{", "[]", R"({"schema_version": 1})", "\x00\xff"}) {
    write_file(path(), damaged);
    static_cast<void>(kept());
    static_cast<void>(kept());
  }
  EXPECT_EQ(made_, 7);
  Json document = to_json(kept());
  document["speedups"][3] = -1.0;
  write_file(path(), dump_json(document));
  static_cast<void>(kept());
  EXPECT_EQ(made_, 8);
}

TEST_F(Calibrations, AreMadeOnceForAllAndAgainWhenAskedTo) {
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([this] { static_cast<void>(kept()); });
  }
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(kept().table.speedups(), table_of(2.0).speedups());
  static_cast<void>(kept(ProductTableKey::here(1), Kept::kReplace));
  EXPECT_EQ(made_, 2);
  const std::filesystem::directory_iterator left(path().parent_path());
  EXPECT_EQ(std::distance(begin(left), end(left)), 1) << "the lock stays";
}

TEST_F(Calibrations, DecideAlikeWhenTheyAreMadeAndWhenTheyAreRead) {
  const auto make = [] { return table_of(ProductTable::kClearlyFaster - 0.0004); };
  const ProductTableKey key = ProductTableKey::here(1);
  const ProductTable made = kept_product_calibration(path(), key, make).table;
  const ProductTable read = kept_product_calibration(path(), key, make).table;
  EXPECT_EQ(made.speedups(), read.speedups());
  EXPECT_EQ(made.prefers_onednn(kLarge), read.prefers_onednn(kLarge));
}

TEST_F(Calibrations, CanBeInterrupted) {
  const auto interrupt = [] { throw std::runtime_error("interrupted"); };
  EXPECT_THROW((void)time_products(1, -1, interrupt), std::runtime_error);

  std::filesystem::create_directories(path().parent_path());
  const std::string lock_path = path().string() + ".lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(try_lock_file(lock), 0) << "another process measures";
  EXPECT_THROW((void)product_calibration_here(1, -1, nullptr, interrupt), std::runtime_error);
  ::close(lock);
}

TEST_F(Calibrations, ThatCannotBeKeptAreUsed) {
  const auto make = [] { return table_of(2.0); };
  const ProductTableKey key = ProductTableKey::here(1);
  for (const char* place : {"", "/proc/none/products.json"}) {
    EXPECT_TRUE(kept_product_calibration(place, key, make).table.prefers_onednn(kLarge));
  }
}

TEST(OneDnnProduct, IsTheProduct) {
  if (!has_onednn_products()) GTEST_SKIP() << "this LibTorch has no oneDNN";
  torch::manual_seed(1);
  const at::Tensor a = torch::randn({33, 70});
  const at::Tensor b = torch::randn({70, 40});
  const at::Tensor bias = torch::randn({40});
  const auto close = [](const at::Tensor& found, const at::Tensor& expected) {
    return found.is_contiguous() && torch::allclose(found, expected, 1e-4, 1e-4);
  };
  for (const at::Tensor& left : {a, a.t().contiguous().t()}) {
    for (const at::Tensor& right : {b, b.t().contiguous().t()}) {
      EXPECT_TRUE(close(onednn_product(left, right), a.mm(b)));
      EXPECT_TRUE(close(onednn_product(left, right, bias), torch::addmm(bias, a, b)));
    }
  }
}

}  // namespace products_test
}  // namespace runahead::device
