# Compiles through ccache where it is installed. Precompiled headers need the sloppiness named here.
find_program(RUNAHEAD_CCACHE ccache)
if(RUNAHEAD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${RUNAHEAD_CCACHE})
endif()
