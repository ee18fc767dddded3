#include "core/tensor_files/array_tensor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/base/error.h"

namespace runahead::tensor_files {
namespace {

using array_files::ElementType;

constexpr std::array<std::pair<ElementType, torch::Dtype>, 10> kTypes{
    {{ElementType::kBool, torch::kBool},
     {ElementType::kUint8, torch::kUInt8},
     {ElementType::kInt8, torch::kInt8},
     {ElementType::kInt16, torch::kInt16},
     {ElementType::kInt32, torch::kInt32},
     {ElementType::kInt64, torch::kInt64},
     {ElementType::kFloat16, torch::kFloat16},
     {ElementType::kBfloat16, torch::kBFloat16},
     {ElementType::kFloat32, torch::kFloat32},
     {ElementType::kFloat64, torch::kFloat64}}};

}  // namespace

torch::Tensor tensor_of(const array_files::Array& array) {
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& pair) { return pair.first == array.type; });
  auto* elements = const_cast<std::byte*>(array.data.get());
  return torch::from_blob(
      elements, array.shape, [memory = array.data](void*) {}, torch::dtype(type->second));
}

array_files::Array array_of(const torch::Tensor& tensor) {
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& pair) {
    return pair.second == tensor.scalar_type();
  });
  RUNAHEAD_REQUIRE(type != kTypes.end() && tensor.device().is_cpu(),
                   "arrays hold numbers on the host");
  const auto whole = std::make_shared<torch::Tensor>(tensor.contiguous());
  return {.type = type->first,
          .shape = whole->sizes().vec(),
          .data = {whole, static_cast<const std::byte*>(whole->const_data_ptr())}};
}

}  // namespace runahead::tensor_files
