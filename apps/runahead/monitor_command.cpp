#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/runahead/attended_process.h"
#include "apps/runahead/command.h"
#include "apps/runahead/seen_processes.h"
#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/number_text.h"
#include "core/memory/cgroup.h"
#include "core/memory/memory_monitor.h"
#include "core/memory/process_tree_probe.h"
#include "core/memory/samples_csv.h"
#include "core/memory/slow_lane.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;
using memory::ProcessTreeProbe;

struct MonitorOptions {
  double rate_hz = 200.0;
  std::string out{};
  std::optional<pid_t> process_id{};
  std::vector<std::string> command{};
};

/// Before the command runs: what it took to measure must not be lost, nor what lies there already.
void check_output(const fs::path& out) {
  std::error_code error;
  if (fs::is_directory(out, error)) {
    throw ConfigError("--out: '" + out.string() + "' is a folder; give a file");
  }
  const fs::path folder = fs::absolute(out).parent_path();
  if (!fs::is_directory(folder, error)) {
    throw ConfigError("--out: there is no folder '" + folder.string() + "'; make it first");
  }
  for (const fs::path& file : {out, seen_processes_path(out)}) {
    if (!fs::exists(file, error)) continue;
    throw ConfigError("--out: '" + file.string() + "' exists; remove it, or give another name");
  }
}

void check(const MonitorOptions& options) {
  if (options.process_id.has_value() == !options.command.empty()) {
    throw ConfigError("monitor: give either --pid PID or, after --, a command");
  }
  const bool is_rate = options.rate_hz >= memory::MonitorOptions::kLeastRateHz &&
                       options.rate_hz <= memory::MonitorOptions::kMostRateHz;  // NaN is none.
  if (!is_rate) {
    std::string found = "--rate: found ";
    append_number(found, options.rate_hz, std::chars_format::fixed);
    throw ConfigError(found + "; allowed: 0.001 to 10000 samples a second");
  }
  if (options.process_id && *options.process_id < 1) {
    throw ConfigError("--pid: found " + std::to_string(*options.process_id) +
                      "; allowed: the number of a process, 1 or more");
  }
  if (!options.out.empty()) check_output(options.out);
}

/// The monitor of one process tree. Its slow lane has the tree's PSS and the cgroup.
class TreeMonitor {
 public:
  TreeMonitor(double rate_hz, pid_t root, ProcessTreeProbe::Root root_counts) {
    auto tree = std::make_unique<ProcessTreeProbe>(root, root_counts);
    tree_ = tree.get();
    std::vector<std::unique_ptr<memory::Probe>> slow;
    slow.push_back(std::make_unique<memory::TreeProportionalSetProbe>(root, root_counts));
    slow.push_back(std::make_unique<memory::CgroupProbe>());
    std::vector<std::unique_ptr<memory::Probe>> probes;
    probes.push_back(std::move(tree));
    probes.push_back(std::make_unique<memory::SlowLane>(std::move(slow)));
    monitor_ = std::make_unique<memory::MemoryMonitor>(memory::MonitorOptions{.rate_hz = rate_hz},
                                                       std::move(probes));
    monitor_->start();
  }

  [[nodiscard]] ProcessTreeProbe& tree() { return *tree_; }
  [[nodiscard]] memory::MemoryMonitor& monitor() { return *monitor_; }

 private:
  std::unique_ptr<memory::MemoryMonitor> monitor_;
  ProcessTreeProbe* tree_ = nullptr;  ///< The monitor's.
};

/// @param who  RUSAGE_SELF, or RUSAGE_CHILDREN: the largest of a single process, of those that this
/// one has waited for and of theirs.
std::uint64_t rss_peak_bytes(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

/// The peak of the samples, unless the kernel knows of a higher one between them.
/// @param own_bytes  This process's peak when it started the command. The kernel counts a child's
/// from the fork on, so that this much may be ours.
std::string peak_text(const memory::Reading& sampled_bytes, std::uint64_t own_bytes) {
  const std::uint64_t kernels_bytes = rss_peak_bytes(RUSAGE_CHILDREN);
  if (kernels_bytes > own_bytes && kernels_bytes > sampled_bytes.value_or(0)) {
    return format_bytes(kernels_bytes);
  }
  if (sampled_bytes.value_or(0) > 0) return format_bytes(*sampled_bytes);
  return kernels_bytes == 0 ? "not measured" : "at most " + format_bytes(kernels_bytes);
}

std::string describe(const memory::MemoryMonitor& monitor, const std::string& peak, double seconds,
                     std::size_t processes) {
  char text[160];
  std::snprintf(text, sizeof text,
                " in %zu process%s; %.3g s, %llu samples, %llu missed, %.2g %% of a core",
                processes, processes == 1 ? "" : "es", seconds,
                static_cast<unsigned long long>(monitor.stats().samples),
                static_cast<unsigned long long>(monitor.stats().missed),
                1e2 * monitor.stats().cpu_seconds / seconds);
  return "peak RSS " + peak + text;
}

/// As it is typed, but without quotes. "" if a process's cannot be read.
std::string command_line(const MonitorOptions& options) {
  std::vector<std::string> words = options.command;
  if (options.process_id) {
    std::ifstream file("/proc/" + std::to_string(*options.process_id) + "/cmdline");
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

ExitCode monitor(const MonitorOptions& options) {
  check(options);
  const std::string command = command_line(options);
  // Orphans come to this process rather than to init: they stay in its tree.
  if (!options.process_id) ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
  std::unique_ptr<AttendedProcess> attended;
  if (options.process_id) attended = attend_process(*options.process_id);
  TreeMonitor tree_monitor(
      options.rate_hz, options.process_id.value_or(::getpid()),
      options.process_id ? ProcessTreeProbe::Root::kCounts : ProcessTreeProbe::Root::kDoesNotCount);
  const TimePoint start = Clock::now();
  if (attended == nullptr) attended = start_command(options.command);
  const std::uint64_t own_peak_bytes = rss_peak_bytes(RUSAGE_SELF);
  tree_monitor.tree().find_processes();
  const int exit_code = attended->wait();
  const double seconds = seconds_between(start, Clock::now());
  tree_monitor.tree().find_processes();
  tree_monitor.monitor().stop();

  const std::vector<memory::SeenProcess> seen = tree_monitor.tree().seen();
  const memory::Reading sampled_bytes = tree_monitor.monitor().series().peak("rss_bytes");
  log_info(describe(tree_monitor.monitor(), peak_text(sampled_bytes, own_peak_bytes), seconds,
                    seen.size()));
  std::cerr << seen_processes_table(seen, start);
  if (!options.out.empty()) {
    memory::write_samples_csv(options.out, tree_monitor.monitor().series(), start);
    write_seen_processes(seen_processes_path(options.out), seen, start, command);
  }
  return static_cast<ExitCode>(exit_code);
}

}  // namespace

Command add_monitor_command(CLI::App& program) {
  const auto options = std::make_shared<MonitorOptions>();
  CLI::App* parser = program.add_subcommand("monitor", "Sample the memory of any process tree");
  parser->add_option("--rate", options->rate_hz, "Samples a second")->capture_default_str();
  parser->add_option("--out", options->out,
                     "Write the samples to this file (CSV), and the processes next to it");
  parser->add_option("--pid", options->process_id, "Monitor this process until it ends");
  parser->add_option("command", options->command, "After --: the command to start and monitor");
  return {parser, [options] { return monitor(*options); }};
}

}  // namespace runahead::apps
