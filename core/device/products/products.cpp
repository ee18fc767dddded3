#include "core/device/products/products.h"

#include <ATen/Context.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>

#include "core/device/products/onednn_product.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

/// Whether the term is a row to add to each row of the product, as a layer's bias is.
bool is_bias(const at::Tensor& term, const at::Tensor& right) {
  return term.dim() == 1 && term.size(0) == right.size(1) && term.is_contiguous() &&
         term.scalar_type() == at::kFloat;
}

bool is_one(const at::Scalar& factor) { return factor.equal(1); }

}  // namespace

void Products::use(std::shared_ptr<const ProductCalibration> calibration) {
  const std::lock_guard lock(mutex_);
  calibration_ = std::move(calibration);
  table_.store(calibration_ ? &calibration_->table : nullptr, std::memory_order_release);
  counts_.clear();
}

std::shared_ptr<const ProductCalibration> Products::calibration() const {
  const std::lock_guard lock(mutex_);
  return calibration_;
}

bool Products::goes_to_onednn(const at::Tensor& left, const at::Tensor& right) {
  const ProductTable* const table = table_.load(std::memory_order_acquire);
  if (table == nullptr) return false;
  const auto shape = ProductShape::of(left, right);
  if (!shape || !at::globalContext().userEnabledMkldnn()) return false;
  const bool by_onednn = table->prefers_onednn(*shape);
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find({*shape, by_onednn});
  if (found != counts_.end()) {
    ++found->second;
  } else {
    ++counts_[{counts_.size() < kMostShapes ? *shape : ProductShape(), by_onednn}];
  }
  return by_onednn;
}

at::Tensor Products::mm(const at::Tensor& left, const at::Tensor& right) {
  return goes_to_onednn(left, right) ? onednn_product(left, right) : at::cpu::mm(left, right);
}

at::Tensor Products::addmm(const at::Tensor& term, const at::Tensor& left, const at::Tensor& right,
                           const at::Scalar& term_factor, const at::Scalar& product_factor) {
  if (is_bias(term, right) && is_one(term_factor) && is_one(product_factor) &&
      goes_to_onednn(left, right)) {
    return onednn_product(left, right, term);
  }
  return at::cpu::addmm(term, left, right, term_factor, product_factor);
}

bool Products::call(std::string_view operator_name, torch::jit::Stack& stack) {
  if (table_.load(std::memory_order_relaxed) == nullptr) return false;
  if (operator_name == "aten::mm") {
    const auto arguments = torch::jit::last(stack, 2);
    at::Tensor product = mm(arguments[0].toTensor(), arguments[1].toTensor());
    torch::jit::drop(stack, 2);
    torch::jit::push(stack, std::move(product));
    return true;
  }
  if (operator_name != "aten::addmm") return false;
  const auto arguments = torch::jit::last(stack, 5);
  at::Tensor sum = addmm(arguments[0].toTensor(), arguments[1].toTensor(), arguments[2].toTensor(),
                         arguments[3].toScalar(), arguments[4].toScalar());
  torch::jit::drop(stack, 5);
  torch::jit::push(stack, std::move(sum));
  return true;
}

std::vector<ProductCount> Products::counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<ProductCount> counts;
  for (const auto& [key, count] : counts_) {
    counts.push_back({.shape = key.first, .by_onednn = key.second, .count = count});
  }
  return counts;
}

void Products::forget() {
  const std::lock_guard lock(mutex_);
  counts_.clear();
}

Json product_report() {
  const Products& products = Runtime::get().products;
  const auto calibration = products.calibration();
  if (!calibration) return nullptr;
  Json made = Json::array();
  for (const ProductCount& one : products.counts()) {
    made.push_back({{"rows", one.shape.rows},
                    {"inner", one.shape.inner},
                    {"columns", one.shape.columns},
                    {"left_transposed", one.shape.left_transposed},
                    {"right_transposed", one.shape.right_transposed},
                    {"library", one.by_onednn ? "onednn" : "libtorch"},
                    {"count", one.count}});
  }
  return {{"calibration", to_json(*calibration)}, {"made", made}};
}

}  // namespace runahead::device
