#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "apps/runahead/attended_process.h"
#include "apps/runahead/command.h"
#include "apps/runahead/seen_processes.h"
#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/command/tree_monitor.h"
#include "core/memory/memory_monitor.h"
#include "core/memory/samples_csv.h"
#include "core/record/command_line.h"
#include "core/record/condition.h"
#include "core/recording/run_timeline.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;
using command::TreeMonitor;

struct MonitorOptions {
  double rate_hz = 200.0;
  std::string rate_text{};  ///< As given on the command line.
  std::string out{};
  std::vector<std::string> fail_if{};
  std::optional<pid_t> process_id{};
  std::vector<std::string> command{};
};

/// Checked before the command runs, so that neither the measurement nor an existing file is lost.
void check_output(const fs::path& out) {
  std::error_code error;
  if (fs::is_directory(out, error)) {
    throw ConfigError("--out: '" + out.string() + "' is a folder; give a file");
  }
  const fs::path folder = fs::absolute(out).parent_path();
  if (!fs::is_directory(folder, error)) {
    throw ConfigError("--out: there is no folder '" + folder.string() + "'; make it first");
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    throw ConfigError("--out: cannot write to the folder '" + folder.string() +
                      "': " + std::strerror(errno) + "; give a file in another folder");
  }
  for (const fs::path& file : {out, seen_processes_path(out)}) {
    if (fs::exists(fs::symlink_status(file, error))) {  // A link may lead nowhere.
      throw ConfigError("--out: '" + file.string() + "' exists; remove it, or give another name");
    }
    // It is written under a longer name first.
    const std::string longer = file.string() + ".tmp" + std::to_string(::getpid());
    if (!fs::status_known(fs::symlink_status(longer, error))) {
      throw ConfigError("--out: '" + file.string() + "' cannot be written: " + error.message() +
                        "; give another name");
    }
  }
}

/// Makes the command the words after "--", where the parser has taken lists such as '[a,b]' apart.
/// Refuses one of which this program took options for its own: only after "--" are they the
/// command's.
void require_whole(std::vector<std::string>& command) {
  const std::vector<std::string> words = record::words_of_process("self");
  const auto is_list = [](const std::string& word) {
    return word.starts_with('[') && word.ends_with(']');
  };
  if (std::ranges::any_of(words, is_list)) {
    const auto separator = std::ranges::find(words, "--");
    const std::vector<std::string> after(separator == words.end() ? separator : separator + 1,
                                         words.end());
    const bool begins_there = !after.empty() && !command.empty() &&
                              (command.front() == after.front() || is_list(after.front()));
    if (begins_there) command = after;
  }
  const bool is_whole =
      std::ranges::equal(command | std::views::reverse,
                         words | std::views::reverse | std::views::take(command.size()));
  if (is_whole || words.empty()) return;
  throw ConfigError("monitor: found options after '" + command.front() +
                    "'; allowed: the command after --, as in `runahead monitor -- " +
                    command.front() + " …`, and options of monitor before it");
}

void check(MonitorOptions& options) {
  require_whole(options.command);
  if (options.process_id.has_value() == !options.command.empty()) {
    throw ConfigError(options.command.empty()
                          ? "monitor: no process given; give --pid PID, or a command after --"
                          : "monitor: found --pid and a command; give one of the two");
  }
  const bool is_rate = options.rate_hz >= memory::MonitorOptions::kLeastRateHz &&
                       options.rate_hz <= memory::MonitorOptions::kMostRateHz;  // False for NaN.
  if (!is_rate) {
    throw ConfigError("--rate: found " + options.rate_text +
                      "; allowed: 0.001 to 10000 samples per second");
  }
  if (options.process_id && *options.process_id < 1) {
    throw ConfigError("--pid: found " + std::to_string(*options.process_id) +
                      "; allowed: a process ID, 1 or greater");
  }
  if (!options.out.empty()) check_output(options.out);
}

