#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/device/products/product_table.h"

namespace runahead::device {

/// What a table of products is valid for: another machine, torch or number of threads needs
/// another.
struct ProductTableKey {
  std::string processor{};  ///< "AMD EPYC, family 25 model 17, AVX512": its name, what torch uses.
  std::string torch{};      ///< Version.
  int threads = 1;          ///< Intra-op threads.

  bool operator==(const ProductTableKey&) const = default;

  /// The key of this machine and this torch.
  [[nodiscard]] static ProductTableKey here(int threads);
};

/// A table and what it is valid for.
struct ProductCalibration {
  ProductTableKey key{};
  ProductTable table;
  bool is_kept = false;  ///< Whether it is stored.
};

/// {"schema_version": 3, "processor": …, "torch": …, "threads": …, "sizes": […], "speedups": […]}.
[[nodiscard]] Json to_json(const ProductCalibration& calibration);

/// Where this user's calibration of that key is stored, so that machines and torches that share a
/// home keep one each: in `$XDG_CACHE_HOME/runahead/`, else in `~/.cache/runahead/`. Empty if
/// neither variable is set.
[[nodiscard]] std::filesystem::path product_calibration_path(const ProductTableKey& key);

enum class Kept { kUse, kReplace };

/// The calibration stored at `path`. If it is missing, damaged or of another key, or with
/// Kept::kReplace, it is measured again and stored; if storing fails, a warning is logged. If
/// several processes need it at once, one measures it and the others wait, at most five minutes.
/// @param path  Empty: it is not stored.
/// @param check  Called now and then while it waits for another process; what it throws ends the
/// wait. May be null.
[[nodiscard]] ProductCalibration kept_product_calibration(const std::filesystem::path& path,
                                                          const ProductTableKey& key,
                                                          const std::function<ProductTable()>& make,
                                                          Kept kept = Kept::kUse,
                                                          void (*check)() = nullptr);

/// This machine's calibration for that number of intra-op threads: `known` if it is that one and
/// cannot be stored, else the stored one, measured if needed. Blocks.
/// @param cpu  CPU to measure on; negative: any.
/// @param check  Called now and then; what it throws ends the wait. May be null.
[[nodiscard]] std::shared_ptr<const ProductCalibration> product_calibration_here(
    int threads, int cpu, const std::shared_ptr<const ProductCalibration>& known, void (*check)());

}  // namespace runahead::device
