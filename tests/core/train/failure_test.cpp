#include "core/train/failure.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <new>

#include "core/base/error.h"
#include "core/engine/engine.h"

namespace runahead::train {
namespace {

using record::Status;

template <typename Exception>
Failure failure_of(const Exception& exception) {
  return describe_failure(std::make_exception_ptr(exception));
}

Failure failure_of_libtorch(const char* text) {
  try {
    TORCH_CHECK(false, text);
  } catch (...) {
    return describe_failure(std::current_exception());
  }
}

engine::OperationError error_of_mm(std::exception_ptr cause) {
  return {"aten::mm", std::move(cause), "the cause"};
}

TEST(Failure, IsOutOfMemoryWhereMemoryWasTheCause) {
  const auto out_of_memory = Status::kOutOfMemory;
  EXPECT_EQ(failure_of(std::bad_alloc()).status, out_of_memory);
  EXPECT_EQ(failure_of(OutOfMemoryError("full")).status, out_of_memory);
  EXPECT_EQ(failure_of(error_of_mm(std::make_exception_ptr(std::bad_alloc()))).status,
            out_of_memory);
  EXPECT_EQ(failure_of_libtorch("CUDA error: out of memory").status, out_of_memory);
  EXPECT_EQ(failure_of_libtorch("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate")
                .status,
            out_of_memory);
}

TEST(Failure, IsAFailureElseWhichNamesItsOperation) {
  const Failure broken = failure_of(error_of_mm(std::make_exception_ptr(std::runtime_error("x"))));

  EXPECT_EQ(broken.status, Status::kFailed);
  EXPECT_NE(broken.message.find("aten::mm"), std::string::npos) << broken.message;
  EXPECT_NE(broken.message.find("the cause"), std::string::npos) << broken.message;
  EXPECT_EQ(failure_of(std::runtime_error("broken")).status, Status::kFailed);
  EXPECT_EQ(failure_of(7).status, Status::kFailed);
  EXPECT_EQ(failure_of_libtorch("CUDA error: invalid argument").status, Status::kFailed);
}

}  // namespace
}  // namespace runahead::train
