#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// "[4/60] ok  seed=1  repeat 1  2.50 s", with the error of a run that has one; no newline.
[[nodiscard]] std::string ended_line(const sweep::CellResult& ended,
                                     const sweep::SweepProgress& progress);

/// "12/60 done, 2 running, 1 not ok, about 3 min left; seed=1  repeat 0  40 s  …", with the running
/// cell that began first; no newline.
[[nodiscard]] std::string status_line(const sweep::Plan& plan, const sweep::SweepState& state);

/// The same for a terminal, in UTF-8 lines narrower than `columns`: a line for the sweep, one for a
/// cluster's queue, one for each of the first `most_cells` running cells, and the number of others.
[[nodiscard]] std::vector<std::string> status_lines(const sweep::Plan& plan,
                                                    const sweep::SweepState& state,
                                                    std::size_t columns, std::size_t most_cells);

/// Where a sweep shows its progress.
struct SweepOutput {
  std::ostream* out = nullptr;
  /// Current width of the terminal; nullopt or an empty function if there is none.
  std::function<std::optional<std::size_t>()> columns{};
  bool writes_status = false;  ///< Without a terminal, write a status line every 10 s.
  bool coloured = false;       ///< On a terminal, colour the status of ended runs.
};

/// Shows the progress of a sweep: a line for each run that ends and, on a terminal, lines below
/// that are updated in place four times a second. Its destructor removes the latter.
class SweepProgressView {
 public:
  /// `plan` and the output must outlive this.
  SweepProgressView(SweepOutput output, const sweep::Plan& plan);

  /// Makes the sweep report to this view. The settings must not be used after its destruction.
  void attend(sweep::SweepSettings& settings);

 private:
  SweepOutput output_;
  const sweep::Plan& plan_;
  std::unique_ptr<LinesInPlace> lines_{};  ///< Null without a terminal.
};

}  // namespace runahead::apps
