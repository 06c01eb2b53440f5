# SPDX-License-Identifier: Apache-2.0
# Where a program is installed, and with which package: bin/, in the component of its part of the tree. Programs find
# each other in their own folder (process::program_folder) and the samples in share/divisi beside it
# (process::resources_folder), so that any prefix does.
include(GNUInstallDirs)

# The part of the tree that a folder lies in.
function(_divisi_component folder out)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
  string(REGEX REPLACE "/.*" "" top "${path}")
  if(top STREQUAL "app")
    set(top console)
  endif()
  set(${out} "${top}" PARENT_SCOPE)
endfunction()

# Sanitized programs need the build folder's libraries, and are installed nowhere. A LibTorch 2 that is no package of
# the system is found where it lies.
function(divisi_install_program program)
  set_property(GLOBAL APPEND PROPERTY DIVISI_PROGRAMS ${program})
  if(DIVISI_SANITIZE)
    return()
  endif()
  _divisi_component("${CMAKE_CURRENT_SOURCE_DIR}" component)
  if(divisi_libtorch_2 AND program STREQUAL "divisi-instance")
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "${divisi_libtorch_2}/lib")
  endif()
  install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY DIVISI_INSTALLED_${component} ${program})
endfunction()
