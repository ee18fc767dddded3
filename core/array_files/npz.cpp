#include "core/array_files/npz.h"

#include "core/array_files/array_names.h"
#include "core/array_files/inflated_array.h"
#include "core/array_files/layout.h"
#include "core/array_files/npy.h"
#include "core/array_files/zip_archive.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

constexpr std::string_view kNpySuffix = ".npy";

[[noreturn]] void refuse_archive(const std::string& source, const std::string& found) {
  throw ConfigError(source + ": found " + found +
                    "; allowed: arrays as numpy.savez writes them; what torch.save wrote is never "
                    "read");
}

const ZipEntry& chosen_entry(const ZipArchive& archive, const std::string& name,
                             const std::string& source) {
  std::vector<std::string> names;
  std::vector<const ZipEntry*> arrays;
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(kNpySuffix)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kNpySuffix.size()));
    arrays.push_back(&entry);
  }
  if (arrays.empty()) {
    refuse_archive(source, "a zip archive of " + counted(archive.entries().size(), "file") +
                               " and none NAME.npy");
  }
  return *arrays[chosen_array(names, name, source)];
}

void require_readable(const ZipEntry& entry, const std::string& source) {
  if (entry.is_encrypted) {
    refuse(source, entry.directory_offset, "an encrypted entry: " + in_quotes(entry.name),
           "entries without a password");
  }
  if (entry.method != ZipArchive::kStored && entry.method != ZipArchive::kDeflated) {
    refuse(source, entry.directory_offset,
           "compression method " + std::to_string(entry.method) + " of " + in_quotes(entry.name),
           "0 (stored), 8 (deflated)");
  }
  if (entry.method == ZipArchive::kStored && entry.bytes != entry.compressed_bytes) {
    refuse(source, entry.directory_offset,
           std::to_string(entry.bytes) + " bytes that are stored in " +
               std::to_string(entry.compressed_bytes) + ": " + in_quotes(entry.name),
           "equal sizes");
  }
}

Array read_deflated(const FileBytes& file, const ZipEntry& entry, std::uint64_t offset,
                    const std::string& source) {
  Inflater inflater(file, offset, entry.compressed_bytes, Inflater::Format::kDeflate);
  const Array array = inflate_array(
      inflater, {.read = read_npy_header, .most_bytes = kMostNpyHeaderBytes}, source, entry.bytes);
  if (inflater.checksum() != entry.checksum) {
    refuse(file.source, offset, "an entry with another checksum: " + in_quotes(entry.name),
           "the one of the directory; get the file again");
  }
  return array;
}

}  // namespace

Array read_npz(const FileBytes& file, const std::string& name) {
  // minizip does not open an empty archive.
  if (text_of(file.span()).starts_with(kEmptyZipMagic)) {
    refuse_archive(file.source, "an empty zip archive");
  }
  const ZipArchive archive(file);
  const ZipEntry& entry = chosen_entry(archive, name, file.source);
  require_readable(entry, file.source);
  const std::uint64_t offset = archive.offset_of(entry);
  const std::string source = file.source + ": " + in_quotes(entry.name);
  if (entry.method == ZipArchive::kDeflated) return read_deflated(file, entry, offset, source);
  const FileBytes stored{
      .source = source, .data = {file.data, file.data.get() + offset}, .size = entry.bytes};
  return array_at_the_end(stored, read_npy_header(stored.span(), source));
}

}  // namespace runahead::array_files
