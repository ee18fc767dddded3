#pragma once

#include <string>
#include <vector>

#include "core/reproduce/claim.h"

namespace runahead::reproduce {

/// A document whose claims are checked.
struct Document {
  std::string name{};  ///< "JAX, asynchronous dispatch".
  std::vector<Claim> claims{};
};

/// JAX's page on asynchronous dispatch.
[[nodiscard]] Document jax_claims();
/// The chapter "Asynchronous Computation" of "Dive into Deep Learning", for Paddle.
[[nodiscard]] Document paddle_claims();
/// The same chapter for MXNet.
[[nodiscard]] Document mxnet_claims();
/// Of these, on the memory of training and prediction.
[[nodiscard]] std::vector<Claim> mxnet_memory_claims();
/// What both chapters say of the front end.
[[nodiscard]] Document chapters_claims();

/// All of them, in this order. @param experiment  Only the claims on this kind; empty: all.
/// @throws ConfigError naming the kinds if none rests on it.
[[nodiscard]] std::vector<Document> all_documents(const std::string& experiment = "");

}  // namespace runahead::reproduce
