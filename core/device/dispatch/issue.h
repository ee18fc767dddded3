#pragma once

#include <string_view>
#include <utility>

#include "core/device/runtime.h"
#include "core/device/storage/block.h"

namespace runahead::device {

/// Pushes an operation on blocks; every such operation is pushed here. May block at the run-ahead
/// limit.
/// @param name  a literal, or as long-lived.
/// @throws with RUNAHEAD_BLOCKING, what a read of what the operation should have written throws.
template <typename Body>
void issue(Runtime& runtime, std::string_view name, Accesses&& accesses, Body&& body) {
  const engine::VariablePtr written =
      runtime.reports_at_call() ? accesses.written() : engine::VariablePtr();
  runtime.push({.name = name,
                .body = std::forward<Body>(body),
                .accesses = std::move(accesses.list),
                .cost_bytes = accesses.cost_bytes});
  accesses.note_pushed();
  if (written) [[unlikely]]
    runtime.report_at_call(written);
}

}  // namespace runahead::device
