#pragma once

namespace runahead::device {

/// Whether register_device() has run in this process.
[[nodiscard]] bool is_registered() noexcept;

}  // namespace runahead::device
