#include "core/config/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <boost/algorithm/hex.hpp>
#include <iterator>

#include "core/base/error.h"

namespace runahead {

std::string sha256_hex(std::string_view bytes) {
  // Static objects that are destroyed after OpenSSL's clean-up may still need a digest.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256 is not available from OpenSSL's crypto library");
  }
  std::string text;
  boost::algorithm::hex_lower(digest.begin(), digest.begin() + size, std::back_inserter(text));
  return text;
}

}  // namespace runahead
