#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

#include "core/record/cell_progress.h"

namespace runahead::record {

/// Writes a run's progress to a file once per period, on its own thread. A failed write is skipped.
/// The first write happens after one period, so a shorter run writes nothing. The thread ends with
/// the object; the file stays.
class ProgressWriter {
 public:
  /// @param progress  Called on the writer's thread; must be quick. Its `seconds` are filled in.
  ProgressWriter(std::filesystem::path path, double period_seconds,
                 std::function<CellProgress()> progress);
  ~ProgressWriter() = default;
  ProgressWriter(const ProgressWriter&) = delete;
  ProgressWriter& operator=(const ProgressWriter&) = delete;

 private:
  static void run(const std::stop_token& stop, const std::filesystem::path& path,
                  double period_seconds, const std::function<CellProgress()>& progress);

  std::jthread thread_;
};

}  // namespace runahead::record
