// Stands in for `runahead-cell` in tests of the programs that start it. It takes the same arguments
// and behaves as STUB_CELL_MODES says: "MODE", or "SEED=MODE,SEED=MODE" by the config's seed, `ok`
// for a seed that is not named. Other variables:
//   STUB_CELL_FIFO      it writes its process id there when it has started, before the mode applies
//   STUB_CELL_RESULTS   a JSON object with the record's `results` under the name of each device
//   STUB_CELL_GATE      the mode `gated` waits for this file, which the mode `opens_gate` makes
//   STUB_CELL_PROGRESS  written to --progress-file first of all
// `devices` lists cpu and acpu.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/record/record_file.h"

namespace {

using namespace runahead;

struct Arguments {
  std::filesystem::path config{};
  std::filesystem::path out{};
  std::filesystem::path axes{};
  std::filesystem::path progress{};
  std::int64_t repeat = 0;
};

Arguments read_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  if (words.size() > 1) arguments.config = words[1];
  for (std::size_t index = 2; index + 1 < words.size(); ++index) {
    if (words[index] == "--out") arguments.out = words[index + 1];
    if (words[index] == "--axes") arguments.axes = words[index + 1];
    if (words[index] == "--progress-file") arguments.progress = words[index + 1];
    if (words[index] == "--repeat") arguments.repeat = std::stoll(words[index + 1]);
  }
  return arguments;
}

std::string mode_of_seed(const std::string& seed) {
  const char* modes = std::getenv("STUB_CELL_MODES");
  if (modes == nullptr) return "ok";
  if (std::string(modes).find('=') == std::string::npos) return modes;
  std::istringstream pairs(modes);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    if (pair.starts_with(seed + "=")) return pair.substr(seed.size() + 1);
  }
  return "ok";
}

void announce() {
  const char* path = std::getenv("STUB_CELL_FIFO");
  if (path == nullptr) return;
  const std::string line = std::to_string(::getpid()) + "\n";
  const int fifo = ::open(path, O_WRONLY);
  if (::write(fifo, line.data(), line.size()) < 0) std::exit(70);
  ::close(fifo);
}

void write_progress(const Arguments& arguments) {
  const char* progress = std::getenv("STUB_CELL_PROGRESS");
  if (progress != nullptr && !arguments.progress.empty()) {
    std::ofstream(arguments.progress) << progress;
  }
}

record::Record finished_record(const Arguments& arguments) {
  const config::ExperimentConfig config = config::load_experiment(arguments.config, {});
  const Json axes = arguments.axes.empty() ? Json::object() : read_json_file(arguments.axes);
  record::Record record = record::make_record(config, arguments.repeat, axes);
  const double seed = static_cast<double>(config.seed);
  record.time.issue_seconds = 0.25 + seed;
  record.time.total_seconds = 1.5 + seed;
  record.time.cpu_seconds = 1.5 + seed;
  record.time.examples_per_second = 1000.0;
  record.memory.rss_growth_bytes = 25'000'000;
  record.memory.held_peak_bytes = 2'000'000;
  record.backlog.batches_peak = 7;
  record.loss.last = 0.125;
  if (const char* results = std::getenv("STUB_CELL_RESULTS"); results != nullptr) {
    record.results = parse_json(results, "STUB_CELL_RESULTS").at(config.device);
  }
  return record;
}

int write_and_exit(const Arguments& arguments, record::Status status, const std::string& error,
                   int code) {
  record::Record record = finished_record(arguments);
  record.status = status;
  if (!error.empty()) record.error = error;
  record::write_record(arguments.out / "record.json", record);
  return code;
}

int end_ok(const Arguments& arguments) {
  std::cout << "the stub's table" << std::endl;
  return write_and_exit(arguments, record::Status::kOk, "", 0);
}

