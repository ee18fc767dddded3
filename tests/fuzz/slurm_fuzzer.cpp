// Output of Slurm's commands, when they succeed and when they fail.

#include <string>
#include <utility>
#include <vector>

#include "core/slurm/slurm_client.h"
#include "fuzz/fuzz_target.h"

namespace runahead::fuzz {
namespace {

/// Every command prints the same.
class OneAnswer final : public slurm::SubmitHost {
 public:
  explicit OneAnswer(slurm::CommandOutput output) : output_(std::move(output)) {}

  slurm::CommandOutput call(const std::vector<std::string>&) override { return output_; }
  void wait(double) override {}
  double now_seconds() override { return 0.0; }
  bool interrupted() override { return false; }

 private:
  slurm::CommandOutput output_;
};

void check_tasks(const slurm::QueuedTasks& tasks, std::size_t text_bytes) {
  for (const auto& [index, task] : tasks) {
    require(index >= 0 && index < 10'000, "a task has an index that no array has");
    require(task.reason.size() < text_bytes, "a reason is longer than what was printed");
  }
}

void ask_all(slurm::SubmitHost& host, std::size_t text_bytes) {
  slurm::SlurmClient client(host);
  refusal_of([&] { require(client.max_array_size() >= 1, "an array of no task"); });
  refusal_of([&] { require(!client.submit("array.sh").empty(), "a job without an id"); });
  refusal_of([&] { require(client.find_array("name") != "", "an array without an id"); });
  refusal_of([&] { check_tasks(client.tasks_of("12"), text_bytes); });
  refusal_of([&] { static_cast<void>(client.detail_of("12", 3)); });
  refusal_of([&] { client.cancel("12"); });
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  const std::string text(fuzz::input_text(data, size));
  fuzz::OneAnswer success({.exit_code = 0, .out = text});
  fuzz::OneAnswer failure({.exit_code = 1, .err = text});
  fuzz::ask_all(success, size);
  fuzz::ask_all(failure, size);
  return 0;
}
