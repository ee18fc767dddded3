#include "core/slurm/task_list.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"

namespace runahead::slurm {

namespace {

/// A damaged list must not be read forever.
constexpr std::size_t kMaxTasks = 100'000;

[[noreturn]] void fail_unwritten(const std::filesystem::path& path) {
  throw Error("'" + path.string() + "' could not be written: is the disk full?");
}

}  // namespace

std::string run_key(const std::string& cell_id, std::int64_t repeat) {
  return cell_id + "-" + std::to_string(repeat);
}

TaskListWriter::TaskListWriter(std::filesystem::path path)
    : path_(std::move(path)), file_(path_, std::ios::binary | std::ios::trunc) {
  if (!file_) fail_unwritten(path_);
}

void TaskListWriter::append(const sweep::Cell& cell, std::int64_t repeat) {
  const Json line = {{"id", cell.id},
                     {"repeat", repeat},
                     {"axes", cell.axes},
                     {"config", config::to_json(cell.config)}};
  file_ << dump_json(line) << '\n';
  ++size_;
}

void TaskListWriter::finish() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_) fail_unwritten(path_);
}

TaskList::TaskList(std::filesystem::path path) : path_(std::move(path)) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw Error("'" + path_.string() + "' cannot be read");
  std::uint64_t start = 0;
  for (std::string line; std::getline(file, line); start += line.size() + 1) {
    if (starts_.size() == kMaxTasks) {
      throw Error("'" + path_.string() + "' has more than " + std::to_string(kMaxTasks) +
                  " lines: it is no list of tasks of this program");
    }
    starts_.push_back(start);
  }
}

std::string TaskList::name_of_line(std::int64_t index) const {
  return path_.string() + ", line " + std::to_string(index + 1);
}

Json TaskList::parse(const std::string& line, std::int64_t index) const {
  try {
    Json document = parse_json(line, name_of_line(index));
    if (document.is_object() && document.contains("id") && document["id"].is_string() &&
        document.contains("repeat") && document["repeat"].is_number_integer() &&
        document.contains("axes") && document.contains("config")) {
      return document;
    }
  } catch (const ConfigError& error) {
    throw Error(error.what());
  }
  throw Error(name_of_line(index) + ": is no task: id, repeat, axes and config are wanted");
}

Task TaskList::read(std::int64_t index) const {
  if (index < 0 || index >= size()) {
    throw Error("'" + path_.string() + "' has " + std::to_string(size()) + " tasks: none is " +
                std::to_string(index));
  }
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(starts_[static_cast<std::size_t>(index)]));
  std::string line;
  std::getline(file, line);
  const Json document = parse(line, index);
  Task task;
  task.cell.id = document["id"].get<std::string>();
  task.cell.axes = document["axes"];
  try {
    task.cell.config = config::read_experiment(document["config"], name_of_line(index));
  } catch (const ConfigError& error) {
    throw Error(error.what());
  }
  task.repeat = document["repeat"].get<std::int64_t>();
  return task;
}

std::vector<std::string> TaskList::keys() const {
  std::vector<std::string> keys;
  keys.reserve(starts_.size());
  std::ifstream file(path_, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const Json document = parse(line, static_cast<std::int64_t>(keys.size()));
    keys.push_back(
        run_key(document["id"].get<std::string>(), document["repeat"].get<std::int64_t>()));
  }
  return keys;
}

}  // namespace runahead::slurm
