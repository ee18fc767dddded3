#include "core/train/policies/wait_kind.h"

namespace runahead::train {

const std::vector<std::string>& wait_names() {
  static const std::vector<std::string> names{"loss_value", "loss_ready", "host_copy",
                                              "print",      "save",       "all"};
  return names;
}

const std::string& name_of(WaitKind wait) {
  return wait_names().at(static_cast<std::size_t>(wait));
}

void describe_wait(WaitKind& wait, Fields& fields) {
  auto index = static_cast<std::size_t>(wait);
  fields.choice({"wait",
                 "What is waited for: the loss as a number, the loss computed, copied to the host, "
                 "printed or saved, or everything that was issued."},
                index, wait_names());
  wait = static_cast<WaitKind>(index);
}

}  // namespace runahead::train
