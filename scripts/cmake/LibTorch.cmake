# Finds LibTorch (RUNAHEAD_LIBTORCH, else the one in .venv) and the CUDA toolkit it wants at configure
# time (CUDA_HOME, CUDAToolkit_ROOT, /usr/local/cuda, else the wheels' in .venv), and offers two targets:
# runahead_libtorch, to link, and runahead_torch_pch, whose precompiled header every user shares. Where
# LibTorch has CUDA (there is a target torch_cuda) it has enabled that language, too.

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

# Without a system toolkit the wheels carry one: scripts/setup arranged it in nvidia/cu13.
file(GLOB runahead_wheel_cuda "${runahead_torch_dir}/../nvidia/cu1[3-9]/bin/nvcc")
if(NOT DEFINED CUDAToolkit_ROOT AND NOT DEFINED ENV{CUDA_HOME} AND NOT EXISTS "/usr/local/cuda/bin/nvcc"
   AND runahead_wheel_cuda)
  get_filename_component(runahead_wheel_cuda "${runahead_wheel_cuda}" DIRECTORY)
  get_filename_component(runahead_wheel_cuda "${runahead_wheel_cuda}" DIRECTORY)
  set(ENV{CUDA_HOME} "${runahead_wheel_cuda}")
  set(ENV{CUDACXX} "${runahead_wheel_cuda}/bin/nvcc")
  set(CUDAToolkit_ROOT "${runahead_wheel_cuda}")
  set(CUDA_TOOLKIT_ROOT_DIR "${runahead_wheel_cuda}")
elseif(NOT DEFINED ENV{CUDACXX} AND EXISTS "/usr/local/cuda/bin/nvcc")
  set(ENV{CUDACXX} "/usr/local/cuda/bin/nvcc")
endif()
if(NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
  set(ENV{TORCH_CUDA_ARCH_LIST} "9.0")   # Silences LibTorch; this project's own kernels set theirs.
endif()
set(CMAKE_MESSAGE_LOG_LEVEL ERROR)   # LibTorch warns of a library it does without and of our CUDA settings.
find_package(Torch 2.11 REQUIRED PATHS "${runahead_torch_dir}" NO_DEFAULT_PATH)
unset(CMAKE_MESSAGE_LOG_LEVEL)
# LibTorch's targets bring the CUDA runtime, a shared library. CMake would link a second one, static, to
# whatever has a kernel in it.
set(CMAKE_CUDA_RUNTIME_LIBRARY None)

add_library(runahead_libtorch INTERFACE)
target_include_directories(runahead_libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
# LibTorch exports a std::filesystem of its own, whose remove_all calls a null pointer: the system's is
# to be found first.
target_link_libraries(runahead_libtorch INTERFACE stdc++ ${TORCH_LIBRARIES})

# The toolkit may hold older copies of the libraries that LibTorch was linked to: look in its own first.
file(GLOB runahead_wheel_libs "${runahead_torch_dir}/../nvidia/*/lib")
foreach(directory IN LISTS runahead_wheel_libs)
  target_link_options(runahead_libtorch INTERFACE "LINKER:-rpath-link,${directory}")
endforeach()

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/torch_pch.cpp" CONTENT "")
add_library(runahead_torch_pch OBJECT "${PROJECT_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(runahead_torch_pch PRIVATE runahead_libtorch runahead_build_flags)
# What most sources use, and no more: all of <torch/torch.h> would cost each of them 2.5 s, since a compiler
# finishes the templates that a precompiled header left open in every source anew.
target_precompile_headers(runahead_torch_pch PRIVATE
  <torch/types.h> <torch/nn/module.h> <torch/optim/optimizer.h> <torch/library.h> <string> <vector>)
if(RUNAHEAD_PRECOMPILE_LAUNCHER)
  set_target_properties(runahead_torch_pch PROPERTIES CXX_COMPILER_LAUNCHER "${RUNAHEAD_PRECOMPILE_LAUNCHER}")
endif()
