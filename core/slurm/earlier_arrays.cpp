#include "core/slurm/earlier_arrays.h"

#include <filesystem>
#include <optional>
#include <set>

#include "core/base/log.h"
#include "core/sweep/earlier_runs.h"

namespace runahead::slurm {

namespace {

bool asks_the_same(const TaskNeeds& left, const TaskNeeds& right) {
  return left.timeout_seconds == right.timeout_seconds &&
         left.memory_limit_bytes == right.memory_limit_bytes && left.options == right.options;
}

/// nullptr if the folder holds nothing of an array: it was never submitted.
std::unique_ptr<HeldArray> open_array(const ArrayFolder& folder, SlurmClient& client) {
  if (!std::filesystem::exists(folder.path() / "array.json")) return nullptr;
  std::optional<std::string> job_id = folder.read_job_id();
  if (!job_id) job_id = client.find_array(folder.read_header().name);
  if (!job_id && folder.results().empty()) return nullptr;
  return std::make_unique<HeldArray>(
      HeldArray{.array = ActiveArray(folder, job_id), .is_earlier = true});
}

void take_keys(HeldArray& held, EarlierArrays& earlier) {
  const std::vector<std::string> keys = held.array.tasks().keys();
  const std::set<std::int64_t> stored = held.array.folder().stored();
  for (std::size_t index = 0; index < keys.size(); ++index) {
    const auto task = static_cast<std::int64_t>(index);
    if (stored.count(task) == 0) earlier.tasks[keys[index]] = {&held, task};
  }
}

}  // namespace

EarlierArrays find_earlier_arrays(const ArraySettings& settings, bool takes_over,
                                  SlurmClient& client) {
  EarlierArrays earlier;
  const std::string version = sweep::own_version();
  for (const ArrayFolder& folder : ArrayFolder::open_ones(arrays_folder(settings.folder))) {
    std::unique_ptr<HeldArray> held = open_array(folder, client);
    if (!held) {
      folder.remove();
      continue;
    }
    const ArrayHeader& header = held->array.header();
    held->is_superseded = !takes_over || header.version != version;
    const bool goes_on = !held->is_superseded && asks_the_same(header.needs, settings.needs);
    if (!goes_on && !held->array.job_id().empty()) {
      log_info("cancelling Slurm array " + held->array.job_id() +
               " of an earlier sweep: its version, limits or options are others");
      held->array.cancel(client);
    }
    // Whatever becomes of this sweep: one that resumes it does not take them, either.
    if (!takes_over) folder.close();
    take_keys(*held, earlier);
    earlier.arrays.push_back(std::move(held));
  }
  return earlier;
}

void close_earlier_arrays(const std::filesystem::path& sweep_folder) {
  for (const ArrayFolder& folder : ArrayFolder::open_ones(arrays_folder(sweep_folder))) {
    if (const std::optional<std::string> job_id = folder.read_job_id()) {
      log_warning("Slurm array " + *job_id +
                  " of an earlier sweep may still run, and write into this folder; nothing of it "
                  "counts any more: stop it with `scancel " +
                  *job_id + "`");
    }
    folder.close();
  }
}

}  // namespace runahead::slurm
