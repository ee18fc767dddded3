#pragma once

#include <optional>

#include "core/slurm/submit_host.h"

namespace runahead::slurm {

/// The pauses between two looks at a queue: a second at first and whenever something has happened,
/// then longer and longer, up to ten.
class PollPause {
 public:
  explicit PollPause(SubmitHost& host) : host_(host) {}

  void begin();
  void end() { left_seconds_ = 0.0; }

  /// The next pause is short again; the present one stays as it is.
  void shorten_next();

  /// Blocks until the pause is over, or the user asks to stop, or patience ends, from which the
  /// time is taken; nullopt has no end. @return whether the pause is over.
  [[nodiscard]] bool wait(std::optional<double>& patience_seconds);

 private:
  static constexpr double kFirstSeconds = 1.0;

  SubmitHost& host_;
  double next_seconds_ = kFirstSeconds;
  double left_seconds_ = 0.0;
};

}  // namespace runahead::slurm
