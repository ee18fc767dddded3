# The headers that most sources parse: runahead_pch without LibTorch, runahead_test_pch for tests without it.
# LibTorch.cmake adds the one with it.

# runahead_precompile(<name> <header>… [DEPENDS …])
function(runahead_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} runahead_build_flags)
  target_precompile_headers(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  if(RUNAHEAD_PRECOMPILE_LAUNCHER)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "${RUNAHEAD_PRECOMPILE_LAUNCHER}")
  endif()
endfunction()

# runahead_use_precompiled(<target> <name>): where there is one of that name.
function(runahead_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Builds that compile each source alone do without, and find missing includes.
set(runahead_common_headers <string> <vector>)
if(CMAKE_UNITY_BUILD)
  list(PREPEND runahead_common_headers
    <algorithm> <filesystem> <fstream> <functional> <map> <nlohmann/json.hpp> <optional>)
  runahead_precompile(runahead_pch ${runahead_common_headers} DEPENDS nlohmann_json::nlohmann_json)
  if(RUNAHEAD_BUILD_TESTS)
    runahead_precompile(runahead_test_pch <gmock/gmock.h> <gtest/gtest.h> ${runahead_common_headers}
      DEPENDS nlohmann_json::nlohmann_json GTest::gmock)
  endif()
endif()
