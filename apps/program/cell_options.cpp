#include "apps/program/cell_options.h"

namespace runahead::apps {

namespace {

constexpr double kLeastProgressSeconds = 0.001;
constexpr double kMostProgressSeconds = 3600.0;

}  // namespace

Json CellOptions::read_axes() const { return axes.empty() ? Json::object() : read_json_file(axes); }

void add_cell_options(CLI::App& command, CellOptions& options) {
  command.add_option("--repeat", options.repeat, "Number of the repeat, for the record")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--axes", options.axes, "File with the cell's axes, for the record");
  command.add_option("--memory-limit", options.memory_limit_bytes,
                     "Bytes that the process may take: bounds the guard");
  command.add_option(
      "--progress-file", options.progress_file,
      "File to replace again and again by how far the run is, for the process that started it");
  command
      .add_option("--progress-seconds", options.progress_seconds, "How often that file is replaced")
      ->check(CLI::Range(kLeastProgressSeconds, kMostProgressSeconds))
      ->capture_default_str();
}

ExitCode exit_code_of(record::Status status) noexcept {
  switch (status) {
    case record::Status::kOk:
      return ExitCode::kOk;
    case record::Status::kInterrupted:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace runahead::apps
