#include "core/array_files/safetensors_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/array_files/safetensors.h"
#include "core/base/file.h"
#include "core/base/json.h"

namespace runahead::array_files {
namespace {

/// Size of the header's length field, and the multiple to which the header is padded.
constexpr std::size_t kUnitBytes = 8;

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
    header[name] = {{"dtype", safetensors_name(array.type)},
                    {"shape", array.shape},
                    {"data_offsets", {offset, offset + array.bytes()}}};
    offset += array.bytes();
  }
  std::string text = dump_json(header);
  text.resize((text.size() + kUnitBytes - 1) / kUnitBytes * kUnitBytes, ' ');
  std::string length(kUnitBytes, '\0');
  for (std::size_t i = 0; i < kUnitBytes; ++i) {
    length[i] = static_cast<char>((std::uint64_t{text.size()} >> (8 * i)) & 0xFFU);
  }
  return length + text;
}

}  // namespace

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
