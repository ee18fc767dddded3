#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead::test {
namespace {

/// While it lives, descendants whose parent has ended become children of this process, which can
/// then see when the last one is gone.
class AdoptedProcesses {
 public:
  AdoptedProcesses() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&child_);
    sigaddset(&child_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_, &before_);
  }
  ~AdoptedProcesses() {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  AdoptedProcesses(const AdoptedProcesses&) = delete;
  AdoptedProcesses& operator=(const AdoptedProcesses&) = delete;

  /// Blocks until this process has no child. @throws std::runtime_error if one stays.
  void wait_until_none_is_left() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (pid_t ended = 0; (ended = ::waitpid(-1, nullptr, WNOHANG)) >= 0;) {
      if (ended > 0) continue;
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("one is left");
      // A signal that came before this call ends it at once; a short wait bounds what is missed.
      const timespec at_most{.tv_sec = 0, .tv_nsec = 100'000'000};
      ::sigtimedwait(&child_, nullptr, &at_most);
    }
  }

 private:
  sigset_t child_{};
  sigset_t before_{};
};

/// A small file system (tmpfs) that only this process and its children see.
class SmallDisk {
 public:
  /// Mounts it on `folder`, which exists, if that is permitted.
  SmallDisk(std::filesystem::path folder, std::size_t size_bytes) : folder_(std::move(folder)) {
    is_mounted_ = has_own_mounts() && mount_with(0, size_bytes);
    if (!is_mounted_) why_not_ = std::string("mounting is not permitted: ") + std::strerror(errno);
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why it could not be mounted; empty if it was.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// @return whether it has that size now.
  bool resize(std::size_t size_bytes) { return mount_with(MS_REMOUNT, size_bytes); }

 private:
  /// Leaves the mounts of the others alone, as root or as root of a user namespace of its own.
  static bool has_own_mounts() {
    const auto user = ::getuid();
    const auto group = ::getgid();
    if (::unshare(CLONE_NEWNS) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
      std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    }
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }

  bool mount_with(unsigned long flags, std::size_t size_bytes) {
    const std::string options = "size=" + std::to_string(size_bytes);
    return ::mount("runahead-test", folder_.c_str(), "tmpfs", flags, options.c_str()) == 0;
  }

  std::filesystem::path folder_;
  std::string why_not_{};
  bool is_mounted_ = false;
};

/// The records that a sweep left, as readers of its file see them.
class SweepFaultTest : public ProgramTest {
 protected:
  using RecordOfRun = std::multimap<std::string, Json>;  ///< By id and repeat.

  /// What a folder's records say of the runs that ended ok, without what no two runs have in
  /// common.
  static RecordOfRun accepted_records(const std::filesystem::path& folder) {
    RecordOfRun records;
    for (Json& record : records_of(folder)) {
      if (record["status"] != "ok") continue;
      for (const char* key : {"cell", "command", "ended_at"}) record.erase(key);
      records.emplace(record["id"].get<std::string>() + "-" + record["repeat"].dump(), record);
    }
    return records;
  }

  /// Lines that are cut short are no records.
  static std::vector<Json> records_of(const std::filesystem::path& folder) {
    std::vector<Json> records;
    std::ifstream file(folder / "records.jsonl");
    for (std::string line; std::getline(file, line);) {
      if (Json::accept(line)) records.push_back(Json::parse(line));
    }
    return records;
  }

  /// The accepted records of a sweep that nothing disturbed.
  RecordOfRun undisturbed_records(const std::string& config) {
    const std::filesystem::path folder = this->folder() / "undisturbed";
    EXPECT_EQ(runahead({"sweep", config, "--out", folder.string()}).exit_code, 0);
    return accepted_records(folder);
  }
};

}  // namespace
}  // namespace runahead::test

namespace runahead {
namespace {

// A sweep whose disk fills up under it.

using ::testing::HasSubstr;
using SweepFullDisk = test::SweepFaultTest;

constexpr unsigned kSeed = 9;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPlentyBytes = std::size_t{64} << 20;

TEST_F(SweepFullDisk, ReportsItAndCompletesWhenThereIsRoomAgain) {
  // A cell writes at least four files, of a page each: none of these sizes is enough for 60.
  const std::string config = sweep_of_seeds(60);
  const RecordOfRun expected = undisturbed_records(config);
  std::mt19937 random(kSeed);
  for (int moment = 0; moment < 6; ++moment) {
    const auto pages = std::uniform_int_distribution<std::size_t>(2, 240)(random);
    SCOPED_TRACE(std::to_string(pages) + " pages, of seed " + std::to_string(kSeed));
    const std::filesystem::path out = folder() / ("disk" + std::to_string(moment));
    std::filesystem::create_directory(out);
    test::SmallDisk disk(out, pages * kPageBytes);
    if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();

    const test::ProgramEnd full = runahead({"sweep", config, "--out", out.string()});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("No space left on device"));
    ASSERT_TRUE(disk.resize(kPlentyBytes));
    const test::ProgramEnd resumed = runahead({"sweep", config, "--out", out.string()});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(accepted_records(out), expected);
  }
}

// What is left of a sweep that is killed at moments it cannot choose.

using SweepKilled = test::SweepFaultTest;

constexpr unsigned kKillSeed = 9;
constexpr int kKills = 20;

/// A moment in the life of a sweep: so many cells have begun, and then so much time went by.
struct Moment {
  int cells = 0;
  int milliseconds = 0;
};

Moment random_moment(std::mt19937& random) {
  return {.cells = std::uniform_int_distribution(1, 3)(random),
          .milliseconds = std::uniform_int_distribution(0, 30)(random)};
}

TEST_F(SweepKilled, AtRandomMomentsLosesNoRecordAndLeavesNoProcess) {
  const std::string config = sweep_of_seeds(60, {{"repeats", 2}, {"jobs", 2}});
  const RecordOfRun expected = undisturbed_records(config);
  ASSERT_EQ(expected.size(), 120U);

  const test::AdoptedProcesses adopted;
  std::mt19937 random(kKillSeed);
  environment_["STUB_CELL_MODES"] = "daemon";
  for (int kill = 0; kill < kKills; ++kill) {
    SCOPED_TRACE("kill " + std::to_string(kill) + " of seed " + std::to_string(kKillSeed));
    const Moment moment = random_moment(random);
    test::Fifo fifo(folder() / ("fifo" + std::to_string(kill)));
    environment_["STUB_CELL_FIFO"] = fifo.path().string();
    test::Program sweep(folder(), RUNAHEAD, {"sweep", config, "--out", out()}, environment_);
    for (int cell = 0; cell < moment.cells; ++cell) static_cast<void>(fifo.read_line());
    ::poll(nullptr, 0, moment.milliseconds);
    sweep.send(SIGKILL);

    EXPECT_EQ(sweep.wait().exit_code, -1) << "it had ended before";
    ASSERT_NO_THROW(adopted.wait_until_none_is_left());
  }
  environment_.erase("STUB_CELL_FIFO");
  const test::ProgramEnd end = runahead({"sweep", config, "--out", out()});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(accepted_records(out()), expected);
  EXPECT_NO_THROW(adopted.wait_until_none_is_left());
}

}  // namespace
}  // namespace runahead
