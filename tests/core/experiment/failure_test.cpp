#include "core/experiment/failure.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <new>

#include "core/base/error.h"
#include "core/engine/engine.h"

namespace runahead::experiment {
namespace {

using record::Status;

template <typename Exception>
Failure failure_of(const Exception& exception) {
  return describe_failure(std::make_exception_ptr(exception));
}

TEST(Failure, MemoryThatCouldNotBeHadIsOutOfMemory) {
  EXPECT_EQ(failure_of(std::bad_alloc()).status, Status::kOutOfMemory);
  EXPECT_EQ(failure_of(OutOfMemoryError("full")).status, Status::kOutOfMemory);
}

TEST(Failure, MemoryThatCudaLacksBesideItsAllocatorIsOutOfMemory) {
  const auto status_of = [](const char* text) {
    try {
      TORCH_CHECK(false, text);
    } catch (...) {
      return describe_failure(std::current_exception()).status;
    }
    return Status::kOk;
  };

  EXPECT_EQ(status_of("CUDA error: out of memory"), Status::kOutOfMemory);
  EXPECT_EQ(status_of("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
            Status::kOutOfMemory);
  EXPECT_EQ(status_of("CUDA error: invalid argument"), Status::kFailed);
}

TEST(Failure, OperationIsNamedAndItsCauseDecides) {
  const engine::OperationError full("aten::mm", std::make_exception_ptr(std::bad_alloc()), "full");
  const engine::OperationError broken(
      "aten::mm", std::make_exception_ptr(std::runtime_error("broken")), "broken");

  EXPECT_EQ(failure_of(full).status, Status::kOutOfMemory);
  EXPECT_EQ(failure_of(broken).status, Status::kFailed);
  EXPECT_NE(failure_of(broken).message.find("aten::mm"), std::string::npos);
  EXPECT_NE(failure_of(broken).message.find("broken"), std::string::npos);
}

TEST(Failure, EverythingElseFailed) {
  EXPECT_EQ(failure_of(std::runtime_error("broken")).status, Status::kFailed);
  EXPECT_EQ(failure_of(7).status, Status::kFailed);
}

TEST(Failure, MessageOfLibTorchHasNoBacktrace) {
  try {
    static_cast<void>(torch::ones({2, 3}).mm(torch::ones({2, 3})));
    FAIL() << "nothing was thrown";
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    EXPECT_EQ(failure.status, Status::kFailed);
    EXPECT_EQ(failure.message.find("frame #"), std::string::npos) << failure.message;
  }
}

}  // namespace
}  // namespace runahead::experiment
