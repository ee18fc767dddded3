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

# What most sources use, and no more: all of <torch/torch.h> would cost each of them 2.5 s, since a compiler
# finishes the templates that a precompiled header left open again in every source.
runahead_precompile(runahead_torch_pch
  <torch/types.h> <torch/nn/module.h> <torch/optim/optimizer.h> <torch/library.h> ${runahead_common_headers}
  DEPENDS runahead::libtorch nlohmann_json::nlohmann_json)
