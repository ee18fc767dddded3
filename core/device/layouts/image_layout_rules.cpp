#include <algorithm>

#include "core/device/layouts/layout_rules.h"

namespace runahead::device {

// (self, upscale_factor): channels become positions.
Layouts pixel_shuffle_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const std::int64_t factor = arguments[1].toInt();
  const bool fits = self.dim() == 4 && self.numel() > 0 && factor > 0 && factor <= self.size(1) &&
                    self.size(1) % (factor * factor) == 0;
  if (!fits) return std::nullopt;
  const at::DimVector sizes{self.size(0), self.size(1) / (factor * factor), self.size(2) * factor,
                            self.size(3) * factor};
  return ReturnLayouts{formatted(sizes, self.scalar_type(), self.suggest_memory_format())};
}

// (self, downscale_factor)
Layouts pixel_unshuffle_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const std::int64_t factor = arguments[1].toInt();
  const bool fits = self.dim() == 4 && self.numel() > 0 && factor > 0 &&
                    self.size(2) % factor == 0 && self.size(3) % factor == 0;
  if (!fits) return std::nullopt;
  const at::DimVector sizes{self.size(0), self.size(1) * factor * factor, self.size(2) / factor,
                            self.size(3) / factor};
  return ReturnLayouts{formatted(sizes, self.scalar_type(), self.suggest_memory_format())};
}

// (self, groups)
Layouts channel_shuffle_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const std::int64_t groups = arguments[1].toInt();
  if (self.dim() < 3 || self.numel() == 0 || groups < 1 || self.size(1) % groups != 0)
    return std::nullopt;
  return ReturnLayouts{formatted(self.sizes(), self.scalar_type(), self.suggest_memory_format())};
}

// (self, padding), the last dimension's padding first.
Layouts padded_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const auto padding = arguments[1].toIntVector();
  const std::size_t padded_dimensions = padding.size() / 2;
  at::DimVector sizes(self.sizes().begin(), self.sizes().end());
  if (sizes.size() <= padded_dimensions || self.numel() == 0) return std::nullopt;
  for (std::size_t i = 0; i < padded_dimensions; ++i) {
    const std::int64_t margin = padding[2 * i] + padding[2 * i + 1];
    if (std::max(padding[2 * i], padding[2 * i + 1]) >= self.size(-1 - static_cast<int>(i))) {
      return std::nullopt;  // Reflection rejects it; replication is left to the kernel.
    }
    sizes[sizes.size() - 1 - i] += margin;
    if (sizes[sizes.size() - 1 - i] <= 0) return std::nullopt;
  }
  return ReturnLayouts{formatted(sizes, self.scalar_type(), self.suggest_memory_format())};
}

// (grad_output, self, padding)
Layouts padded_backward_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[1].toTensor();
  const std::size_t padded_dimensions = arguments[2].toIntVector().size() / 2;
  const bool fits = self.dim() == arguments[0].toTensor().dim() &&
                    static_cast<std::size_t>(self.dim()) > padded_dimensions;
  if (!fits) return std::nullopt;
  const auto layout = formatted_like(self);
  return layout ? Layouts(ReturnLayouts{*layout}) : std::nullopt;
}

}  // namespace runahead::device
