#pragma once

#include <string>
#include <string_view>

namespace runahead {

/// SHA-256 (FIPS 180-4) of `bytes`, as 64 lowercase hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace runahead
