#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/memory/fakes.h"
#include "core/memory/proc_file.h"
#include "core/memory/process_probe.h"
#include "core/memory/process_tree.h"
#include "core/memory/process_tree_probe.h"

namespace runahead::memory {
namespace {

using Root = ProcessTreeProbe::Root;
using test::ManualTicker;
using test::ManualTime;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// A child of this process that has a child of its own with a resident block; ends with the object.
class Family {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

  Family() {
    if (::pipe(ready_) != 0 || ::pipe(end_) != 0) std::abort();
    child_ = ::fork();
    if (child_ != 0) {
      ::close(end_[0]);
      char byte = 0;
      static_cast<void>(!::read(ready_[0], &byte, 1));
      return;
    }
    ::close(end_[1]);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) be_grandchild();
    ::waitpid(grandchild, nullptr, 0);
    ::_exit(0);
  }
  ~Family() {
    end();
    for (const int descriptor : {ready_[0], ready_[1]}) ::close(descriptor);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  [[nodiscard]] pid_t child() const { return child_; }

  /// Ends both and collects the child.
  void end() {
    if (child_ < 0) return;
    ::close(end_[1]);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  [[noreturn]] void be_grandchild() const {
    void* block =
        ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) ::_exit(1);
    std::memset(block, 1, kBlockBytes);
    char byte = 1;
    static_cast<void>(!::write(ready_[1], &byte, 1));
    static_cast<void>(!::read(end_[0], &byte, 1));  // Until the object ends.
    ::_exit(0);
  }

  int ready_[2] = {-1, -1};
  int end_[2] = {-1, -1};
  pid_t child_ = -1;
};

/// Resident memory for the length of a scope.
class Resident {
 public:
  explicit Resident(std::size_t bytes)
      : bytes_(bytes),
        data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ != MAP_FAILED) std::memset(data_, 1, bytes);
  }
  ~Resident() {
    if (data_ != MAP_FAILED) ::munmap(data_, bytes_);
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(ProcessProbe, ReadsAnotherProcessUntilItIsGone) {
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = 0;
    ::close(gate[1]);
    (void)!::read(gate[0], &byte, 1);
    ::_exit(0);
  }
  ::close(gate[0]);
  ProcessProbe probe(child);
  EXPECT_GT(probe.rss_bytes().value_or(0), 0U);
  EXPECT_GT(peak_rss_bytes(child).value_or(0), 0U);

  ::close(gate[1]);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(probe.rss_bytes(), std::nullopt) << "ended, not collected";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(probe.rss_bytes(), std::nullopt) << "collected";
  EXPECT_EQ(peak_rss_bytes(child), std::nullopt);
}

/// A child with a resident block of 64 MiB, which goes on when the test says so.
class Large {
 public:
  /// @param act  What the child then does; it must not return.
  explicit Large(void (*act)(int gate)) {
    if (::pipe(ready_.data()) != 0 || ::pipe(gate_.data()) != 0) std::abort();
    for (const int file : ready_) ::fcntl(file, F_SETFD, FD_CLOEXEC);
    child_ = ::fork();
    if (child_ == 0) {
      ::close(gate_[1]);
      const Resident resident(64 * kMebibyte);
      // Only root may: that line of `status`, before that of the peak, is then of 20 KB.
      static_cast<void>(::setgroups(2000, std::vector<gid_t>(2000, 1'000'000'000).data()));
      char byte = 1;
      (void)!::write(ready_[1], &byte, 1);
      (void)!::read(gate_[0], &byte, 1);
      act(gate_[0]);
      std::abort();
    }
    ::close(ready_[1]);
    ::close(gate_[0]);
    wait_until_ready();
  }
  ~Large() {
    ::close(ready_[0]);
    ::close(gate_[1]);
    ::waitpid(child_, nullptr, 0);
  }
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;

  [[nodiscard]] pid_t id() const { return child_; }
  void go_on() const { (void)!::write(gate_[1], "", 1); }
  /// Returns when it has written, or has executed another program.
  void wait_until_ready() const {
    char byte = 0;
    (void)!::read(ready_[0], &byte, 1);
  }

 private:
  std::array<int, 2> ready_{};
  std::array<int, 2> gate_{};
  pid_t child_ = -1;
};

/// Ends the main thread; another one goes on until the gate is closed.
void leave_a_thread(int gate) {
  std::thread([gate] {
    char byte = 0;
    (void)!::read(gate, &byte, 1);
    ::_exit(0);
  }).detach();
  ::syscall(SYS_exit, 0);
}

void execute_cat(int gate) {
  ::dup2(gate, STDIN_FILENO);
  ::execlp("cat", "cat", nullptr);
}

/// Both columns, once the thread has found the processes of the moment.
std::array<Reading, 2> read_now(ProcessTreeProbe& probe) {
  probe.find_processes();
  std::array<Reading, 2> readings{};
  probe.read(readings);
  // The first reading may still have had the list before: it hands that back.
  probe.find_processes();
  probe.read(readings);
  return readings;
}

TEST(ProcessProbe, ReadsAProcessWhoseMainThreadHasEnded) {
  const Large child(leave_a_thread);
  ManualTime time;
  ProcessTreeProbe tree(child.id(), Root::kCounts, std::make_unique<ManualTicker>(time));
  child.go_on();
  const std::string statm = "/proc/" + std::to_string(child.id()) + "/statm";
  for (std::string line; !line.starts_with("0 "); std::this_thread::yield()) {
    std::ifstream file(statm);
    std::getline(file, line);
  }

  EXPECT_GE(ProcessProbe(child.id()).rss_bytes().value_or(0), 60 * kMebibyte);
  EXPECT_GE(peak_rss_bytes(child.id()).value_or(0), 60 * kMebibyte);
  EXPECT_GE(proportional_set_bytes(child.id()).value_or(0), 60 * kMebibyte);
  const auto [bytes, processes] = read_now(tree);
  EXPECT_GE(bytes.value_or(0), 60 * kMebibyte);
  EXPECT_EQ(processes, 1U);
  EXPECT_EQ(tree.seen().size(), 1U);
}

TEST(PeakRss, KeepsAPeakThatIsOverUntilItIsReset) {
  const std::uint64_t before = peak_rss_bytes().value();
  { const Resident resident(64 * kMebibyte); }
  const std::uint64_t after = peak_rss_bytes().value();
  EXPECT_GE(after, ProcessProbe().rss_bytes().value() + 50 * kMebibyte);
  EXPECT_GE(after, before);

  if (!reset_peak_rss()) GTEST_SKIP() << "/proc/self/clear_refs may not be written here";
  EXPECT_LT(peak_rss_bytes().value(), after - 30 * kMebibyte);
}

TEST(ProcessStatus, CountsTheFaultsOfNewPages) {
  const std::unique_ptr<Probe> probe = make_process_status_probe();
  std::array<Reading, 3> before{};
  probe->read(before);
  constexpr std::uint64_t kPages = 4;  // Of 2 MiB, the largest that a fault may bring here.
  { const Resident resident(kPages * 2 * kMebibyte); }
  std::array<Reading, 3> after{};
  probe->read(after);

  EXPECT_GE(after[0].value(), before[0].value());
  EXPECT_GE(after[1].value(), before[1].value() + kPages);
  EXPECT_GE(after[2].value(), before[2].value());
}

TEST(ProcessTreeProbe, FindsProcessesThatComeAndForgetsThoseThatGo) {
  ManualTime time;
  ProcessTreeProbe probe(::getpid(), Root::kDoesNotCount, std::make_unique<ManualTicker>(time));
  EXPECT_EQ(read_now(probe)[0], std::nullopt);
  EXPECT_EQ(read_now(probe)[1], 0U);
  {
    const Family family;
    ASSERT_TRUE(time.advance(std::chrono::seconds(1)));
    EXPECT_EQ(read_now(probe)[1], 2U);
  }
  EXPECT_EQ(read_now(probe)[0], std::nullopt);
  EXPECT_EQ(read_now(probe)[1], 0U);

  const std::vector<SeenProcess> seen = probe.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0].first_seen, time.now());
  EXPECT_EQ(seen[0].last_seen, time.now());
  EXPECT_GE(seen[1].rss_peak_bytes.value(), Family::kBlockBytes * 9 / 10);
  EXPECT_NE(seen[1].name, "");
  EXPECT_GT(probe.own_cpu_seconds(), 0.0);
}

TEST(ProcessTreeProbe, MeasuresMoreProcessesThanItLists) {
  ManualTime time;
  const Family family;
  ProcessTreeProbe probe(family.child(), Root::kCounts, std::make_unique<ManualTicker>(time), 1);
  const auto [bytes, processes] = read_now(probe);
  EXPECT_GE(bytes.value(), Family::kBlockBytes * 9 / 10);
  EXPECT_EQ(processes, 2U);
  ASSERT_EQ(probe.seen().size(), 1U);
  EXPECT_EQ(probe.seen().front().process_id, family.child());
}

TEST(ProcessTreeProbe, MeasuresEveryProcessWhereFewFilesMayBeOpen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const Family family;
  ManualTime time;
  const rlimit few{.rlim_cur = 16, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    ProcessTreeProbe probe(family.child(), Root::kCounts, std::make_unique<ManualTicker>(time));
    read_now(probe);
    const auto [bytes, processes] = read_now(probe);
    EXPECT_GE(bytes.value_or(0), Family::kBlockBytes * 9 / 10);
    EXPECT_EQ(processes, 2U);
    EXPECT_EQ(probe.seen().size(), 2U);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(ProcessTreeProbe, KeepsThePeakOfAProcessThatExecutesAnotherProgram) {
  const Large child(execute_cat);
  ManualTime time;
  ProcessTreeProbe probe(::getpid(), Root::kDoesNotCount, std::make_unique<ManualTicker>(time));
  child.go_on();
  child.wait_until_ready();
  probe.find_processes();

  ASSERT_EQ(probe.seen().size(), 1U);
  EXPECT_EQ(probe.seen().front().name, "cat");
  EXPECT_GE(probe.seen().front().rss_peak_bytes.value_or(0), 60 * kMebibyte);
}

TEST(ProcessTreeProbe, LeavesOutPeaksFromBeforeIt) {
  { const Resident resident(64 * kMebibyte); }
  ProcessTreeProbe probe(::getpid(), Root::kCounts);
  EXPECT_LT(probe.seen().front().rss_peak_bytes.value(), peak_rss_bytes().value() - 30 * kMebibyte);
  { const Resident resident(128 * kMebibyte); }
  probe.find_processes();
  EXPECT_EQ(probe.seen().front().rss_peak_bytes, peak_rss_bytes());
}

TEST(ProcessTreeProbe, SumsUpTheTreeAndReadsNothingOfAProcessThatHasEnded) {
  ManualTime time;
  Family family;
  ProcessTreeProbe probe(family.child(), Root::kCounts, std::make_unique<ManualTicker>(time));
  const auto [bytes, processes] = read_now(probe);
  EXPECT_GE(bytes.value(), Family::kBlockBytes * 9 / 10);
  ASSERT_EQ(processes, 2U);
  Reading share;
  make_tree_proportional_set_probe(family.child(), Root::kCounts)->read({&share, 1});
  EXPECT_GE(share.value(), Family::kBlockBytes * 9 / 10) << "of the child and its own child";
  family.end();  // Before it is looked for again.

  std::array<Reading, 2> readings{};
  probe.read(readings);
  EXPECT_EQ(readings[0], std::nullopt);
  EXPECT_EQ(readings[1], 0U);
}

}  // namespace
}  // namespace runahead::memory
