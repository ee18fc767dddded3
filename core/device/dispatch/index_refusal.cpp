#include "core/device/dispatch/early_refusal.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>

#include <optional>

#include "core/device/dispatch/argument_tensors.h"

namespace runahead::device {
namespace {

// The shape that results from a list of indices, none of them a mask.
struct IndexedShape {
  at::DimVector before{};   ///< Dimensions before the first index.
  at::DimVector indexed{};  ///< What the indices broadcast to.
  at::DimVector after{};    ///< The other dimensions after it.
  bool is_adjacent = true;  ///< Whether no dimension lies between indices.
  bool is_out_of_nothing = false;

  [[nodiscard]] at::DimVector sizes() const {
    at::DimVector sizes;
    if (is_adjacent) sizes.append(before.begin(), before.end());
    sizes.append(indexed.begin(), indexed.end());
    if (!is_adjacent) sizes.append(before.begin(), before.end());
    sizes.append(after.begin(), after.end());
    return sizes;
  }
};

// Throws c10::Error if the indices do not broadcast.
IndexedShape indexed_shape(const at::Tensor& self, Arguments indices) {
  IndexedShape shape;
  bool has_begun = false;
  bool has_gap = false;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    const auto position = static_cast<std::size_t>(d);
    const bool is_index = position < indices.size() && indices[position].isTensor() &&
                          indices[position].toTensor().defined();
    if (!is_index) {
      (has_begun ? shape.after : shape.before).push_back(self.size(d));
      has_gap = has_begun;
      continue;
    }
    if (has_gap) shape.is_adjacent = false;
    const at::Tensor& index = indices[position].toTensor();
    shape.indexed = has_begun ? at::infer_size_dimvector(shape.indexed, index.sizes())
                              : at::DimVector(index.sizes());
    shape.is_out_of_nothing |= self.size(d) == 0;
    has_begun = true;
  }
  return shape;
}

bool has_mask(Arguments indices, at::ScalarType type) {
  return any_tensor(indices,
                    [type](const at::Tensor& index) { return index.scalar_type() == type; });
}

// Whether each mask has the shape of the dimensions that it selects from.
bool do_masks_fit(const at::Tensor& self, Arguments indices) {
  std::int64_t dimension = 0;
  for (const c10::IValue& index : indices) {
    const bool is_tensor = index.isTensor() && index.toTensor().defined();
    if (!is_tensor || index.toTensor().scalar_type() != at::kBool) {
      ++dimension;
      continue;
    }
    const c10::IntArrayRef sizes = index.toTensor().sizes();
    const std::int64_t end = dimension + static_cast<std::int64_t>(sizes.size());
    if (end > self.dim()) return false;
    if (sizes != self.sizes().slice(static_cast<std::size_t>(dimension), sizes.size()))
      return false;
    dimension = end;
  }
  return dimension <= self.dim();
}

bool has_fractional(Arguments indices) {
  return any_tensor(indices, [](const at::Tensor& index) {
    return !c10::isIntegralType(index.scalar_type(), /*includeBool=*/true);
  });
}

// A mask on the host stands for indices whose number is known now.
bool combines_host_mask(Arguments indices) {
  std::size_t tensors = 0;
  bool has_host_mask = false;
  for (const c10::IValue& value : indices) {
    for_each_tensor(value, [&](const at::Tensor& index) {
      ++tensors;
      has_host_mask |= index.is_cpu() && index.scalar_type() == at::kBool;
    });
  }
  return has_host_mask && tensors > 1;
}

// (self, indices, values, …): the values to put; nullopt for a call that only reads.
std::optional<at::Tensor> values_of(Arguments arguments) {
  if (arguments.size() < 3 || !arguments[2].isTensor()) return std::nullopt;
  return arguments[2].toTensor();
}

}  // namespace

bool may_refuse_indices(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.takes_indices || !arguments[1].isList()) return false;
  const at::Tensor& self = arguments[0].toTensor();
  const auto indices = arguments[1].toListRef();
  if (has_fractional(indices)) return true;
  if (indices.empty() || static_cast<std::int64_t>(indices.size()) > self.dim()) return true;
  const auto values = plan.writes && !plan.has_out_arguments ? values_of(arguments) : std::nullopt;
  if (values && values->scalar_type() != self.scalar_type()) return true;
  if (has_mask(indices, at::kByte)) return true;  // LibTorch warns about it.
  if (has_mask(indices, at::kBool)) {
    return !do_masks_fit(self, indices) || combines_host_mask(indices) ||
           (values && values->numel() > 1);
  }
  try {
    const IndexedShape shape = indexed_shape(self, indices);
    if (shape.is_out_of_nothing) return true;
    return values && !at::is_expandable_to(values->sizes(), shape.sizes());
  } catch (const c10::Error&) {
    return true;
  }
}

}  // namespace runahead::device
