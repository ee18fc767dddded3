#include "core/memory/process_tree_probe.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include "core/base/log.h"
#include "core/memory/proc_file.h"
#include "core/memory/slow_lane.h"

namespace runahead::memory {
namespace {

constexpr double kShareOfACore = 0.02;

std::string name_of(pid_t process_id) {
  std::ifstream file("/proc/" + std::to_string(process_id) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

std::vector<pid_t> counted_processes(pid_t root, ProcessTreeProbe::Root root_counts) {
  std::vector<pid_t> processes = tree_processes(root);
  if (root_counts == ProcessTreeProbe::Root::kDoesNotCount) processes.erase(processes.begin());
  return processes;
}

}  // namespace

ProcessTreeProbe::ProcessTreeProbe(pid_t root, Root root_counts, std::unique_ptr<Ticker> ticker,
                                   std::size_t most_seen)
    : root_(root),
      root_counts_(root_counts),
      ticker_(std::move(ticker)),
      most_seen_(most_seen),
      read_(std::make_unique<Members>()) {
  find_processes();
  if (root_counts_ == Root::kCounts) {
    for (const std::shared_ptr<Member>& member : found_) {
      if (!member->seen_index) continue;
      member->peak_before_bytes =
          std::exchange(seen_[*member->seen_index].rss_peak_bytes, member->probe.rss_bytes());
    }
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ProcessTreeProbe::~ProcessTreeProbe() = default;

void ProcessTreeProbe::read(std::span<Reading> readings) noexcept {
  {
    const std::unique_lock lock(handover_mutex_, std::try_to_lock);
    if (lock.owns_lock() && offered_ != nullptr && returned_ == nullptr) {
      returned_ = std::exchange(read_, std::move(offered_));
    }
  }
  std::uint64_t bytes = 0;
  std::uint64_t processes = 0;
  for (const std::shared_ptr<Member>& member : *read_) {
    const Reading rss_bytes = member->probe.rss_bytes();
    if (!rss_bytes) continue;
    bytes += *rss_bytes;
    ++processes;
  }
  readings[0] = processes > 0 ? Reading(bytes) : std::nullopt;
  readings[1] = processes;
}

void ProcessTreeProbe::find_processes() {
  const std::lock_guard lock(finding_mutex_);
  const TimePoint now = ticker_->now();
  Members members;
  for (const pid_t process_id : counted_processes(root_, root_counts_)) {
    std::shared_ptr<Member> member = find_member(process_id);
    if (member == nullptr) member = add_member(process_id, now);
    if (member->seen_index) note_seen(*member, now);
    members.push_back(std::move(member));
  }
  const bool is_new = members != found_;
  found_ = std::move(members);
  const std::lock_guard handover_lock(handover_mutex_);
  returned_.reset();
  if (is_new) offered_ = std::make_unique<const Members>(found_);
}

// A process ID may have been reused meanwhile: then the old process's file reads as gone, and a
// newly opened one does not. A zombie process cannot be read either way.
std::shared_ptr<ProcessTreeProbe::Member> ProcessTreeProbe::find_member(pid_t process_id) const {
  const auto member = std::ranges::find_if(found_, [&](const std::shared_ptr<Member>& known) {
    return known->process_id == process_id &&
           (known->probe.rss_bytes() || !ProcessProbe(process_id).rss_bytes());
  });
  return member == found_.end() ? nullptr : *member;
}

std::shared_ptr<ProcessTreeProbe::Member> ProcessTreeProbe::add_member(pid_t process_id,
                                                                       TimePoint now) {
  if (seen_.size() == most_seen_) return std::make_shared<Member>(process_id, std::nullopt);
  auto member = std::make_shared<Member>(process_id, seen_.size());
  seen_.push_back({.process_id = process_id, .first_seen = now});
  if (seen_.size() == most_seen_) {
    log_warning("all processes are measured, but only the first " + std::to_string(most_seen_) +
                " are listed");
  }
  return member;
}

void ProcessTreeProbe::note_seen(const Member& member, TimePoint now) {
  SeenProcess& seen = seen_[*member.seen_index];
  seen.last_seen = now;
  // It changes when a process executes another program, and is empty once the process has ended.
  if (std::string name = name_of(member.process_id); !name.empty()) seen.name = std::move(name);
  const Reading peak = peak_rss_bytes(member.process_id);
  if (!peak) return;
  Reading& noted = seen.rss_peak_bytes;
  if (peak != member.peak_before_bytes) {
    noted = peak;
  } else if (const Reading bytes = member.probe.rss_bytes()) {
    noted = std::max(noted.value_or(0), *bytes);
  }
}

std::vector<SeenProcess> ProcessTreeProbe::seen() const {
  const std::lock_guard lock(finding_mutex_);
  return seen_;
}

void ProcessTreeProbe::run(const std::stop_token& stop) noexcept {
  pthread_setname_np(pthread_self(), "process tree");
  while (!stop.stop_requested()) {
    const double cpu_before = thread_cpu_seconds();
    try {
      find_processes();
    } catch (const std::exception& error) {
      log_warning(std::string("the processes could not be listed: ") + error.what());
      return;
    }
    pause_after(thread_cpu_seconds() - cpu_before, kShareOfACore, *ticker_, stop);
  }
}

void TreeProportionalSetProbe::read(std::span<Reading> readings) noexcept {
  readings[0] = std::nullopt;
  try {
    for (const pid_t process_id : counted_processes(root_, root_counts_)) {
      std::array<char, 4096> buffer;
      const ProcFile file("/proc/" + std::to_string(process_id) + "/smaps_rollup");
      const auto text = file.read(buffer);
      const Reading bytes = text ? find_kib_field(*text, "Pss:") : std::nullopt;
      if (bytes) readings[0] = readings[0].value_or(0) + *bytes;
    }
  } catch (const std::exception&) {
    readings[0] = std::nullopt;
  }
}

}  // namespace runahead::memory
