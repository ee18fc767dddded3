#include "core/train/failure.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

#include "core/base/error.h"
#include "core/engine/operation_error.h"

namespace runahead::train {
namespace {

using record::Status;

// LibTorch's host allocator, CUDA outside LibTorch's own allocator (pinned memory, streams,
// modules) and cuBLAS throw general errors that can be distinguished only by their text.
bool reports_lack_of_memory(const c10::Error& error) {
  const std::string_view text = error.what_without_backtrace();
  for (const char* sign :
       {"DefaultCPUAllocator", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Failure describe_failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const engine::OperationError& failed) {
    const bool is_out_of_memory =
        failed.is_out_of_memory() ||
        (failed.cause() && describe_failure(failed.cause()).status == Status::kOutOfMemory);
    return {is_out_of_memory ? Status::kOutOfMemory : Status::kFailed, failed.what()};
  } catch (const InterruptedError& interrupted) {
    return {Status::kInterrupted, interrupted.what()};
  } catch (const OutOfMemoryError& out_of_memory) {
    return {Status::kOutOfMemory, out_of_memory.what()};
  } catch (const c10::OutOfMemoryError& out_of_memory) {
    return {Status::kOutOfMemory, out_of_memory.what_without_backtrace()};
  } catch (const c10::Error& failed) {
    return {reports_lack_of_memory(failed) ? Status::kOutOfMemory : Status::kFailed,
            failed.what_without_backtrace()};
  } catch (const std::bad_alloc&) {
    return {Status::kOutOfMemory, "memory could not be allocated (std::bad_alloc)"};
  } catch (const std::exception& failed) {
    return {Status::kFailed, failed.what()};
  } catch (...) {
    return {Status::kFailed, "an exception of an unknown type"};
  }
}

}  // namespace runahead::train
