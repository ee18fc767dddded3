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
/// The claims of the MXNet chapter about the memory of training and prediction.
[[nodiscard]] std::vector<Claim> mxnet_memory_claims();
/// What both chapters say about the front end.
[[nodiscard]] Document chapters_claims();

/// What the scenarios of the pressure gallery show. Rests on the runs of gallery_plan().
[[nodiscard]] Document gallery_claims();

/// What makes memory accumulate on CUDA. Rests on the runs of read_gpu_check().
[[nodiscard]] Document cuda_claims();

/// The claims of the tutorials' documents, which rest on planned_runs(), in this order, then those
/// of the gallery.
/// @param experiment  Selects the claims about this kind of experiment, or about the gallery's
///                    scenarios ("gallery"). Empty selects all.
/// @throws ConfigError that lists the kinds if no claim rests on `experiment`.
[[nodiscard]] std::vector<Document> all_documents(const std::string& experiment = "");

/// What all_documents() may be asked for: "dispatch, backlog, …, gallery".
[[nodiscard]] std::string claimed_experiments();

}  // namespace runahead::reproduce
