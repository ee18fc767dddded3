#include "apps/runahead/sweep_progress.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "apps/runahead/sweep_table.h"
#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr double kTerminalLookSeconds = 0.25;
constexpr double kLogLookSeconds = 10.0;
constexpr std::size_t kMostCells = 5;  ///< Maximum number of cells shown.
constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kLeastAxesColumns = 12;

std::string counts_text(const sweep::SweepState& state) {
  const sweep::SweepProgress& progress = state.progress;
  std::string text = std::to_string(progress.done) + "/" + std::to_string(progress.total) +
                     " done, " + std::to_string(state.activity.running.size()) + " running";
  if (state.activity.waiting > 0) {
    text += ", " + std::to_string(state.activity.waiting) + " waiting";
  }
  if (progress.not_ok > 0) text += ", " + std::to_string(progress.not_ok) + " not ok";
  if (state.seconds_left) {
    text += ", about " + format_rough_duration(std::ceil(*state.seconds_left)) + " left";
  }
  return text;
}

std::string run_name(const sweep::Plan& plan, const sweep::CellJob& job) {
  const std::string axes = describe_axes(plan.cells.axes(job.cell));
  return axes + (axes.empty() ? "repeat " : "  repeat ") + std::to_string(job.repeat);
}

/// "  40 s  issued 60/100  finished 21/100  RSS 512 MB", without unknown figures.
std::string figures_text(const sweep::RunningCell& cell) {
  std::string text;
  if (cell.seconds) text += "  " + format_rough_duration(std::floor(*cell.seconds));
  if (const auto& progress = cell.progress; progress && progress->batches) {
    const std::string all = "/" + std::to_string(*progress->batches);
    text += "  issued " + std::to_string(progress->batches_issued.value_or(0)) + all;
    text += "  finished " + std::to_string(progress->batches_finished.value_or(0)) + all;
  }
  if (cell.rss_bytes) text += "  RSS " + format_bytes(*cell.rss_bytes);
  return text;
}

/// If the line does not fit, the name is cut first.
std::string cell_line(const sweep::Plan& plan, const sweep::RunningCell& cell,
                      std::size_t columns) {
  const std::string figures = figures_text(cell);
  const std::size_t taken = 2 + character_count(figures);
  const std::size_t left = std::max(kLeastAxesColumns, columns - std::min(columns, taken));
  return "  " + in_one_line(run_name(plan, cell.job), left) + figures;
}

/// A line of ended_line with its status in colour.
std::string in_colour(std::string line, record::Status status) {
  const std::string name(record::name_of(status));
  return line.replace(line.find(name), name.size(),
                      report::in_colour(name, report::kind_of_states(name)));
}

}  // namespace

std::string ended_line(const sweep::CellResult& ended, const sweep::SweepProgress& progress) {
  const record::Record& record = ended.record;
  std::string line = "[" + std::to_string(progress.done) + "/" + std::to_string(progress.total) +
                     "] " + std::string(record::name_of(record.status));
  if (!record.axes.empty()) line += "  " + describe_axes(record.axes);
  line += "  repeat " + std::to_string(record.repeat);
  if (record.cell.wall_seconds) line += "  " + format_duration(*record.cell.wall_seconds);
  if (record.error) line += ": " + *record.error;
  return line;
}

std::string status_line(const sweep::Plan& plan, const sweep::SweepState& state) {
  std::string line = counts_text(state);
  if (!state.activity.running.empty()) {
    const sweep::RunningCell& first = state.activity.running.front();
    line += "; " + run_name(plan, first.job) + figures_text(first);
  }
  return line;
}

std::vector<std::string> status_lines(const sweep::Plan& plan, const sweep::SweepState& state,
                                      std::size_t columns, std::size_t most_cells) {
  // A character in the last column makes some terminals wrap.
  const std::size_t usable = columns - std::min<std::size_t>(columns, 1);
  const std::vector<sweep::RunningCell>& running = state.activity.running;
  std::vector<std::string> lines{counts_text(state)};
  if (!state.activity.queue.empty()) lines.push_back(state.activity.queue);
  for (std::size_t cell = 0; cell < std::min(running.size(), most_cells); ++cell) {
    lines.push_back(cell_line(plan, running[cell], usable));
  }
  if (running.size() > most_cells) {
    lines.push_back("  and " + std::to_string(running.size() - most_cells) + " more");
  }
  for (std::string& line : lines) line = in_one_line(line, usable);
  return lines;
}

SweepProgressView::SweepProgressView(SweepOutput output, const sweep::Plan& plan)
    : output_(std::move(output)), plan_(plan) {
  if (output_.columns && output_.columns()) lines_ = std::make_unique<LinesInPlace>(*output_.out);
}

void SweepProgressView::attend(sweep::SweepSettings& settings) {
  settings.on_end = [this](const sweep::CellResult& ended, const sweep::SweepProgress& progress) {
    const std::string line = ended_line(ended, progress);
    if (lines_) {
      const std::string shown = in_one_line(line, std::string::npos);
      lines_->print_above(output_.coloured ? in_colour(shown, ended.record.status) : shown);
    } else {
      *output_.out << line + "\n" << std::flush;
    }
  };
  if (lines_) {
    settings.look_seconds = kTerminalLookSeconds;
    settings.detailed_cells = kMostCells;
    settings.on_look = [this](const sweep::SweepState& state) {
      lines_->show(
          status_lines(plan_, state, output_.columns().value_or(kUsualColumns), kMostCells));
    };
  } else if (output_.writes_status) {
    settings.look_seconds = kLogLookSeconds;
    settings.detailed_cells = 1;
    settings.on_look = [this](const sweep::SweepState& state) {
      *output_.out << status_line(plan_, state) + "\n" << std::flush;
    };
  }
}

}  // namespace runahead::apps
