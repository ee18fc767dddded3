#include "core/slurm/array_draft.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/sweep/earlier_runs.h"

namespace runahead::slurm {

namespace {

/// A name that no other job has: by it an array is found whose number was lost.
std::string unique_name(const ArrayFolder& folder) {
  constexpr std::size_t kDigits = 12;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string text = folder.path().string() + " " + std::to_string(now);
  return "runahead-" + sha256_hex(text).substr(0, kDigits);
}

}  // namespace

int cpus_of(const config::ExperimentConfig& config) {
  const bool has_front_end_of_its_own = config.device == "acpu";
  return has_front_end_of_its_own ? 1 + config.acpu.workers * config.threads.intra_op
                                  : config.threads.intra_op;
}

std::filesystem::path arrays_folder(const std::filesystem::path& sweep_folder) {
  return sweep_folder / "slurm";
}

ArrayDraft::ArrayDraft(const ArraySettings& settings)
    : settings_(settings),
      folder_(ArrayFolder::make_next(arrays_folder(settings.folder))),
      writer_(folder_.tasks()) {}

void ArrayDraft::add(const sweep::Cell& cell, const WantedRun& run) {
  writer_.append(cell, run.job.repeat);
  settings_.needs.cpus = std::max(settings_.needs.cpus, cpus_of(cell.config));
  runs_.push_back(run);
}

ActiveArray ArrayDraft::submit(SlurmClient& client) {
  const ArrayHeader header{.name = unique_name(folder_),
                           .version = sweep::own_version(),
                           .cells_folder = settings_.folder / "cells",
                           .needs = settings_.needs,
                           .progress_seconds = settings_.progress_seconds};
  const std::string script = text_of({.name = header.name,
                                      .runahead = settings_.runahead,
                                      .cell_program = settings_.cell_program,
                                      .folder = folder_.path(),
                                      .tasks = size(),
                                      .at_once = settings_.at_once,
                                      .needs = settings_.needs});
  finish();
  folder_.write_header(header);
  write_file_atomically(folder_.script(), script);
  const std::string job_id = client.submit(folder_.script());
  folder_.write_job_id(job_id);

  ActiveArray array(folder_, job_id);
  for (std::size_t task = 0; task < runs_.size(); ++task) {
    array.want(static_cast<std::int64_t>(task), runs_[task]);
  }
  return array;
}

}  // namespace runahead::slurm
