#include "core/array_files/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/array_files/array_names.h"
#include "core/array_files/layout.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/json_pointer.h"
#include "core/base/json_reader.h"

namespace runahead::array_files {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";

struct TensorType {
  const char* name = nullptr;
  ElementType type = ElementType::kFloat32;
};

constexpr std::array<TensorType, 10> kTensorTypes{{{"BOOL", ElementType::kBool},
                                                   {"U8", ElementType::kUint8},
                                                   {"I8", ElementType::kInt8},
                                                   {"I16", ElementType::kInt16},
                                                   {"I32", ElementType::kInt32},
                                                   {"I64", ElementType::kInt64},
                                                   {"F16", ElementType::kFloat16},
                                                   {"BF16", ElementType::kBfloat16},
                                                   {"F32", ElementType::kFloat32},
                                                   {"F64", ElementType::kFloat64}}};

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

std::string header_source(const FileBytes& file) {
  return file.source + ": header at byte " + std::to_string(kLengthBytes);
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

void require_key(const ObjectReader& description, const std::string& key) {
  if (description.has(key)) return;
  description.problems().add(description.pointer_to(key), "is missing");
}

/// @param text_bytes  Bytes of the header, excluding its length.
Layout read_description(const Json& found, const std::string& name, const FileBytes& file,
                        std::uint64_t text_bytes) {
  JsonProblems problems(header_source(file));
  ObjectReader description(found, child_pointer("", name), problems);
  problems.throw_if_any();
  std::vector<std::string> names;
  for (const TensorType& row : kTensorTypes) names.emplace_back(row.name);
  for (const std::string key : {"dtype", "shape", "data_offsets"}) require_key(description, key);
  const auto type = description.choice("dtype", names);
  const auto shape =
      description.integers("shape", {.min = 0, .max = kMostDimensions},
                           {.min = 0, .max = std::numeric_limits<std::int64_t>::max()});
  problems.throw_if_any();

  Layout layout{
      .type = kTensorTypes.at(*type).type, .shape = *shape, .offset = kLengthBytes + text_bytes};
  layout.bytes = checked_bytes(layout.type, layout.shape, file.source, kLengthBytes);
  take_offsets(description, file.size - layout.offset, layout);
  description.report_unknown_keys();
  problems.throw_if_any();
  return layout;
}

/// A file whose header was read.
class TensorFile {
 public:
  /// @param file  Must outlive this.
  explicit TensorFile(const FileBytes& file) : file_(file) {
    constexpr std::size_t kMostDepth = 8;
    if (!is_safetensors(file)) {
      refuse(file.source, 0, hexadecimal(file.span(), kLengthBytes), "a .safetensors file");
    }
    const std::string_view text = json_header(file);
    text_bytes_ = text.size();
    header_ = parse_json(text, header_source(file), {.bytes = text_bytes_, .depth = kMostDepth});
    for (const auto& [key, description] : header_.items()) {
      if (key != kMetadataKey) names_.push_back(key);
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  [[nodiscard]] Array read(const std::string& name) const {
    const Layout layout = read_description(header_[name], name, file_, text_bytes_);
    return array_of(layout, {file_.data, file_.data.get() + layout.offset}, file_.source);
  }

 private:
  const FileBytes& file_;
  Json header_{};
  std::uint64_t text_bytes_ = 0;
  std::vector<std::string> names_{};
};

}  // namespace

const char* safetensors_name(ElementType type) {
  const auto* found = std::find_if(kTensorTypes.begin(), kTensorTypes.end(),
                                   [&](const TensorType& row) { return row.type == type; });
  return found->name;
}

bool is_safetensors(const FileBytes& file) {
  // A length of more than 4 GiB is not a header's.
  return file.size > kLengthBytes && file.span()[kLengthBytes] == std::byte{'{'} &&
         little_endian(file.span().subspan(4, 4)) == 0;
}

Array read_safetensors(const FileBytes& file, const std::string& name) {
  const TensorFile tensors(file);
  if (tensors.names().empty()) {
    throw ConfigError(header_source(file) + ": found no tensor; allowed: at least one");
  }
  return tensors.read(tensors.names()[chosen_array(tensors.names(), name, file.source)]);
}

std::map<std::string, Array> read_all_safetensors(const FileBytes& file) {
  const TensorFile tensors(file);
  std::map<std::string, Array> arrays;
  for (const std::string& name : tensors.names()) arrays.emplace(name, tensors.read(name));
  return arrays;
}

}  // namespace runahead::array_files
