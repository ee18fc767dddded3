#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

#include "core/record/cell_progress.h"

namespace runahead::record {

/// Writes a run's progress to a file once per period, on its own thread; a failed write is skipped.
/// The first write comes after one period, so a run that is shorter writes nothing. The thread ends
/// with the object; the file stays.
class ProgressWriter {
 public:
  /// @param progress  Called on the thread, must be quick; its `seconds` are filled in.
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
