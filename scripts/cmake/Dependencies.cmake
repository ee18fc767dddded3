# What every build needs, from the system's packages: nothing is downloaded here.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
if(NOT RUNAHEAD_ENGINE_ONLY)
  find_package(CLI11 2.1 REQUIRED)
  # Static, so that an installed program needs nothing that a system may lack.
  set(Boost_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
  if(OPENSSL_CRYPTO_LIBRARY MATCHES "\\.so")   # A build folder of before remembers the shared one.
    unset(OPENSSL_CRYPTO_LIBRARY CACHE)
  endif()
  find_package(Boost 1.80 REQUIRED COMPONENTS filesystem)   # Boost.Process v2 needs 1.80.
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)           # SHA-256 of resolved configs.
  set(ZLIB_USE_STATIC_LIBS ON)
  find_package(ZLIB 1.2.11 REQUIRED)                         # Compressed arrays: .npz, MNIST in gzip.
  find_library(RUNAHEAD_MINIZIP_LIBRARY libminizip.a REQUIRED)
  find_path(RUNAHEAD_MINIZIP_HEADERS minizip/unzip.h REQUIRED)
  add_library(runahead::minizip STATIC IMPORTED)
  set_target_properties(runahead::minizip PROPERTIES IMPORTED_LOCATION "${RUNAHEAD_MINIZIP_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RUNAHEAD_MINIZIP_HEADERS}" INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
endif()
if(RUNAHEAD_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
