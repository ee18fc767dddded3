#pragma once

#include <string>
#include <vector>

#include "core/base/fields.h"

namespace runahead::train {

/// What a policy waits for after a batch; wait.h says what each does.
enum class WaitKind { kLossValue, kLossReady, kHostCopy, kPrint, kSave, kAll };

/// The config's names for these, in the order of the enum.
[[nodiscard]] const std::vector<std::string>& wait_names();
[[nodiscard]] const std::string& name_of(WaitKind wait);

/// Describes the config key `wait`.
void describe_wait(WaitKind& wait, Fields& fields);

}  // namespace runahead::train
