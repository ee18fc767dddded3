# Compiles through ccache where it is installed. Precompiled headers need the sloppiness named here, and
# a target that makes one the launcher RUNAHEAD_PRECOMPILE_LAUNCHER.
find_program(RUNAHEAD_CCACHE ccache)
if(RUNAHEAD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_PCH_EXTSUM=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${RUNAHEAD_CCACHE})
  set(RUNAHEAD_PRECOMPILE_LAUNCHER sh "${CMAKE_CURRENT_LIST_DIR}/precompile.sh" ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
