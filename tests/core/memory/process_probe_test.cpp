#include "core/memory/process_probe.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace runahead::memory {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

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

TEST(PeakRss, KeepsAPeakThatIsOverUntilItIsReset) {
  const std::uint64_t before = peak_rss_bytes().value();
  { const Resident resident(64 * kMebibyte); }
  const std::uint64_t after = peak_rss_bytes().value();
  EXPECT_GE(after, ProcessProbe().rss_bytes().value() + 50 * kMebibyte);
  EXPECT_GE(after, before);

  if (!reset_peak_rss()) GTEST_SKIP() << "/proc/self/clear_refs may not be written here";
  EXPECT_LT(peak_rss_bytes().value(), after - 30 * kMebibyte);
}

TEST(ProportionalSetProbe, IsNotAboveTheResidentSetByMuchNorBelowTheUniqueSet) {
  ProportionalSetProbe probe;
  ASSERT_EQ(names_of(probe.columns()), (std::vector<std::string>{"pss_bytes", "uss_bytes"}));
  const Resident resident(16 * kMebibyte);
  std::array<Reading, 2> readings{};
  probe.read(readings);
  const auto [pss, uss] = readings;
  if (!pss) GTEST_SKIP() << "no /proc/self/smaps_rollup here";
  EXPECT_GE(*pss, 16 * kMebibyte);
  EXPECT_LE(*pss, *ProcessProbe().rss_bytes() + 8 * kMebibyte);
  EXPECT_GE(uss.value(), 16 * kMebibyte);
  EXPECT_LE(uss.value(), *pss);
}

TEST(ProcessStatusProbe, CountsTheFaultsOfNewPages) {
  ProcessStatusProbe probe;
  std::array<Reading, 3> before{};
  probe.read(before);
  constexpr std::uint64_t kPages = 4;  // Of 2 MiB, the largest that a fault may bring here.
  { const Resident resident(kPages * 2 * kMebibyte); }
  std::array<Reading, 3> after{};
  probe.read(after);

  EXPECT_GE(after[0].value(), before[0].value());
  EXPECT_GE(after[1].value(), before[1].value() + kPages);
  EXPECT_GE(after[2].value(), before[2].value());
}

}  // namespace
}  // namespace runahead::memory
