#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

/// A file in a zip archive, as the archive's directory describes it.
struct ZipEntry {
  std::string name{};
  std::uint64_t method = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  ///< CRC-32 of the file.
  bool is_encrypted = false;
  std::uint64_t directory_offset = 0;  ///< Position of this entry in the archive's directory.
  std::uint64_t number = 0;
};

/// The directory of a zip archive, with or without the extension for more than 4 GiB (zip64), read
/// by minizip.
class ZipArchive {
 public:
  static constexpr std::uint64_t kStored = 0;
  static constexpr std::uint64_t kDeflated = 8;

  /// @param file  Must outlive this.
  /// @throws ConfigError if the directory is not that of a zip archive.
  explicit ZipArchive(const FileBytes& file);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  [[nodiscard]] const std::vector<ZipEntry>& entries() const noexcept { return entries_; }

  /// Offset in the file of the entry's `compressed_bytes`, all of which are within the file.
  /// @throws ConfigError if they are not, or if the entry's own header contradicts the directory.
  [[nodiscard]] std::uint64_t offset_of(const ZipEntry& entry) const;

 private:
  struct Reader;

  const FileBytes& file_;
  std::unique_ptr<Reader> reader_;
  std::vector<ZipEntry> entries_{};
};

}  // namespace runahead::array_files
