#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/terminal.h"
#include "core/reproduce/reproduction.h"

namespace runahead::apps {

/// Shows the progress of `reproduce`: on a terminal, a line that is updated in place; elsewhere, if
/// requested, a line for each run that has ended; and in any case a line for each run that is not
/// ok.
class ReproduceProgress {
 public:
  /// @param columns   Current width of the terminal `out`; nullopt if it is not a terminal.
  /// @param is_asked  Shows progress even without a terminal.
  ReproduceProgress(std::ostream& out, std::function<std::optional<std::size_t>()> columns,
                    bool is_asked);

  /// Called while a job runs; arguments as for Reproduction::Means.
  void look(const reproduce::ReproduceJob& job, const sweep::RunnerActivity& activity,
            std::size_t done, std::size_t total);
  /// Called after a job; arguments as for Reproduction::Means.
  void end(const reproduce::ReproduceJob& job, const record::Record& record, std::size_t done,
           std::size_t total);
  /// Removes the line.
  void clear();

 private:
  void show(const std::string& line);

  std::function<std::optional<std::size_t>()> columns_;
  bool is_asked_;
  std::unique_ptr<LinesInPlace> lines_{};  ///< Null without a terminal.
  TimePoint start_ = Clock::now();
  std::size_t ended_ = 0;  ///< Jobs that have ended, in all attempts.
};

}  // namespace runahead::apps
