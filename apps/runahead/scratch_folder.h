#pragma once

#include <filesystem>

namespace runahead::apps {

/// A folder for what is needed only while a command runs, below the system's temporary one; removed
/// with all that is in it when this goes.
class ScratchFolder {
 public:
  /// @throws Error if it cannot be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_{};
};

}  // namespace runahead::apps
