#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/lines_in_place.h"
#include "core/reproduce/reproduction.h"

namespace runahead::apps {

/// How far the runs of `reproduce` are.
struct ReproduceState {
  std::size_t done = 0;
  std::size_t total = 0;
  const reproduce::ReproduceJob* running = nullptr;  ///< Null: none.
  double running_seconds = 0.0;                      ///< Since it began.
  std::optional<double> seconds_left{};
};

/// "12/60 done, about 3 min left; train.on_device.none.long on acpu  4 s"; no newline.
[[nodiscard]] std::string progress_line(const ReproduceState& state);

/// Shows the progress of `reproduce`: on a terminal a line that changes in place, elsewhere, if
/// that is asked for, a line for each run that has ended; everywhere one for each that is not ok.
class ReproduceProgress {
 public:
  /// @param columns  Width of the terminal `out` now; nullopt: it is none.
  /// @param is_asked  To show progress where there is no terminal.
  ReproduceProgress(std::ostream& out, std::function<std::optional<std::size_t>()> columns,
                    bool is_asked);

  /// While a job runs; arguments as Reproduction::OnLook.
  void look(const reproduce::ReproduceJob& job, const sweep::RunnerActivity& activity,
            std::size_t done, std::size_t total);
  /// After it; arguments as Reproduction::OnEnd.
  void end(const reproduce::ReproduceJob& job, const record::Record& record, std::size_t done,
           std::size_t total);
  /// Takes the line away.
  void clear();

 private:
  void show();

  std::function<std::optional<std::size_t>()> columns_;
  bool is_asked_;
  std::unique_ptr<LinesInPlace> lines_{};  ///< Null: no terminal.
  ReproduceState state_{};
  TimePoint start_ = Clock::now();
  std::size_t ended_ = 0;  ///< In all attempts.
};

}  // namespace runahead::apps
