# Finds what the Python package needs: the Python that LibTorch is installed in, its headers, and
# LibTorch's own library for Python. Sets RUNAHEAD_PYTHON, that Python, or RUNAHEAD_PYTHON_MISSING, a
# sentence saying why there is no package.

set(RUNAHEAD_PYTHON "")
set(RUNAHEAD_PYTHON_MISSING "")
find_library(runahead_torch_python torch_python PATHS "${runahead_torch_dir}/lib" NO_DEFAULT_PATH)
# <prefix>/lib/python3.x/site-packages/torch, of an environment or of a whole installation.
find_program(runahead_python_program NAMES python3 python
  PATHS "${runahead_torch_dir}/../../../../bin" NO_DEFAULT_PATH)
# Elsewhere, as in dist-packages or below ~/.local: the Python that imports torch from there.
file(REAL_PATH "${runahead_torch_dir}" runahead_real_torch_dir)
foreach(python IN ITEMS "$ENV{RUNAHEAD_PYTHON}" python3)
  if(runahead_python_program OR python STREQUAL "")
    continue()
  endif()
  execute_process(COMMAND "${python}" -c "import importlib.util, os, sys
print(sys.executable)
print(os.path.dirname(os.path.realpath(importlib.util.find_spec('torch').origin)))"
    OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(found MATCHES "^([^\n]+)\n(.*)$" AND CMAKE_MATCH_2 STREQUAL runahead_real_torch_dir)
    set(runahead_python_program "${CMAKE_MATCH_1}" CACHE FILEPATH "The Python that has this LibTorch" FORCE)
  endif()
endforeach()
mark_as_advanced(runahead_torch_python runahead_python_program)
if(NOT runahead_torch_python OR NOT runahead_python_program)
  set(RUNAHEAD_PYTHON_MISSING "the LibTorch in ${runahead_torch_dir} is not installed in a Python")
  return()
endif()

set(Python3_EXECUTABLE "${runahead_python_program}")
find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND)
  set(RUNAHEAD_PYTHON_MISSING "the headers of ${runahead_python_program} are not installed (python3-dev)")
  return()
endif()
set(RUNAHEAD_PYTHON "${runahead_python_program}")
