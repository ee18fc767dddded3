#include "core/config/names.h"

namespace runahead::config {

using Names = std::vector<std::string>;

template <>
const Names& names_of<Activation>() {
  static const Names names{"relu", "gelu",       "tanh",     "sigmoid", "silu",
                           "elu",  "leaky_relu", "softplus", "none"};
  return names;
}

template <>
const Names& names_of<ModelInit>() {
  static const Names names{"torch", "gluon"};
  return names;
}

template <>
const Names& names_of<Normalization>() {
  static const Names names{"none", "batch", "layer"};
  return names;
}

template <>
const Names& names_of<InputType>() {
  static const Names names{"float32", "int64"};
  return names;
}

template <>
const Names& names_of<LastBatch>() {
  static const Names names{"drop", "keep"};
  return names;
}

template <>
const Names& names_of<DataMade>() {
  static const Names names{"on_host", "on_device", "beforehand"};
  return names;
}

template <>
const Names& names_of<Outputs>() {
  static const Names names{"dropped", "kept"};
  return names;
}

template <>
const Names& names_of<OptimizerKind>() {
  static const Names names{"sgd", "adam", "adamw"};
  return names;
}

template <>
const Names& names_of<LossKind>() {
  static const Names names{"l2", "mse", "l1", "huber", "cross_entropy"};
  return names;
}

template <>
const Names& names_of<ReadyOrder>() {
  static const Names names{"first_ready", "oldest_first"};
  return names;
}

template <>
const Names& names_of<Allocation>() {
  static const Names names{"at_issue", "in_stream_order", "caching", "at_execution"};
  return names;
}

template <>
const Names& names_of<ProductLibrary>() {
  static const Names names{"libtorch", "fastest"};
  return names;
}

template <>
const Names& names_of<FreedMemory>() {
  static const Names names{"returned", "kept"};
  return names;
}

template <>
const Names& names_of<Staging>() {
  static const Names names{"pageable", "pinned", "pinned_ring"};
  return names;
}

template <>
const Names& names_of<Copies>() {
  static const Names names{"in_order", "side_record_stream", "side_reuse"};
  return names;
}

template <>
const Names& names_of<CudaAllocator>() {
  static const Names names{"native", "cuda_malloc_async"};
  return names;
}

}  // namespace runahead::config
