#include "core/array_files/npz.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <limits>

#include "core/array_files/array_names.h"
#include "core/array_files/inflated_array.h"
#include "core/array_files/npy.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

constexpr std::string_view kNpySuffix = ".npy";
constexpr std::string_view kWhole = "a zip archive that is whole; get the file again";

/// A file in a zip archive, as the archive's directory describes it.
struct Entry {
  std::string name{};
  unz_file_info64 info{};
  unz64_file_pos place{};
};

[[noreturn]] void refuse_archive(const std::string& source, const std::string& found) {
  throw ConfigError(source + ": found " + found +
                    "; allowed: arrays as numpy.savez writes them; what torch.save wrote is never "
                    "read");
}

[[noreturn]] void refuse_entry(const Entry& entry, const std::string& source,
                               const std::string& found, const std::string& allowed) {
  refuse(source, entry.place.pos_in_zip_directory, found + ": " + in_quotes(entry.name), allowed);
}

/// All files of an archive. @param archive  Null if it cannot be opened.
std::vector<Entry> entries_of(unzFile archive, const std::string& source) {
  std::string name(std::numeric_limits<std::uint16_t>::max(), '\0');
  std::vector<Entry> entries;
  int result = ::unzGoToFirstFile(archive);
  for (; result == UNZ_OK; result = ::unzGoToNextFile(archive)) {
    Entry entry;
    result = ::unzGetCurrentFileInfo64(archive, &entry.info, name.data(), name.size(), nullptr, 0,
                                       nullptr, 0);
    if (result != UNZ_OK || ::unzGetFilePos64(archive, &entry.place) != UNZ_OK) break;
    entry.name = name.substr(0, entry.info.size_filename);
    entries.push_back(entry);
  }
  if (result == UNZ_END_OF_LIST_OF_FILE) return entries;
  throw ConfigError(source +
                    ": found a zip archive whose directory, at its end, is damaged or cut "
                    "off; allowed: " +
                    std::string(kWhole));
}

Entry chosen_entry(const std::vector<Entry>& entries, const std::string& name,
                   const std::string& source) {
  std::vector<std::string> names;
  std::vector<const Entry*> arrays;
  for (const Entry& entry : entries) {
    if (!entry.name.ends_with(kNpySuffix)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kNpySuffix.size()));
    arrays.push_back(&entry);
  }
  if (arrays.empty()) {
    refuse_archive(source,
                   "a zip archive of " + counted(entries.size(), "file") + " and none NAME.npy");
  }
  return *arrays[chosen_array(names, name, source)];
}

void require_readable(const Entry& entry, const std::string& source) {
  const unz_file_info64& info = entry.info;
  if ((info.flag & 1U) != 0) {
    refuse_entry(entry, source, "an encrypted entry", "entries without a password");
  }
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
    refuse_entry(entry, source, "compression method " + std::to_string(info.compression_method),
                 "0 (stored), 8 (deflated)");
  }
  if (info.compression_method == 0 && info.uncompressed_size != info.compressed_size) {
    refuse_entry(entry, source,
                 std::to_string(info.uncompressed_size) + " bytes that are stored in " +
                     std::to_string(info.compressed_size),
                 "equal sizes");
  }
}

/// Makes the entry the archive's current one. @return the offset of its data, all of which is
/// within the file.
std::uint64_t open_entry(unzFile archive, const Entry& entry, const FileBytes& file) {
  if (::unzGoToFilePos64(archive, &entry.place) != UNZ_OK ||
      ::unzOpenCurrentFile(archive) != UNZ_OK) {
    refuse_entry(entry, file.source, "an entry of the directory that the entry itself contradicts",
                 std::string(kWhole));
  }
  const std::uint64_t offset = ::unzGetCurrentFileZStreamPos64(archive);
  if (offset > file.size || entry.info.compressed_size > file.size - offset) {
    refuse_entry(entry, file.source,
                 "an entry of " + std::to_string(entry.info.compressed_size) + " bytes from byte " +
                     std::to_string(offset) + " on",
                 "within the " + std::to_string(file.size) + " bytes of the file; get it again");
  }
  return offset;
}

/// Fills `out` from its beginning with the next bytes of the archive's current entry.
std::size_t read_inflated(unzFile archive, const Entry& entry, std::span<std::byte> out,
                          const std::string& source) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;  // The count is an int.
  for (std::size_t done = 0;;) {
    const auto room = static_cast<unsigned>(std::min(out.size() - done, kMostAtOnce));
    const int count = ::unzReadCurrentFile(archive, out.data() + done, room);
    if (count == Z_MEM_ERROR) throw OutOfMemoryError(source + ": there is no memory to inflate it");
    if (count < 0) refuse_entry(entry, source, "damaged compressed data", std::string(kWhole));
    if (count == 0) return done;
    done += static_cast<std::size_t>(count);
  }
}

Array read_deflated(unzFile archive, const Entry& entry, const FileBytes& file,
                    const std::string& source) {
  const Array array = inflate_array({.compressed_bytes = entry.info.compressed_size,
                                     .inflated_bytes = entry.info.uncompressed_size,
                                     .inflate =
                                         [&](std::span<std::byte> out) {
                                           return read_inflated(archive, entry, out, file.source);
                                         }},
                                    read_npy_header, source);
  if (::unzCloseCurrentFile(archive) == UNZ_OK) return array;
  refuse_entry(entry, file.source, "an entry with another checksum",
               "the one of the directory; get the file again");
}

}  // namespace

Array read_npz(const std::filesystem::path& path, const FileBytes& file, const std::string& name) {
  // minizip does not open an empty archive.
  if (text_of(file.span()).starts_with(kEmptyZipMagic)) {
    refuse_archive(file.source, "an empty zip archive");
  }
  const std::unique_ptr<void, int (*)(unzFile)> archive(::unzOpen64(path.c_str()), ::unzClose);
  const Entry entry = chosen_entry(entries_of(archive.get(), file.source), name, file.source);
  require_readable(entry, file.source);
  const std::uint64_t offset = open_entry(archive.get(), entry, file);
  const std::string source = file.source + ": " + in_quotes(entry.name);
  if (entry.info.compression_method == Z_DEFLATED) {
    return read_deflated(archive.get(), entry, file, source);
  }
  const FileBytes stored{.source = source,
                         .data = {file.data, file.data.get() + offset},
                         .size = entry.info.compressed_size};
  return array_at_the_end(stored, read_npy_header(stored.span(), source));
}

}  // namespace runahead::array_files
