#include "core/array_files/safetensors.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/array_files/array_names.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_pointer.h"
#include "core/base/json_reader.h"

namespace runahead::array_files {
namespace {

/// Size of the header's length, and the multiple to which the header is padded.
constexpr std::size_t kLengthBytes = 8;

struct Header {
  Json tensors{};         ///< Descriptions by name.
  std::uint64_t end = 0;  ///< Offset of the tensors' data.
  std::string source{};   ///< What it is called in errors.
};

/// The JSON text after its length.
std::string_view json_header(const FileBytes& file) {
  constexpr std::uint64_t kMostBytes = 100'000'000;  // As the format specifies.
  const std::uint64_t length = little_endian(file.span().first(kLengthBytes));
  const std::uint64_t present = file.size - kLengthBytes;
  if (length > kMostBytes || length > present) {
    refuse(file.source, 0, "a header of " + std::to_string(length) + " bytes",
           present < kMostBytes ? "at most " + std::to_string(present) + ", which the file has"
                                : "at most " + std::to_string(kMostBytes));
  }
  return text_of(file.span().subspan(kLengthBytes, length));
}

Header read_header(const FileBytes& file) {
  constexpr std::size_t kMostDepth = 8;
  if (!is_safetensors(file)) {
    refuse(file.source, 0, hexadecimal(file.span(), kLengthBytes), "a .safetensors file");
  }
  const std::string_view text = json_header(file);
  const std::string source = file.source + ": header at byte " + std::to_string(kLengthBytes);
  Json tensors = parse_json(text, source, {.bytes = text.size(), .depth = kMostDepth});
  tensors.erase("__metadata__");
  return {.tensors = std::move(tensors), .end = kLengthBytes + text.size(), .source = source};
}

/// Reads where the tensor is in the data after the header, from its first byte to past its last.
void take_offsets(ObjectReader& description, std::uint64_t data_bytes, Layout& layout) {
  const std::string key = "data_offsets";
  const auto most = static_cast<std::int64_t>(data_bytes);
  const auto offsets = description.integers(key, {.min = 2, .max = 2}, {.min = 0, .max = most});
  if (!offsets) return;
  const std::int64_t begin = (*offsets)[0];
  const std::int64_t end = (*offsets)[1];
  layout.offset += static_cast<std::uint64_t>(begin);
  if (end < begin || static_cast<std::uint64_t>(end - begin) != layout.bytes) {
    description.problems().add(description.pointer_to(key),
                               "found " + std::to_string(begin) + " to " + std::to_string(end) +
                                   "; allowed: " + std::to_string(layout.bytes) +
                                   " bytes, as shape and dtype say");
  }
}

Array read_tensor(const Header& header, const std::string& name, const FileBytes& file) {
  JsonProblems problems(header.source);
  ObjectReader description(header.tensors[name], child_pointer("", name), problems);
  description.require({"dtype", "shape", "data_offsets"});
  std::vector<std::string> names;
  for (const ElementTypeNames& row : kElementTypes) names.emplace_back(row.safetensors);
  const auto type = description.choice("dtype", names);
  const auto shape =
      description.integers("shape", {.min = 0, .max = kMostDimensions},
                           {.min = 0, .max = std::numeric_limits<std::int64_t>::max()});
  problems.throw_if_any();

  Layout layout{.type = kElementTypes.at(*type).type, .shape = *shape, .offset = header.end};
  layout.bytes = checked_bytes(layout.type, layout.shape, file.source, kLengthBytes);
  take_offsets(description, file.size - layout.offset, layout);
  description.report_unknown_keys();
  problems.throw_if_any();
  return array_of(layout, {file.data, file.data.get() + layout.offset}, file.source);
}

using Named = std::pair<std::string, Array>;

/// Puts wide elements first, so that each array begins at a multiple of its element size.
std::vector<Named> in_file_order(const std::map<std::string, Array>& arrays) {
  std::vector<Named> order(arrays.begin(), arrays.end());
  std::stable_sort(order.begin(), order.end(), [](const Named& left, const Named& right) {
    return size_of(left.second.type) > size_of(right.second.type);
  });
  return order;
}

/// The beginning of the file: the header's length, and the header, padded with spaces.
std::string header_of(const std::vector<Named>& arrays) {
  Json header = Json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, array] : arrays) {
    header[name] = {{"dtype", kElementTypes.at(static_cast<std::size_t>(array.type)).safetensors},
                    {"shape", array.shape},
                    {"data_offsets", {offset, offset + array.bytes()}}};
    offset += array.bytes();
  }
  std::string text = dump_json(header);
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::string length(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length[i] = static_cast<char>((std::uint64_t{text.size()} >> (8 * i)) & 0xFFU);
  }
  return length + text;
}

}  // namespace

bool is_safetensors(const FileBytes& file) {
  // A length of more than 4 GiB is not a header's.
  return file.size > kLengthBytes && file.span()[kLengthBytes] == std::byte{'{'} &&
         little_endian(file.span().subspan(4, 4)) == 0;
}

Array read_safetensors(const FileBytes& file, const std::string& name) {
  const Header header = read_header(file);
  std::vector<std::string> names;
  for (const auto& [key, description] : header.tensors.items()) names.push_back(key);
  if (names.empty()) {
    throw ConfigError(header.source + ": found no tensor; allowed: at least one");
  }
  return read_tensor(header, names[chosen_array(names, name, file.source)], file);
}

std::map<std::string, Array> read_all_safetensors(const std::filesystem::path& path) {
  const FileBytes file = map_file(path);
  const Header header = read_header(file);
  std::map<std::string, Array> arrays;
  for (const auto& [name, description] : header.tensors.items()) {
    arrays.emplace(name, read_tensor(header, name, file));
  }
  return arrays;
}

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, Array>& arrays) {
  const std::vector<Named> order = in_file_order(arrays);
  std::string content = header_of(order);
  for (const auto& [name, array] : order) {
    content.append(reinterpret_cast<const char*>(array.data.get()), array.bytes());
  }
  write_file_atomically(path, content);
}

}  // namespace runahead::array_files
