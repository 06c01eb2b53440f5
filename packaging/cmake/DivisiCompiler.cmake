# SPDX-License-Identifier: Apache-2.0
# Defines one INTERFACE target with the flags for warnings and sanitizers, and uses ccache if it is installed.
find_program(DIVISI_CCACHE ccache)
if(DIVISI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this setting, ccache does not cache files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${DIVISI_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER "${DIVISI_CCACHE}")
endif()

add_library(divisi_flags INTERFACE)
target_compile_options(divisi_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wnon-virtual-dtor;-Wshadow=local;-Wno-missing-field-initializers>)
# With several files compiled as one, GCC takes an anonymous namespace of a source for that of a header.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(divisi_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
target_include_directories(divisi_flags INTERFACE "${PROJECT_SOURCE_DIR}")

if(DIVISI_SANITIZE STREQUAL "address")
  # The three omitted checks nearly double the compile time, and find little that AddressSanitizer does not find: see
  # the decision record 0158.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,alignment,object-size
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(DIVISI_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(NOT DIVISI_SANITIZE STREQUAL "")
  message(FATAL_ERROR "DIVISI_SANITIZE is '${DIVISI_SANITIZE}'; use address, thread or an empty value")
endif()
