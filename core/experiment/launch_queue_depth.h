#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace runahead::experiment {

/// A device that can be occupied, and the launches that are queued on it meanwhile.
class HeldDevice {
 public:
  virtual ~HeldDevice() = default;
  /// Queues work that occupies it so long; never blocks for it. Once, before all that follows.
  virtual void hold(double seconds) = 0;
  /// Since just before that work was queued.
  [[nodiscard]] virtual double seconds() const = 0;
  /// Whether that work has not finished. Never blocks.
  [[nodiscard]] virtual bool is_held() const = 0;
  /// Queues one operation; blocks while the queue is full.
  virtual void launch() = 0;
  /// Of its memory, what tensors and what is queued have now; before hold(), too.
  [[nodiscard]] virtual std::uint64_t claimed_bytes() const = 0;
};

/// What was queued on a held device.
struct LaunchQueue {
  std::int64_t launches = 0;                ///< That did not block.
  std::optional<double> launch_seconds{};   ///< Their median; nullopt: there were none.
  std::optional<double> blocked_seconds{};  ///< What the next one took; nullopt: none blocked.
  std::uint64_t kept_bytes = 0;             ///< Growth of claimed bytes by these launches.
  std::string unknown_because{};            ///< Why none blocked; empty if one did.
};

/// Holds the device and launches one operation after another until one blocks: until one takes more
/// than a tenth of the hold and returns only when that is over. What takes as long and returns
/// earlier was slow for another reason. Gives up after `most_launches`, and once less than a tenth
/// of the hold is left, when no launch could take so long any more. Blocks until the hold is over
/// if the queue fills. @throws what the device throws.
[[nodiscard]] LaunchQueue fill_launch_queue(HeldDevice& device, double hold_seconds,
                                            std::int64_t most_launches);

}  // namespace runahead::experiment
