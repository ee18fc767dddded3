# How LibTorch is found and linked, here and in the projects that use the installed package.

# Finds the CUDA toolkit that a LibTorch with CUDA wants at configure time: CUDA_HOME, CUDAToolkit_ROOT,
# /usr/local/cuda, else the one in the wheels next to torch.
macro(runahead_find_toolkit_of_torch torch_folder)
  # Without a system toolkit the wheels carry one, where scripts/setup arranged it in nvidia/cu13.
  file(GLOB runahead_wheel_cuda "${torch_folder}/../nvidia/cu1[3-9]/bin/nvcc")
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
endmacro()

# Finds the LibTorch in a folder and defines runahead::libtorch. Where LibTorch has CUDA (there is a
# target torch_cuda) it has enabled that language, too.
macro(runahead_find_torch torch_folder)
  runahead_find_toolkit_of_torch("${torch_folder}")
  # LibTorch warns of a library it does without and of our CUDA settings.
  set(runahead_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
  set(runahead_architectures "$ENV{TORCH_CUDA_ARCH_LIST}")
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
  if(NOT runahead_architectures)
    set(ENV{TORCH_CUDA_ARCH_LIST} "9.0")   # Silences it; kernels of the caller set theirs.
  endif()
  find_package(Torch 2.11 REQUIRED PATHS "${torch_folder}" NO_DEFAULT_PATH)
  set(ENV{TORCH_CUDA_ARCH_LIST} "${runahead_architectures}")
  set(CMAKE_MESSAGE_LOG_LEVEL "${runahead_log_level}")
  if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
    # LibTorch's targets bring the CUDA runtime, a shared library. CMake would link a second one, static, to
    # whatever has a kernel in it.
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)
  endif()

  add_library(runahead::libtorch INTERFACE IMPORTED)
  # LibTorch exports a std::filesystem of its own, whose remove_all calls a null pointer: the system's is
  # to be found first.
  set_target_properties(runahead::libtorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "stdc++;${TORCH_LIBRARIES}")
  # The toolkit may hold older copies of the libraries that LibTorch was linked to: look in its own first.
  file(GLOB runahead_wheel_libs "${torch_folder}/../nvidia/*/lib")
  foreach(directory IN LISTS runahead_wheel_libs)
    target_link_options(runahead::libtorch INTERFACE "LINKER:-rpath-link,${directory}")
  endforeach()
endmacro()
