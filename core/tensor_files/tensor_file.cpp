#include "core/tensor_files/tensor_file.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/array_files/array_file.h"
#include "core/array_files/array_names.h"
#include "core/array_files/safetensors.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::tensor_files {
namespace {

using array_files::Array;
using array_files::ElementType;

/// In the order of ElementType.
constexpr std::array kTypes{torch::kBool,    torch::kUInt8,  torch::kInt8,    torch::kInt16,
                            torch::kInt32,   torch::kInt64,  torch::kFloat16, torch::kBFloat16,
                            torch::kFloat32, torch::kFloat64};

constexpr const char* kTypeNames =
    "bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64";

/// The array as a tensor, without a copy: it keeps the array's memory alive.
torch::Tensor tensor_of(const Array& array) {
  auto* elements = const_cast<std::byte*>(array.data.get());
  return torch::from_blob(
      elements, array.shape, [memory = array.data](void*) {},
      kTypes.at(static_cast<std::size_t>(array.type)));
}

/// A host tensor as an array, which keeps the tensor's memory alive, or a contiguous copy.
Array array_of(const torch::Tensor& tensor) {
  const auto* type = std::ranges::find(kTypes, tensor.scalar_type());
  RUNAHEAD_REQUIRE(type != kTypes.end(), "arrays hold numbers");
  const auto whole = std::make_shared<torch::Tensor>(tensor.contiguous());
  return {.type = static_cast<ElementType>(type - kTypes.begin()),
          .shape = whole->sizes().vec(),
          .data = {whole, static_cast<const std::byte*>(whole->const_data_ptr())}};
}

bool is_written_by_torch(const std::filesystem::path& path) {
  return path.extension() == ".pt" || path.extension() == ".pth";
}

/// What torch.save wrote, and the bytes that the file has for each storage, by its address: a
/// storage itself is of the size that the pickle claims.
struct Unpickled {
  torch::jit::IValue value{};
  std::unordered_map<const void*, std::size_t> storage_bytes{};
};

Unpickled unpickle(const std::filesystem::path& path) {
  caffe2::serialize::PyTorchStreamReader archive(path.string());
  const auto [pickle, pickle_bytes] = archive.getRecord("data.pkl");
  const std::string_view program(static_cast<const char*>(pickle.get()), pickle_bytes);
  if (program.find("_rebuild_qtensor") != std::string_view::npos) {  // Would read its scales.
    throw ConfigError(path.string() + ": found a quantized tensor; allowed: a dense one of " +
                      kTypeNames);
  }
  Unpickled result;
  torch::jit::Unpickler unpickler(
      [rest = program](char* to, std::size_t bytes) mutable {
        const std::size_t copied = rest.copy(to, bytes);
        rest.remove_prefix(copied);
        return copied;
      },
      nullptr, nullptr,
      [&](const std::string& name) {
        auto [data, bytes] = archive.getRecord("data/" + name);
        result.storage_bytes[data.get()] = bytes;
        return std::move(data);
      },
      torch::kCPU);
  unpickler.set_version(archive.version());
  result.value = unpickler.parse_ivalue();
  return result;
}

Unpickled read_pickled(const std::filesystem::path& path) {
  static_cast<void>(array_files::map_file(path));  // Its errors say why there is no such file.
  try {
    return unpickle(path);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    throw ConfigError(path.string() + ": found nothing that can be read (" + first_line(error) +
                      "); allowed: a tensor, or a dict of tensors, as torch.save writes them since "
                      "PyTorch 1.6, of " +
                      kTypeNames + "; save a state_dict as dict(model.state_dict()); " +
                      "other objects hold code, which is never run");
  }
}

/// Whether every element is within the `bytes` of the tensor's storage, which LibTorch does not
/// check.
bool is_within(const torch::Tensor& tensor, std::size_t bytes) {
  std::int64_t last = tensor.storage_offset();
  if (last < 0) return false;
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
    const std::int64_t size = tensor.size(axis);
    const std::int64_t stride = tensor.stride(axis);
    std::int64_t reach = 0;
    if (size < 0 || stride < 0 ||
        __builtin_mul_overflow(std::max<std::int64_t>(size, 1) - 1, stride, &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return tensor.numel() == 0 || static_cast<std::size_t>(last) < bytes / tensor.dtype().itemsize();
}

void require_within_file(const torch::Tensor& tensor, const Unpickled& file,
                         const std::string& source) {
  const auto storage = file.storage_bytes.find(tensor.storage().data());
  const std::size_t bytes = storage == file.storage_bytes.end() ? 0 : storage->second;
  if (is_within(tensor, bytes)) return;
  throw ConfigError(source + ": found the shape (" + comma_separated(tensor.sizes().vec()) +
                    "), strides (" + comma_separated(tensor.strides().vec()) + ") and offset " +
                    std::to_string(tensor.storage_offset()) + "; allowed: elements within the " +
                    counted(bytes, "byte") + " that the file has for them; save it again");
}

torch::Tensor only_tensor(const torch::Tensor& tensor, const std::filesystem::path& path,
                          const std::string& name) {
  if (name.empty()) return tensor;
  throw ConfigError(path.string() + ": found one tensor without a name; allowed: no name");
}

torch::Tensor tensor_named(const c10::Dict<torch::jit::IValue, torch::jit::IValue>& dict,
                           const std::filesystem::path& path, const std::string& name) {
  std::vector<std::string> names;
  std::vector<torch::Tensor> tensors;
  for (const auto& entry : dict) {
    if (!entry.key().isString() || !entry.value().isTensor()) continue;
    names.push_back(entry.key().toStringRef());
    tensors.push_back(entry.value().toTensor());
  }
  if (names.empty()) {
    throw ConfigError(path.string() + ": found a dict without tensors; allowed: at least one");
  }
  return tensors[array_files::chosen_array(names, name, path.string())];
}

torch::Tensor chosen_tensor(const torch::jit::IValue& value, const std::filesystem::path& path,
                            const std::string& name) {
  if (value.isTensor()) return only_tensor(value.toTensor(), path, name);
  if (value.isGenericDict()) return tensor_named(value.toGenericDict(), path, name);
  throw ConfigError(path.string() + ": found " + value.tagKind() +
                    "; allowed: a tensor, or a dict of tensors");
}

torch::Tensor read_written_by_torch(const std::filesystem::path& path, const std::string& name) {
  const Unpickled file = read_pickled(path);
  const torch::Tensor tensor = chosen_tensor(file.value, path, name);
  const std::string source =
      path.string() + (name.empty() ? "" : ": " + array_files::in_quotes(name));
  require_storable(tensor, source);
  require_within_file(tensor, file, source);
  return tensor.detach().contiguous();
}

}  // namespace

void require_storable(const torch::Tensor& tensor, const std::string& source) {
  const bool is_dense = tensor.layout() == torch::kStrided;
  if (is_dense && std::ranges::find(kTypes, tensor.scalar_type()) != kTypes.end()) return;
  throw ConfigError(source + ": found a " + (is_dense ? "" : "sparse ") + "tensor of the type " +
                    torch::toString(tensor.scalar_type()) + "; allowed: a dense one of " +
                    kTypeNames);
}

torch::Tensor read_tensor(const std::filesystem::path& path, const std::string& name) {
  return is_written_by_torch(path) ? read_written_by_torch(path, name)
                                   : tensor_of(array_files::read_array(path, name));
}

std::map<std::string, torch::Tensor> read_tensors(const std::filesystem::path& path) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, array] : array_files::read_all_safetensors(path)) {
    tensors[name] = tensor_of(array);
  }
  return tensors;
}

void write_tensors(const std::filesystem::path& path,
                   const std::map<std::string, torch::Tensor>& tensors) {
  std::map<std::string, Array> arrays;
  for (const auto& [name, tensor] : tensors) arrays[name] = array_of(tensor.detach().cpu());
  array_files::write_safetensors(path, arrays);
}

}  // namespace runahead::tensor_files
