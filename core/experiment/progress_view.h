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
  /// Width of the terminal now; nullopt, or empty: it is none. Called on the view's thread.
  std::function<std::optional<std::size_t>()> columns{};
};

/// Shows the progress of a run, from a thread of its own: on a terminal two lines that change in
/// place, ten times a second from a tenth of a second on; elsewhere a plain line a second, from the
/// first second on. Ends with the object, and leaves the terminal as it found it.
class ProgressView {
 public:
  /// @param output    Written to by the thread only, while the object lives.
  /// @param progress  Called on the thread, must be quick.
  ProgressView(ProgressOutput output, std::function<Progress()> progress);
  ~ProgressView() = default;
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

 private:
  static void run(const std::stop_token& stop, const ProgressOutput& output,
                  const std::function<Progress()>& progress);

  std::jthread thread_;
};

}  // namespace runahead::experiment
