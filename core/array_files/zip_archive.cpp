#include "core/array_files/zip_archive.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace runahead::array_files {

/// What minizip reads instead of a file.
struct ZipBytes {
  std::span<const std::byte> bytes{};
  std::uint64_t place = 0;
  bool is_cut_off = false;  ///< The last read went past the end.
};

namespace {

ZipBytes& zip_bytes(voidpf stream) { return *static_cast<ZipBytes*>(stream); }

voidpf open_zip_bytes(voidpf opaque, const void*, int) { return opaque; }

uLong read_zip_bytes(voidpf, voidpf stream, void* to, uLong wanted) {
  ZipBytes& zip = zip_bytes(stream);
  const uLong count = std::min<uLong>(wanted, zip.bytes.size() - zip.place);
  if (count > 0) std::memcpy(to, zip.bytes.data() + zip.place, count);
  zip.place += count;
  zip.is_cut_off = count < wanted;
  return count;
}

ZPOS64_T zip_bytes_position(voidpf, voidpf stream) { return zip_bytes(stream).place; }

/// minizip expects 0 if the position is within the file, otherwise any other number.
long seek_zip_bytes(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  ZipBytes& zip = zip_bytes(stream);
  const std::uint64_t from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? zip.place
                             : origin == ZLIB_FILEFUNC_SEEK_END ? zip.bytes.size()
                                                                : 0;
  if (offset > zip.bytes.size() - from) return -1;
  zip.place = from + offset;
  return 0;
}

int close_zip_bytes(voidpf, voidpf) { return 0; }

/// minizip calls this after a short read, and assumes zeros for the rest unless it returns 1.
int error_of_zip_bytes(voidpf, voidpf stream) { return zip_bytes(stream).is_cut_off ? 1 : 0; }

[[noreturn]] void refuse_directory(const FileBytes& file) {
  throw ConfigError(file.source +
                    ": found a zip archive whose directory, at its end, is damaged or cut off; "
                    "allowed: one that is whole; get the file again");
}

}  // namespace

struct ZipArchive::Reader {
  explicit Reader(const FileBytes& file) : stream{.bytes = file.span()} {
    zlib_filefunc64_def functions{};
    functions.zopen64_file = open_zip_bytes;
    functions.zread_file = read_zip_bytes;
    functions.ztell64_file = zip_bytes_position;
    functions.zseek64_file = seek_zip_bytes;
    functions.zclose_file = close_zip_bytes;
    functions.zerror_file = error_of_zip_bytes;
    functions.opaque = &stream;
    archive = ::unzOpen2_64("", &functions);
    if (archive == nullptr) refuse_directory(file);
  }
  ~Reader() { ::unzClose(archive); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The entry at minizip's current position.
  [[nodiscard]] ZipEntry entry(const FileBytes& file) const {
    unz_file_info64 info{};
    unz64_file_pos position{};
    std::string name;
    int result = ::unzGetCurrentFileInfo64(archive, &info, nullptr, 0, nullptr, 0, nullptr, 0);
    if (result == UNZ_OK) {
      name.resize(info.size_filename);
      result = ::unzGetCurrentFileInfo64(archive, &info, name.data(), info.size_filename, nullptr,
                                         0, nullptr, 0);
    }
    if (result != UNZ_OK || ::unzGetFilePos64(archive, &position) != UNZ_OK) {
      refuse_directory(file);
    }
    return {.name = name,
            .method = info.compression_method,
            .compressed_bytes = info.compressed_size,
            .bytes = info.uncompressed_size,
            .checksum = static_cast<std::uint32_t>(info.crc),
            .is_encrypted = (info.flag & 1U) != 0,
            .directory_offset = position.pos_in_zip_directory,
            .number = position.num_of_file};
  }

  ZipBytes stream;
  unzFile archive = nullptr;
};

ZipArchive::ZipArchive(const FileBytes& file)
    : file_(file), reader_(std::make_unique<Reader>(file)) {
  unz_global_info64 info{};
  if (::unzGetGlobalInfo64(reader_->archive, &info) != UNZ_OK) refuse_directory(file);
  if (info.number_entry == 0) return;
  int result = ::unzGoToFirstFile(reader_->archive);
  for (; result == UNZ_OK; result = ::unzGoToNextFile(reader_->archive)) {
    entries_.push_back(reader_->entry(file));
  }
  if (result != UNZ_END_OF_LIST_OF_FILE) refuse_directory(file);
}

ZipArchive::~ZipArchive() = default;

std::uint64_t ZipArchive::offset_of(const ZipEntry& entry) const {
  unz64_file_pos position{.pos_in_zip_directory = entry.directory_offset,
                          .num_of_file = entry.number};
  int method = 0;
  const bool is_open = ::unzGoToFilePos64(reader_->archive, &position) == UNZ_OK &&
                       ::unzOpenCurrentFile2(reader_->archive, &method, nullptr, 1) == UNZ_OK;
  const std::uint64_t offset =
      is_open ? ::unzGetCurrentFileZStreamPos64(reader_->archive) : file_.size;
  ::unzCloseCurrentFile(reader_->archive);
  if (!is_open) {
    refuse(file_.source, entry.directory_offset,
           "an entry of the directory that the entry itself contradicts: " + in_quotes(entry.name),
           "a zip archive that is whole; get the file again");
  }
  if (offset > file_.size || entry.compressed_bytes > file_.size - offset) {
    refuse(file_.source, entry.directory_offset,
           "an entry of " + std::to_string(entry.compressed_bytes) + " bytes from byte " +
               std::to_string(offset) + " on: " + in_quotes(entry.name),
           "within the " + std::to_string(file_.size) + " bytes of the file; get the file again");
  }
  return offset;
}

}  // namespace runahead::array_files
