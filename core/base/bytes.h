#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runahead {

/// Parses a size as users write it: "1000", "2MB", "1.5GiB", "256 MiB".
///
/// Units: B; kB, MB, GB, TB, PB (powers of 1000); KiB, MiB, GiB, TiB, PiB (powers of 1024); any
/// case; one space may precede them. Without a unit: whole bytes. A fraction of a byte is dropped.
/// @return nullopt if `text` is anything else (a sign, an exponent, a bare "G") or exceeds 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

/// A human-readable size, in powers of 1000: "512 B", "2.10 MB", "215 MB". Three digits;
/// parse_bytes reads it back.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// The same for a size that may be a mean or negative.
[[nodiscard]] std::string format_size(double bytes);

}  // namespace runahead
