#include "core/train/wait.h"

#include <torch/serialize.h>

#include <ostream>
#include <sstream>

#include "core/base/error.h"

namespace runahead::train {

LossWait make_wait(WaitKind kind, BackEnd& back_end, std::ostream& sink) {
  switch (kind) {
    case WaitKind::kLossValue:
      return [](const torch::Tensor& loss) { static_cast<void>(loss.item()); };
    case WaitKind::kLossReady:
      return [&back_end](const torch::Tensor& loss) { back_end.wait_until_computed(loss); };
    case WaitKind::kHostCopy:
      return [](const torch::Tensor& loss) { static_cast<void>(loss.to(torch::kCPU)); };
    case WaitKind::kPrint:
      return [&sink](const torch::Tensor& loss) {
        sink << "loss " << loss.item().toDouble() << std::endl;
      };
    case WaitKind::kSave:
      return [](const torch::Tensor& loss) {
        std::ostringstream archive;
        torch::save(loss.to(torch::kCPU), archive);
      };
    case WaitKind::kAll:
      return [&back_end](const torch::Tensor&) { back_end.synchronize(); };
  }
  throw UsageError("make_wait: the kind is out of its range");
}

PolicyContext make_policy_context(BackEnd& back_end, std::ostream& sink) {
  return {.back_end = back_end, .make_wait = [&back_end, &sink](WaitKind kind) -> Wait {
            return [wait = make_wait(kind, back_end, sink)](const IssuedBatch& batch) {
              wait(*batch.loss);
            };
          }};
}

}  // namespace runahead::train
