# The two functions every folder's CMakeLists.txt uses: one library a folder, one binary a test.
#
# DEPENDS is a folder's whole allowed include set: a library links exactly what the architecture
# allows it to, so an include that points upwards does not compile.
#
# TORCH marks what includes LibTorch. PACKAGE marks what is installed for other CMake projects
# (Package.cmake). TOOLING marks what reads configs, starts cells and writes reports: its compile time
# counts, not its speed.

include(Package)

add_library(runahead_build_flags INTERFACE)
target_compile_features(runahead_build_flags INTERFACE cxx_std_20)
# -fPIC everywhere, programs too: CMake would give those -fPIE, which the precompiled header does not fit.
target_compile_options(runahead_build_flags INTERFACE
  -fPIC
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="  # Messages name sources by their place in the project.
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-semantic-interposition  # Nothing replaces our functions: they may be inlined in shared code, too.
  # GCC walks all of its memory, LibTorch's precompiled header included, whenever that has grown enough: rarely is
  # a quarter faster, for 0.2 GB more.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>   # GCC 12 and 13 see overlaps in string + string at -O3 (GCC PR 105651).
  $<$<BOOL:${RUNAHEAD_WARNINGS_AS_ERRORS}>:-Werror>)
if(RUNAHEAD_SANITIZE)
  target_compile_options(runahead_build_flags INTERFACE
    -fsanitize=${RUNAHEAD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)   # Its instrumentation hides initialisations from GCC.
  target_link_options(runahead_build_flags INTERFACE -fsanitize=${RUNAHEAD_SANITIZE})
  add_library(runahead_sanitizer_options OBJECT "${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cpp")
endif()

# GCC takes a precompiled header of another optimisation all the same, and at -O1 warns of members of
# empty optionals.
set(runahead_quick_to_compile $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O1;-Wno-maybe-uninitialized>)

# Every folder sees only the include directories of what it links: headers are staged per library
# as core/<name>/…, so `#include "core/engine/engine.h"` needs a link to runahead::engine.
function(runahead_stage_headers target)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(stage "${PROJECT_BINARY_DIR}/include/${target}")
  get_filename_component(parent "${stage}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${stage}/${folder}" SYMBOLIC)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${stage}>")
endfunction()

# runahead_add_library(<name> [TORCH] [PACKAGE] [TOOLING] SOURCES … [DEPENDS …] [PRIVATE_DEPENDS …])
function(runahead_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;PACKAGE;TOOLING" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  add_library(runahead_${name} STATIC ${arg_SOURCES})
  add_library(runahead::${name} ALIAS runahead_${name})
  target_compile_features(runahead_${name} PUBLIC cxx_std_20)
  runahead_stage_headers(runahead_${name})
  target_link_libraries(runahead_${name}
    PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:runahead_build_flags>)
  if(arg_TORCH)
    target_link_libraries(runahead_${name} PUBLIC runahead::libtorch)
    target_precompile_headers(runahead_${name} REUSE_FROM runahead_torch_pch)
  else()
    runahead_use_precompiled(runahead_${name} runahead_pch)
  endif()
  if(arg_TOOLING)
    target_compile_options(runahead_${name} PRIVATE ${runahead_quick_to_compile})
  endif()
  if(arg_PACKAGE)
    runahead_package_library(${name} "${arg_TORCH}")
  endif()
endfunction()

# runahead_add_program(<name> [TORCH] SOURCES … DEPENDS …)
function(runahead_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} runahead_build_flags)
  if(RUNAHEAD_SANITIZE)
    target_link_libraries(${name} PRIVATE runahead_sanitizer_options)
  endif()
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE runahead::libtorch)
    target_precompile_headers(${name} REUSE_FROM runahead_torch_pch)
  else()
    target_compile_options(${name} PRIVATE ${runahead_quick_to_compile})
  endif()
endfunction()

# It distinguishes the tests of several builds in one run of ctest.
set(RUNAHEAD_TEST_PREFIX "" CACHE STRING "What the names of this build's tests begin with")

# Limits of time end tests that hang. They leave room for a machine under load, and for sanitizers.
set(runahead_slowdown 1)
if(RUNAHEAD_SANITIZE)
  set(runahead_slowdown 3)
endif()

# runahead_add_test(<name> LABEL <one label> [TORCH] [TIMEOUT seconds] SOURCES … DEPENDS …)
# One label only: gtest_discover_tests loses whatever follows the first of a list. The target
# runahead_<label>_tests builds all of a label.
function(runahead_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "LABEL;TIMEOUT" "SOURCES;DEPENDS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  math(EXPR arg_TIMEOUT "${runahead_slowdown} * ${arg_TIMEOUT}")
  set(torch "")
  if(arg_TORCH)
    set(torch TORCH)
  endif()
  runahead_add_program(${name} ${torch} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} GTest::gmock_main)
  if(NOT arg_TORCH)
    runahead_use_precompiled(${name} runahead_test_pch)
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${name} PRIVATE RUNAHEAD_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${runahead_quick_to_compile})
  if(NOT TARGET runahead_${arg_LABEL}_tests)
    add_custom_target(runahead_${arg_LABEL}_tests)
  endif()
  add_dependencies(runahead_${arg_LABEL}_tests ${name})
  if(arg_TORCH)
    # Starting a program linked to LibTorch takes a second under sanitizers: one ctest entry a binary.
    add_test(NAME ${RUNAHEAD_TEST_PREFIX}${name} COMMAND ${name})
    set_tests_properties(${RUNAHEAD_TEST_PREFIX}${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${RUNAHEAD_TEST_PREFIX}"
      PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# runahead_add_script_test(<name> <file> LABEL <label> TIMEOUT <seconds> [VENV] [ENVIRONMENT …] [PROPERTIES …])
# A test in Python, which the system's Python runs; with VENV, the one that scripts/setup made. Where that one is missing
# there is no such test. PROPERTIES are further properties of the test.
function(runahead_add_script_test name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "VENV" "LABEL;TIMEOUT" "ENVIRONMENT;PROPERTIES")
  if(arg_VENV)
    set(python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    if(NOT EXISTS "${python}")
      return()
    endif()
  else()
    set(python Python3::Interpreter)
    if(NOT TARGET ${python})
      find_package(Python3 REQUIRED COMPONENTS Interpreter)
    endif()
  endif()
  add_test(NAME ${RUNAHEAD_TEST_PREFIX}${name} COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set_tests_properties(${RUNAHEAD_TEST_PREFIX}${name} PROPERTIES
    LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}" ${arg_PROPERTIES})
endfunction()
