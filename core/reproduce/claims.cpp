#include "core/reproduce/claims.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead::reproduce {

std::string claimed_experiments() {
  std::vector<std::string> names;
  for (const Document& document : all_documents()) {
    for (const Claim& claim : document.claims) {
      if (std::ranges::find(names, claim.experiment) == names.end()) {
        names.push_back(claim.experiment);
      }
    }
  }
  return joined(names, ", ");
}

std::vector<Document> all_documents(const std::string& experiment) {
  std::vector<Document> documents{jax_claims(), paddle_claims(), mxnet_claims(), chapters_claims(),
                                  gallery_claims()};
  if (experiment.empty()) return documents;
  for (Document& document : documents) {
    std::erase_if(document.claims,
                  [&](const Claim& claim) { return claim.experiment != experiment; });
  }
  std::erase_if(documents, [](const Document& document) { return document.claims.empty(); });
  if (documents.empty()) {
    throw ConfigError("--only: no claim is about '" + experiment +
                      "'; allowed: " + claimed_experiments());
  }
  return documents;
}

}  // namespace runahead::reproduce
