#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace runahead::experiment {

/// A device that can be kept occupied while launches are queued on it.
class HeldDevice {
 public:
  virtual ~HeldDevice() = default;
  /// Queues work that occupies the device for `seconds`, without waiting for it. Call it once,
  /// before the functions below.
  virtual void hold(double seconds) = 0;
  /// Seconds since just before that work was queued.
  [[nodiscard]] virtual double seconds() const = 0;
  /// Whether that work is still unfinished. Never blocks.
  [[nodiscard]] virtual bool is_held() const = 0;
  /// Queues one operation; blocks while the queue is full.
  virtual void launch() = 0;
  /// Device memory that tensors and queued work use now. May also be called before hold().
  [[nodiscard]] virtual std::uint64_t claimed_bytes() const = 0;
};

/// What was queued on a held device.
struct LaunchQueue {
  std::int64_t launches = 0;                ///< Launches that did not block.
  std::optional<double> launch_seconds{};   ///< Their median time; nullopt: there were none.
  std::optional<double> blocked_seconds{};  ///< Time the next one took; nullopt: none blocked.
  std::uint64_t kept_bytes = 0;             ///< Growth of claimed bytes by these launches.
  std::string unknown_because{};            ///< Why none blocked; empty if one did.
};

/// Holds the device and launches one operation after another until one blocks: it takes more than a
/// tenth of the hold and returns only when the hold is over. A launch that takes as long but
/// returns earlier was slow for another reason. Gives up after `most_launches`, or once less than a
/// tenth of the hold is left, because no launch could then take that long. If the queue fills,
/// blocks until the hold is over. @throws what the device throws.
[[nodiscard]] LaunchQueue fill_launch_queue(HeldDevice& device, double hold_seconds,
                                            std::int64_t most_launches);

}  // namespace runahead::experiment
