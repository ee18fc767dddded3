#pragma once

#include <filesystem>

namespace runahead {

/// An empty folder below the system's temporary folder. The destructor removes it with its content.
class ScratchFolder {
 public:
  /// @throws Error if it cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_{};
};

}  // namespace runahead