std::string peak_text(const command::TreePeak& peak) {
  if (!peak.bytes) return "not measured";
  return (peak.is_upper_bound ? "at most " : "") + format_bytes(*peak.bytes);
}

std::string monitor_line(const memory::MemoryMonitor& monitor, const std::string& peak,
                         double seconds, std::size_t processes) {
  const memory::MonitorStats stats = monitor.stats();
  return "peak RSS " + peak + " in " + counted(processes, "process", "processes") + "; " +
         format_duration(seconds) + ", " + counted(stats.samples, "sample") + ", " +
         format_count(static_cast<double>(stats.missed)) + " missed, " +
         significant(100.0 * stats.cpu_seconds / seconds, 2) + " % of a core";
}

/// The command line as typed, but without quotes; "" if that of a process cannot be read.
std::string command_line(const MonitorOptions& options) {
  if (!options.process_id) return joined(options.command, " ");
  return joined(record::words_of_process(std::to_string(*options.process_id)), " ");
}

/// A record with the figures that the monitor measured, for `--fail-if`.
record::Record record_of(const TreeMonitor& monitor, const command::TreePeak& peak, double seconds,
                         bool has_waited) {
  record::Record record;
  record.monitor = recording::figures_of(monitor.monitor().stats());
  record.memory.rss_peak_bytes = peak.bytes;
  record.time.total_seconds = seconds;
  if (has_waited) record.time.cpu_seconds = command::waited_cpu_seconds();
  return record;
}

ExitCode monitor(MonitorOptions& options) {
  check(options);
  const std::vector<record::Condition> conditions = record::parse_conditions(options.fail_if);
  const std::string command = command_line(options);
  // Orphans are reparented to this process, not to init, so they stay in its tree.
  if (!options.process_id) ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
  const TimePoint start = Clock::now();
  // Until this returns, the child is a copy of this process, whose memory is not the command's.
  const std::unique_ptr<AttendedProcess> attended =
      options.process_id ? attend_process(*options.process_id) : start_command(options.command);
  TreeMonitor tree_monitor(
      options.rate_hz, options.process_id.value_or(::getpid()),
      options.process_id ? TreeMonitor::Root::kCounts : TreeMonitor::Root::kDoesNotCount);
  const auto exit_code = static_cast<ExitCode>(attended->wait());
  const double seconds = seconds_between(start, Clock::now());
  tree_monitor.stop();

  const std::vector<memory::SeenProcess> seen = tree_monitor.seen();
  const command::TreePeak peak =
      command::tree_peak(tree_monitor.sampled_peak(), attended->own_bytes());
  log_info(monitor_line(tree_monitor.monitor(), peak_text(peak), seconds, seen.size()));
  std::cerr << seen_processes_table(seen, start);
  if (!options.out.empty()) {
    memory::write_samples_csv(options.out, tree_monitor.monitor().series(), start);
    write_seen_processes(seen_processes_path(options.out), seen, start, command, peak);
  }
  const bool has_waited = !options.process_id;
  return with_bounds(exit_code, record::failures_of(conditions, record_of(tree_monitor, peak,
                                                                          seconds, has_waited)));
}

}  // namespace

Command add_monitor_command(CLI::App& program) {
  const auto options = std::make_shared<MonitorOptions>();
  CLI::App* parser = program.add_subcommand("monitor", "Sample the memory of any process tree");
  parser->add_option("--rate", options->rate_hz, "Samples per second")
      ->capture_default_str()
      ->each([options](const std::string& text) { options->rate_text = text; });
  parser->add_option(
      "--out", options->out,
      "Write the samples to this CSV file, and the processes to NAME.processes.csv next to it");
  parser->add_option("--pid", options->process_id, "Monitor this process until it ends");
  add_fail_if_option(*parser, options->fail_if);
  parser->add_option("command", options->command, "After --: the command to start and monitor");
  return {parser, [options] { return monitor(*options); }};
}

}  // namespace runahead::apps
