#include "core/sweep/folder_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/fifo.h"
#include "support/temporary_folder.h"

namespace runahead::sweep {
namespace {

using ::testing::HasSubstr;

class FolderLockTest : public ::testing::Test {
 protected:
  /// Locks the folder in another process, which then waits.
  pid_t lock_elsewhere() {
    const pid_t process = ::fork();
    if (process != 0) {
      EXPECT_EQ(fifo_.read_line(), "locked");
      return process;
    }
    const FolderLock lock(folder_.path());
    const int fifo = ::open(fifo_.path().c_str(), O_WRONLY | O_CLOEXEC);
    if (::write(fifo, "locked\n", 7) != 7) ::_exit(1);
    for (;;) ::pause();
  }

  static void kill(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }

  runahead::test::TemporaryFolder folder_;
  runahead::test::Fifo fifo_{folder_.path() / "fifo"};
};

TEST_F(FolderLockTest, NamesWhoHasIt) {
  const pid_t holder = lock_elsewhere();
  const std::string message =
      runahead::test::error_message<ConfigError>([&] { const FolderLock second(folder_.path()); });
  kill(holder);

  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  EXPECT_THAT(message,
              HasSubstr("another sweep is running in '" + folder_.path().string() + "' (process " +
                        std::to_string(holder) + " on " + host.data() + "); wait for it"));
}

TEST_F(FolderLockTest, IsDroppedWhenItsProcessIsKilled) {
  kill(lock_elsewhere());

  EXPECT_NO_THROW(FolderLock(folder_.path()));
}

TEST_F(FolderLockTest, IsNotKeptByAChildThatTheProcessForked) {
  pid_t child = 0;
  {
    const FolderLock lock(folder_.path());
    child = ::fork();
    for (; child == 0;) ::pause();
  }
  EXPECT_NO_THROW(FolderLock(folder_.path()));
  kill(child);
}

TEST_F(FolderLockTest, ReportsAFolderInWhichNoFileCanBe) {
  EXPECT_THAT(runahead::test::error_message<Error>([] { const FolderLock lock("/nowhere"); }),
              HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace runahead::sweep
