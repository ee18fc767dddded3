#include "core/config/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "core/base/error.h"

namespace runahead {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256 is not available from OpenSSL's crypto library");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int index = 0; index < size; ++index) {
    text += kDigits[digest[index] >> 4];
    text += kDigits[digest[index] & 15];
  }
  return text;
}

}  // namespace runahead
