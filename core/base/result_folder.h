#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The folders that commands write their results to.
namespace runahead {

/// Where a command writes its results without `--out`: runs/<time>-`name`, with the time in UTC as
/// 20260131-235959, so that folders sort by time and look alike on every machine; with -2, -3, …
/// appended if that exists. Relative to the working folder; not created.
[[nodiscard]] std::filesystem::path new_result_folder(const std::string& name);

/// Checks that results written to a folder cannot be mistaken for those of another command.
/// @param own   Files that it may hold, although they are results.
/// @param more  Files, besides results, that it must not hold.
/// @throws ConfigError naming the first file that it must not hold.
void require_no_results(const std::filesystem::path& folder,
                        const std::vector<std::string>& own = {},
                        const std::vector<std::string>& more = {});

/// Reserves a folder for one process, among those of this machine, by a lock on the folder itself.
/// The kernel drops the lock when the process ends, however it ends. Some file systems have no such
/// lock; there, nothing is reserved.
class FolderClaim {
 public:
  /// Does not wait. @throws ConfigError if it is reserved.
  explicit FolderClaim(const std::filesystem::path& folder);

  /// Gives the folder back, even if a forked child still has it open.
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  /// @throws Error if the folder was moved or removed since: what is written to its path would go
  /// to another one.
  void require_in_place() const;

 private:
  std::filesystem::path folder_;
  int file_ = -1;
};

/// A folder for the results of one command, reserved for it during the object's lifetime.
class ResultFolder {
 public:
  /// Creates the folder and its parents unless they exist.
  /// @param path  If empty, a folder of new_result_folder(name) that no other command has created.
  /// @param more  As for require_no_results().
  /// @throws ConfigError if it is a file, is reserved or holds results; Error if it cannot be
  /// created.
  ResultFolder(std::filesystem::path path, const std::string& name,
               const std::vector<std::string>& more = {});

  /// Removes again what this object created, if nothing was written.
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  void require_in_place() const { claim_->require_in_place(); }

 private:
  void create();
  void create_new(const std::string& name);

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_{};  ///< The folders that it created, innermost first.
  std::optional<FolderClaim> claim_{};
};

}  // namespace runahead
