#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/experiment/progress.h"

namespace runahead::experiment {

/// Where a run shows its progress.
struct ProgressOutput {
  std::ostream* out = nullptr;
  bool coloured = false;
  /// Current width of the terminal. An empty function or nullopt: `out` is not a terminal. Called
  /// on the view's thread.
  std::function<std::optional<std::size_t>()> columns{};
};

/// Shows the progress of a run from a thread of its own. On a terminal, it updates two lines in
/// place ten times a second, starting after a tenth of a second; elsewhere it writes a plain line
/// every second, starting after the first. Destruction ends it and leaves the terminal as found.
class ProgressView {
 public:
  /// @param output    Only the view's thread writes to it, during the object's lifetime.
  /// @param progress  Called on the view's thread; must be quick.
  ProgressView(ProgressOutput output, std::function<record::CellProgress()> progress);
  ~ProgressView() = default;
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

 private:
  static void run(const std::stop_token& stop, const ProgressOutput& output,
                  const std::function<record::CellProgress()>& progress);

  std::jthread thread_;
};

}  // namespace runahead::experiment