[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// Leaves a process in its own session behind, which SIGTERM does not end.
int leave_a_daemon(const Arguments& arguments) {
  int ready[2];
  if (::pipe(ready) != 0) return 75;
  if (::fork() == 0) {
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    ::close(ready[0]);
    ::close(ready[1]);
    hang();
  }
  ::close(ready[1]);
  char nothing = 0;
  if (::read(ready[0], &nothing, 1) != 0) return 76;
  announce();
  return end_ok(arguments);
}

int end_behind_gate(const Arguments& arguments) {
  const char* gate = std::getenv("STUB_CELL_GATE");
  while (gate != nullptr && !std::filesystem::exists(gate)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return end_ok(arguments);
}

int open_gate(const Arguments& arguments) {
  std::ofstream(std::getenv("STUB_CELL_GATE")) << "\n";
  return end_ok(arguments);
}

int die_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  return 71;
}

int flood(const Arguments& arguments) {
  const std::string line(1023, 'x');
  for (int count = 0; count < 8 * 1024; ++count) std::cout << line << '\n';
  std::cerr << "the last words" << std::endl;
  return end_ok(arguments);
}

int allocate() {
  constexpr std::size_t kBlockBytes = std::size_t{16} << 20;
  std::vector<std::vector<char>> blocks;
  for (int count = 0; count < 64; ++count) {
    blocks.emplace_back(kBlockBytes, 'x');
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  hang();
}

/// Allocates a gigabyte that RSS does not show.
int hoard() {
  const int file = ::memfd_create("hoard", 0);
  const std::vector<char> block(std::size_t{16} << 20, 'x');
  for (int count = 0; count < 64; ++count) {
    if (::write(file, block.data(), block.size()) < 0) return 73;
  }
  return 74;
}

int write_half_a_record(const Arguments& arguments) {
  const std::string text = record::to_json(finished_record(arguments)).dump();
  std::ofstream(arguments.out / "record.json") << text.substr(0, text.size() / 2);
  return 1;
}

/// Writes what was measured when asked to stop, as the real one does.
int wait_for_the_stop(const Arguments& arguments) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  announce();
  int signal = 0;
  ::sigwait(&stop, &signal);
  return write_and_exit(arguments, record::Status::kInterrupted, "interrupted", 130);
}

int exit_with(int code) {
  std::cerr << "about to fail\nthe reason\n\n";
  return code;
}

int list_devices() {
  std::cout << R"([{"device": "cpu", "available": true}, {"device": "acpu", "available": true},
                   {"device": "cuda", "available": false}])"
            << std::endl;
  return 0;
}

int behave(const std::string& mode, const Arguments& arguments) {
  write_progress(arguments);
  if (mode == "graceful") return wait_for_the_stop(arguments);
  if (mode == "daemon") return leave_a_daemon(arguments);
  if (mode == "stubborn") ::signal(SIGTERM, SIG_IGN);
  announce();
  if (mode == "ok") return end_ok(arguments);
  if (mode == "failed") {
    return write_and_exit(arguments, record::Status::kFailed, "operator 'mm' failed", 1);
  }
  if (mode == "hang" || mode == "stubborn") hang();
  if (mode == "abort") return die_by(SIGABRT);
  if (mode == "segv") return die_by(SIGSEGV);
  if (mode == "killed") return die_by(SIGKILL);
  if (mode == "terminated") return die_by(SIGTERM);
  if (mode == "flood") return flood(arguments);
  if (mode == "allocate") return allocate();
  if (mode == "hoard") return hoard();
  if (mode == "gated") return end_behind_gate(arguments);
  if (mode == "opens_gate") return open_gate(arguments);
  if (mode == "half") return write_half_a_record(arguments);
  if (mode == "half_ok") return write_and_exit(arguments, record::Status::kOk, "", 1);
  if (mode == "disk_full") throw Error(std::strerror(ENOSPC));
  if (mode == "quota_used_up") throw Error(std::strerror(EDQUOT));
  if (mode.starts_with("exit")) return exit_with(std::stoi(mode.substr(4)));
  std::cerr << "stub_cell: unknown mode '" << mode << "'\n";
  return 72;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "echo") {
    for (const std::string& word : words) std::cout << word << '\n';
    return 0;
  }
  if (!words.empty() && words.front() == "devices") return list_devices();
  const Arguments arguments = read_arguments(words);
  std::string seed;
  if (std::filesystem::exists(arguments.config)) {
    seed = read_json_file(arguments.config).value("seed", Json(0)).dump();
  }
  try {
    return behave(mode_of_seed(seed), arguments);
  } catch (const Error& error) {
    std::cerr << "runahead: error: " << error.what() << std::endl;
    return 1;
  }
}
