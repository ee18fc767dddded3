# Offers two targets: runahead::libtorch, to link (TorchTarget.cmake), and runahead_torch_pch, whose
# precompiled header every user shares. LibTorch is RUNAHEAD_LIBTORCH, else the one in .venv.

include(TorchTarget)

if(RUNAHEAD_LIBTORCH)
  set(runahead_torch_dir "${RUNAHEAD_LIBTORCH}")
else()
  file(GLOB runahead_torch_dir "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
endif()
if(NOT EXISTS "${runahead_torch_dir}/share/cmake/Torch/TorchConfig.cmake")
  message(FATAL_ERROR
    "LibTorch was not found (looked in '${runahead_torch_dir}'). Run scripts/setup, or set "
    "RUNAHEAD_LIBTORCH to a LibTorch 2.11 or newer, or configure with -DRUNAHEAD_TORCH=OFF.")
endif()

runahead_find_torch("${runahead_torch_dir}")

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/torch_pch.cpp" CONTENT "")
add_library(runahead_torch_pch OBJECT "${PROJECT_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(runahead_torch_pch PRIVATE runahead::libtorch runahead_build_flags)
# What most sources use, and no more: all of <torch/torch.h> would cost each of them 2.5 s, since a compiler
# finishes the templates that a precompiled header left open again in every source.
target_precompile_headers(runahead_torch_pch PRIVATE
  <torch/types.h> <torch/nn/module.h> <torch/optim/optimizer.h> <torch/library.h> <string> <vector>)
if(RUNAHEAD_PRECOMPILE_LAUNCHER)
  set_target_properties(runahead_torch_pch PROPERTIES CXX_COMPILER_LAUNCHER "${RUNAHEAD_PRECOMPILE_LAUNCHER}")
endif()
