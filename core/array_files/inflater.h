#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

/// Inflates a compressed part of a file from beginning to end, as much at a time as requested, into
/// the caller's memory: no other memory grows with the inflated size.
class Inflater {
 public:
  enum class Format {
    kDeflate,  ///< Raw, as in zip archives.
    kGzip      ///< With gzip's header and checksum, which is checked; may have several members.
  };

  /// @param file    Its `source` names it in errors.
  /// @param offset  Offset of the compressed part in `file`, which must outlive this.
  Inflater(const FileBytes& file, std::uint64_t offset, std::uint64_t compressed_bytes,
           Format format);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out` from the beginning, as far as the data goes. @return the number of bytes written.
  /// @throws ConfigError with an offset in the file if the compressed data is damaged or cut off.
  [[nodiscard]] std::size_t read(std::span<std::byte> out);

  /// The most that the compressed data can inflate to: 1,032 times its size.
  [[nodiscard]] std::uint64_t most_bytes() const;
  [[nodiscard]] std::uint64_t compressed_bytes() const { return compressed_.size(); }

  /// CRC-32 of what has been read.
  [[nodiscard]] std::uint32_t checksum() const { return checksum_; }

 private:
  struct Stream;

  std::size_t inflate_some(std::span<std::byte> out);
  void end_member();
  [[nodiscard]] std::uint64_t place() const;

  const FileBytes& file_;
  std::uint64_t offset_ = 0;
  std::span<const std::byte> compressed_{};
  Format format_;
  std::unique_ptr<Stream> stream_;
  std::uint32_t checksum_ = 0;
  bool is_at_end_ = false;
};

}  // namespace runahead::array_files
