// The files of a job array: its header, its job id and its tasks, each of the same bytes.

#include <string>
#include <utility>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/slurm/array_folder.h"
#include "core/slurm/task_list.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/memory_file.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::fuzz {
namespace {

/// A header that is read is written again as it was.
void check_header(const slurm::ArrayFolder& folder) {
  refusal_of([&] {
    const slurm::ArrayHeader header = folder.read_header();
    folder.write_header(header);
    const std::string text = test::read_text(folder.path() / "array.json");
    folder.write_header(folder.read_header());
    require(test::read_text(folder.path() / "array.json") == text, "a header changes when read");
  });
}

void check_tasks(const slurm::TaskList& tasks) {
  refusal_of([&] {
    const std::vector<std::string> keys = tasks.keys();
    require(std::cmp_equal(keys.size(), tasks.size()), "a task has no key");
  });
  for (std::int64_t index = 0; index < tasks.size(); ++index) {
    refusal_of([&] {
      const slurm::Task task = tasks.read(index);
      static_cast<void>(config::config_id(task.cell.config));
    });
  }
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  static const test::TemporaryFolder scratch;
  const std::string_view text = fuzz::input_text(data, size);
  const slurm::ArrayFolder folder(scratch.path());
  for (const char* name : {"array.json", "job.json"}) test::write_text(folder.path() / name, text);
  fuzz::refusal_of([&] { static_cast<void>(folder.read_job_id()); });
  fuzz::check_header(folder);
  const fuzz::MemoryFile file(text);
  fuzz::refusal_of([&] { fuzz::check_tasks(slurm::TaskList(file.path())); });
  return 0;
}
