#include "core/memory/process_tree_probe.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/memory/proc_file.h"
#include "core/memory/process_tree.h"
#include "core/memory/slow_lane.h"

namespace runahead::memory {
namespace {

constexpr double kShareOfACore = 0.02;
/// By how much the kernel's readings of one process may fall, because it counts in batches.
constexpr std::uint64_t kImprecisionBytes = std::uint64_t{1} << 20;

struct Identity {
  std::string name{};             ///< Empty once the process is gone.
  std::uint64_t start_ticks = 0;  ///< 0 once it is gone.
};

/// From a line such as "12 (name) S 1 …", whose 22nd word is the time of the start.
Identity identity_of(pid_t process_id) {
  constexpr int kWordsBefore = 20;  ///< Spaces from the name's end to that word.
  std::array<char, 1024> buffer;
  const ProcFile file("/proc/" + std::to_string(process_id) + "/stat");
  const std::string_view line = file.read(buffer).value_or("");
  const std::size_t begin = line.find('(');
  std::size_t end = line.rfind(')');  // A name may contain any character.
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  Identity identity{.name = std::string(line.substr(begin + 1, end - begin - 1))};
  for (int word = 0; word < kWordsBefore && end != std::string_view::npos; ++word) {
    end = line.find(' ', end + 1);
  }
  if (end != std::string_view::npos) {
    identity.start_ticks = parse_count(line.substr(end + 1)).value_or(0);
  }
  return identity;
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
    for (const auto& [process_id, member] : found_) {
      if (!member->seen_index) continue;
      peaks_before_bytes_[*member->seen_index] =
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
  for (const auto& [process_id, member] : *read_) {
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
    Identity identity = identity_of(process_id);
    std::shared_ptr<Member> member = find_member(process_id, identity.start_ticks, now);
    if (member->seen_index) note_seen(*member, std::move(identity.name), now);
    members.insert_or_assign(process_id, std::move(member));
  }
  const bool is_new = members != found_;
  found_ = std::move(members);
  const std::lock_guard handover_lock(handover_mutex_);
  returned_.reset();
  if (is_new) offered_ = std::make_unique<const Members>(found_);
}

std::shared_ptr<ProcessTreeProbe::Member> ProcessTreeProbe::find_member(pid_t process_id,
                                                                        std::uint64_t start_ticks,
                                                                        TimePoint now) {
  const auto known = found_.find(process_id);
  const bool is_known =
      known != found_.end() && (start_ticks == 0 || start_ticks == known->second->start_ticks);
  if (!is_known) {
    return std::make_shared<Member>(process_id, start_ticks, list(process_id, start_ticks, now));
  }
  const Member& member = *known->second;
  if (member.probe.rss_bytes()) return known->second;
  // It has ended, or the thread by which its memory was read has.
  auto other = std::make_shared<Member>(process_id, member.start_ticks, member.seen_index);
  return other->probe.rss_bytes() ? other : known->second;
}

std::optional<std::size_t> ProcessTreeProbe::list(pid_t process_id, std::uint64_t start_ticks,
                                                  TimePoint now) {
  const std::pair key(process_id, start_ticks);
  if (const auto place = places_.find(key); place != places_.end()) return place->second;
  if (seen_.size() == most_seen_) return std::nullopt;
  places_.emplace(key, seen_.size());
  seen_.push_back({.process_id = process_id, .first_seen = now});
  peaks_before_bytes_.emplace_back();
  if (seen_.size() == most_seen_) {
    log_warning("all processes are measured, but only the first " + std::to_string(most_seen_) +
                " are listed");
  }
  return seen_.size() - 1;
}

void ProcessTreeProbe::note_seen(const Member& member, std::string name, TimePoint now) {
  SeenProcess& seen = seen_[*member.seen_index];
  seen.last_seen = now;
  if (!name.empty()) seen.name = std::move(name);  // Another one after it has executed a program.
  const Reading peak = peak_rss_bytes(member.process_id);
  if (!peak) return;
  Reading& noted = seen.rss_peak_bytes;
  if (peak != peaks_before_bytes_[*member.seen_index]) {
    // The latest reading is the most exact, unless VmHWM has begun again with another program.
    if (*peak + kImprecisionBytes >= noted.value_or(0)) noted = peak;
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
    cpu_seconds_.store(thread_cpu_seconds(), std::memory_order_relaxed);
    pause_after(thread_cpu_seconds() - cpu_before, kShareOfACore, *ticker_, stop);
  }
}

std::unique_ptr<Probe> make_tree_proportional_set_probe(pid_t root,
                                                        ProcessTreeProbe::Root root_counts) {
  return std::make_unique<FunctionProbe>(
      std::vector<Column>{"pss_bytes"}, [root, root_counts](std::span<Reading> readings) {
        Reading sum;
        for (const pid_t process_id : counted_processes(root, root_counts)) {
          const Reading bytes = proportional_set_bytes(process_id);
          if (bytes) sum = sum.value_or(0) + *bytes;
        }
        readings[0] = sum;
      });
}

}  // namespace runahead::memory
