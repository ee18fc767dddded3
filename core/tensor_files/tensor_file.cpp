#include "core/tensor_files/tensor_file.h"

#include <torch/serialize.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/array_files/array_file.h"
#include "core/array_files/array_names.h"
#include "core/array_files/safetensors.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace runahead::tensor_files {
namespace {

using array_files::Array;
using array_files::ElementType;

constexpr std::size_t kMostBytes = std::size_t{64} << 30;

/// In the order of ElementType.
constexpr std::array kTypes{torch::kBool,    torch::kUInt8,  torch::kInt8,    torch::kInt16,
                            torch::kInt32,   torch::kInt64,  torch::kFloat16, torch::kBFloat16,
                            torch::kFloat32, torch::kFloat64};

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

torch::jit::IValue read_pickled(const std::filesystem::path& path) {
  const std::string content = read_file(path, kMostBytes);
  try {
    return torch::pickle_load({content.begin(), content.end()});
  } catch (const std::exception& error) {
    throw ConfigError(path.string() + ": found nothing that can be read (" + first_line(error) +
                      "); allowed: a tensor, or a dict of tensors, as torch.save writes them; "
                      "other objects hold code, which is never run");
  }
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

torch::Tensor read_written_by_torch(const std::filesystem::path& path, const std::string& name) {
  const torch::jit::IValue value = read_pickled(path);
  if (value.isTensor()) return only_tensor(value.toTensor(), path, name);
  if (value.isGenericDict()) return tensor_named(value.toGenericDict(), path, name);
  throw ConfigError(path.string() + ": found " + value.tagKind() +
                    "; allowed: a tensor, or a dict of tensors");
}

}  // namespace

torch::Tensor read_tensor(const std::filesystem::path& path, const std::string& name) {
  if (!is_written_by_torch(path)) return tensor_of(array_files::read_array(path, name));
  return read_written_by_torch(path, name).detach().cpu().contiguous();
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
