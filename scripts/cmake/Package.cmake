# The CMake package: `cmake --install build --component package --prefix DIR` installs the libraries and
# headers that other projects use with find_package(runahead). docs/cpp.md is the page for users.

include(CMakePackageConfigHelpers)
set(runahead_package_folder lib/cmake/runahead)

# Installs a library with its headers, as the target runahead::<name>. What includes LibTorch is
# exported apart, so that the others can be used without it.
function(runahead_package_library name is_torch)
  set(export runaheadTargets)
  if(is_torch)
    set(export runaheadTorchTargets)
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set_target_properties(runahead_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS runahead_${name} EXPORT ${export} COMPONENT package
    ARCHIVE DESTINATION lib INCLUDES DESTINATION include/runahead)
  install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/" DESTINATION "include/runahead/${folder}" COMPONENT package
    FILES_MATCHING PATTERN "*.h")
endfunction()

# To be called when all libraries are known.
function(runahead_install_package)
  set(exports runaheadTargets)
  if(RUNAHEAD_TORCH)
    list(APPEND exports runaheadTorchTargets)
  endif()
  foreach(export IN LISTS exports)
    install(EXPORT ${export} NAMESPACE runahead:: DESTINATION ${runahead_package_folder} COMPONENT package)
  endforeach()
  configure_package_config_file("${PROJECT_SOURCE_DIR}/scripts/cmake/runaheadConfig.cmake.in" runaheadConfig.cmake
    INSTALL_DESTINATION ${runahead_package_folder} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(runaheadConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/runaheadConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/runaheadConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/scripts/cmake/TorchTarget.cmake"
    DESTINATION ${runahead_package_folder} COMPONENT package)
endfunction()
