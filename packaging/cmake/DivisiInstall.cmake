# SPDX-License-Identifier: Apache-2.0
# Installs each program in bin/ and adds it to the package of its part of the tree. Programs find each other in their
# own folder (process::program_folder), and the samples in share/divisi next to this folder
# (process::resources_folder), so they can be installed under any prefix.
include(GNUInstallDirs)

# Returns in `out` the component (console, backend or agents) to which a folder belongs.
function(_divisi_component folder out)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
  string(REGEX REPLACE "/.*" "" top "${path}")
  if(top STREQUAL "app")
    set(top console)
  endif()
  set(${out} "${top}" PARENT_SCOPE)
endfunction()

# Installs a program. Sanitized programs are not installed, because they need the libraries of the build folder. If a
# LibTorch 2 is used, the installed divisi-instance loads it from its own folder.
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
