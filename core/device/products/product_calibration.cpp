#include "core/device/products/product_calibration.h"

#include <ATen/Version.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/cpuinfo.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/log.h"
#include "core/device/products/product_table.h"

namespace runahead::device {
namespace {

/// Version of the format and of the way it is measured.
constexpr std::int64_t kSchemaVersion = 3;
constexpr double kMostSpeedup = 1e6;
constexpr std::chrono::minutes kPatience{5};
constexpr std::chrono::milliseconds kPause{50};

/// Locks a file between processes, and removes it afterwards. Continues without a lock if there can
/// be none, or if the file stays locked for longer than kPatience.
class FileLock {
 public:
  FileLock(std::filesystem::path path, void (*check)()) : path_(std::move(path)) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!is_settled() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kPause);
      if (check != nullptr) check();
    }
  }
  ~FileLock() {
    if (file_ < 0) return;
    ::unlink(path_.c_str());
    unlock_file(file_);
    ::close(file_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  /// Returns false if it is worth trying again.
  [[nodiscard]] bool is_settled() {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return true;
    const int error = try_lock_file(file_);
    const bool is_locked_elsewhere = error == EAGAIN || error == EACCES;
    if (!is_locked_elsewhere && (error != 0 || is_at_path())) return true;
    ::close(std::exchange(file_, -1));
    return false;
  }

  /// Whether the file was not removed by the process that had the lock before.
  [[nodiscard]] bool is_at_path() const {
    struct stat opened {};
    struct stat found {};
    return ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &found) == 0 &&
           opened.st_dev == found.st_dev && opened.st_ino == found.st_ino;
  }

  std::filesystem::path path_;
  int file_ = -1;
};

/// @throws ConfigError if the document is not a table of that key.
ProductTable table_of(const Json& document, const ProductTableKey& key, const std::string& source) {
  JsonProblems problems(source);
  ObjectReader reader(document, "", problems);
  const auto version = reader.integer("schema_version", {kSchemaVersion, kSchemaVersion});
  const ProductTableKey found{
      .processor = reader.string("processor").value_or(""),
      .torch = reader.string("torch").value_or(""),
      .threads = static_cast<int>(reader.integer("threads", {1, 1 << 20}).value_or(0))};
  const Json* speedups = reader.find("speedups");
  problems.throw_if_any();
  if (!version || found != key || speedups == nullptr || !speedups->is_array() ||
      speedups->size() != ProductTable::kPoints ||
      document.value("sizes", Json()) != Json(ProductTable::kSizes)) {
    throw ConfigError(source + ": found the table of another machine, torch or number of threads");
  }
  std::vector<double> numbers;
  for (const Json& speedup : *speedups) {
    const double number = speedup.is_number() ? speedup.get<double>() : -1.0;
    if (!(number >= 0.0 && number <= kMostSpeedup)) {
      throw ConfigError(source + ": found an invalid speedup");
    }
    numbers.push_back(number);
  }
  return ProductTable(std::move(numbers));
}

std::optional<ProductTable> read_table(const std::filesystem::path& path,
                                       const ProductTableKey& key) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    return table_of(read_json_file(path), key, path.string());
  } catch (const Error& error) {
    log_info(std::string(error.what()) + "; it is measured again");
    return std::nullopt;
  }
}

// Returns whether it could.
bool keep(const std::filesystem::path& path, const Json& document) {
  try {
    write_file_atomically(path, dump_json(document, 1) + "\n");
    return true;
  } catch (const Error& error) {
    log_warning(std::string("the calibration of products is not kept: ") + error.what());
    return false;
  }
}

ProductCalibration made(const std::filesystem::path& path, const ProductTableKey& key,
                        const std::function<ProductTable()>& make) {
  log_info("measuring which products oneDNN makes faster here, once: some 20 s");
  ProductCalibration calibration{.key = key, .table = make()};
  calibration.is_kept = !path.empty() && keep(path, to_json(calibration));
  return calibration;
}

/// Creates the folder of `path` if it can; a failure shows when the calibration is written.
std::filesystem::path lock_path(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  return std::filesystem::path(path) += ".lock";
}

}  // namespace

ProductTableKey ProductTableKey::here(int threads) {
  return {.processor = cpuinfo("model name").value_or("") + ", family " +
                       cpuinfo("cpu family").value_or("") + " model " +
                       cpuinfo("model\t").value_or("") + ", " + at::get_cpu_capability(),
          .torch = TORCH_VERSION,
          .threads = threads};
}

std::filesystem::path product_calibration_path(const ProductTableKey& key) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && *cache != '\0') {
    folder = cache;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".cache";
  } else {
    return {};
  }
  std::string name = key.processor + " torch " + key.torch;
  std::ranges::replace_if(
      name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return folder / "runahead" / ("products-" + std::to_string(key.threads) + "-" + name + ".json");
}

ProductCalibration kept_product_calibration(const std::filesystem::path& path,
                                            const ProductTableKey& key,
                                            const std::function<ProductTable()>& make, Kept kept,
                                            void (*check)()) {
  const auto use = [&]() -> std::optional<ProductCalibration> {
    std::optional<ProductTable> table = kept == Kept::kUse ? read_table(path, key) : std::nullopt;
    if (!table) return std::nullopt;
    return ProductCalibration{.key = key, .table = *std::move(table), .is_kept = true};
  };
  if (auto calibration = use()) return *std::move(calibration);
  if (path.empty()) return made(path, key, make);
  const FileLock lock(lock_path(path), check);
  if (auto calibration = use()) return *std::move(calibration);  // Made meanwhile.
  return made(path, key, make);
}

std::shared_ptr<const ProductCalibration> product_calibration_here(
    int threads, int cpu, const std::shared_ptr<const ProductCalibration>& known, void (*check)()) {
  const ProductTableKey key = ProductTableKey::here(threads);
  if (known != nullptr && !known->is_kept && known->key == key) return known;
  return std::make_shared<const ProductCalibration>(kept_product_calibration(
      product_calibration_path(key), key, [=] { return time_products(threads, cpu, check); },
      Kept::kUse, check));
}

Json to_json(const ProductCalibration& calibration) {
  return {{"schema_version", kSchemaVersion}, {"processor", calibration.key.processor},
          {"torch", calibration.key.torch},   {"threads", calibration.key.threads},
          {"sizes", ProductTable::kSizes},    {"speedups", calibration.table.speedups()}};
}

}  // namespace runahead::device
