# What every build needs, from the system's packages: nothing is downloaded here.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
if(NOT RUNAHEAD_ENGINE_ONLY)
  find_package(CLI11 2.1 REQUIRED)
  find_package(Boost 1.80 REQUIRED COMPONENTS filesystem)   # Boost.Process v2 needs 1.80.
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)           # SHA-256 of resolved configs.
endif()
if(RUNAHEAD_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
