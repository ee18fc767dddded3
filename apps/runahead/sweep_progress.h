#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/lines_in_place.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// "[4/60] ok  seed=1  repeat 1  2.50 s", with the error of a run that has one; no newline.
[[nodiscard]] std::string ended_line(const sweep::CellResult& ended,
                                     const sweep::SweepProgress& progress);

/// "12/60 done, 2 running, 1 not ok, about 3 min left; seed=1  repeat 0  40 s  …", of the running
/// cells the one that began first; no newline.
[[nodiscard]] std::string status_line(const sweep::Plan& plan, const sweep::SweepState& state);

/// The same for a terminal, UTF-8, none as wide as `columns`: a line for the sweep, one for a
/// cluster's queue, one for each of the first `most_cells` running cells, and how many more run.
[[nodiscard]] std::vector<std::string> status_lines(const sweep::Plan& plan,
                                                    const sweep::SweepState& state,
                                                    std::size_t columns, std::size_t most_cells);

/// Where a sweep shows its progress.
struct SweepOutput {
  std::ostream* out = nullptr;
  /// Width of the terminal now; nullopt, or empty: it is none.
  std::function<std::optional<std::size_t>()> columns{};
  bool tells_status = false;  ///< Where there is no terminal: a status line every 10 s.
  bool coloured = false;      ///< On a terminal: the status of what has ended.
};

/// Shows the progress of a sweep: a line for each run that ends and, on a terminal, below them
/// lines that change in place, four times a second. Takes those away when it ends.
class SweepProgressView {
 public:
  /// `plan` and the output must outlive this.
  SweepProgressView(SweepOutput output, const sweep::Plan& plan);

  /// Has the sweep report what is shown here. The settings must not be used after the end of this.
  void attend(sweep::SweepSettings& settings);

 private:
  SweepOutput output_;
  const sweep::Plan& plan_;
  std::unique_ptr<LinesInPlace> lines_{};  ///< Null: no terminal.
};

}  // namespace runahead::apps
