#include "core/array_files/array_file.h"

#include "core/array_files/idx.h"
#include "core/array_files/npy.h"
#include "core/array_files/npz.h"
#include "core/array_files/safetensors.h"
#include "core/base/error.h"

namespace runahead::array_files {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B";

/// For formats whose files hold one array, without a name.
void require_no_name(const FileBytes& file, const std::string& name) {
  if (name.empty()) return;
  throw ConfigError(file.source + ": found the name " + in_quotes(name) +
                    "; allowed: none, the file holds one array, without a name");
}

/// @throws ConfigError that says which first bytes a readable file has.
[[noreturn]] void refuse_format(const FileBytes& file) {
  constexpr std::size_t kShownBytes = 8;
  const bool is_pickle =
      file.size > 1 && file.data.get()[0] == std::byte{0x80} && file.data.get()[1] <= std::byte{5};
  refuse(
      file.source, 0,
      hexadecimal(file.span(), kShownBytes) +
          (is_pickle ? ", perhaps a pickle of Python, which is never read" : ""),
      "the first bytes of .npy (93 4E 55 4D 50 59), .npz (50 4B 03 04), IDX (00 00), IDX in gzip "
      "(1F 8B), .safetensors (a length in 8 bytes, then 7B)");
}

}  // namespace

Array read_array(const std::filesystem::path& path, const std::string& name) {
  using namespace std::string_view_literals;
  const FileBytes file = map_file(path);
  const auto begins_with = [text = text_of(file.span())](std::string_view magic) {
    return text.starts_with(magic);
  };
  if (begins_with(kZipMagic) || begins_with(kEmptyZipMagic)) return read_npz(path, file, name);
  // Its length may begin like an IDX file.
  if (is_safetensors(file)) return read_safetensors(file, name);
  require_no_name(file, name);
  if (begins_with(kNpyMagic)) {
    return array_at_the_end(file, read_npy_header(file.span(), file.source));
  }
  if (begins_with("\0\0"sv)) {
    return array_at_the_end(file, read_idx_header(file.span(), file.source));
  }
  if (begins_with(kGzipMagic)) return read_idx_in_gzip(path, file);
  refuse_format(file);
}

}  // namespace runahead::array_files
