# SPDX-License-Identifier: Apache-2.0
# Defines the target divisi::torch: Debian's LibTorch 1.13, or a LibTorch 2 (pip's wheel or an unpacked archive).
#
# This file imports a LibTorch 2 without the TorchConfig.cmake of LibTorch. TorchConfig.cmake requires a CUDA toolkit of
# a matching version on every machine, probes for a GPU with a CUDA dialect that CMake 3.25 does not support, and makes
# every program that links LibTorch load all of CUDA. Programs need only the headers, libtorch_cpu and libc10.
# libtorch_cuda is in the same folder and is loaded when a task requests a GPU (agents/segment/tensors.cpp).

set(DIVISI_LIBTORCH "" CACHE PATH "Folder of a LibTorch 2, with include/ and lib/; empty: the system's LibTorch")

# Older versions were never tested, and the wheels up to 2.6 were built for another C++ ABI.
set(DIVISI_OLDEST_LIBTORCH_2 2.11)

# Returns in `out` the version in the version file of a LibTorch's folder, or an empty value without such a file.
function(_divisi_libtorch_version prefix out)
  set(PACKAGE_VERSION "")
  if(EXISTS "${prefix}/share/cmake/Torch/TorchConfigVersion.cmake")
    include("${prefix}/share/cmake/Torch/TorchConfigVersion.cmake")
  endif()
  set(${out} "${PACKAGE_VERSION}" PARENT_SCOPE)
endfunction()

# Returns in `out` the folder of the LibTorch 2 that DIVISI_LIBTORCH or CMAKE_PREFIX_PATH names, or an empty value.
function(_divisi_find_libtorch_2 out)
  set(prefix "${DIVISI_LIBTORCH}")
  if(prefix STREQUAL "")
    foreach(candidate IN LISTS CMAKE_PREFIX_PATH)
      _divisi_libtorch_version("${candidate}" version)
      if(prefix STREQUAL "" AND version VERSION_GREATER_EQUAL 2)
        set(prefix "${candidate}")
      endif()
    endforeach()
  endif()
  set(${out} "${prefix}" PARENT_SCOPE)
endfunction()

function(_divisi_check_libtorch_2 prefix version)
  if(version STREQUAL "" OR NOT EXISTS "${prefix}/lib/libtorch_cpu.so" OR NOT EXISTS "${prefix}/include/ATen")
    message(FATAL_ERROR "'${prefix}' is not a LibTorch: it needs include/ATen, lib/libtorch_cpu.so and "
      "share/cmake/Torch/TorchConfigVersion.cmake; pip's wheel has these in the folder site-packages/torch. "
      "`packaging/setup --libtorch2` installs a LibTorch 2; -DDIVISI_LIBTORCH= selects the system's LibTorch.")
  endif()
  if(version VERSION_LESS DIVISI_OLDEST_LIBTORCH_2)
    message(FATAL_ERROR "LibTorch ${version} in '${prefix}' is too old: Divisi builds with Debian's 1.13 and with "
      "${DIVISI_OLDEST_LIBTORCH_2} and newer. `packaging/setup --libtorch2` installs the newest.")
  endif()
endfunction()

add_library(divisi_torch INTERFACE)
add_library(divisi::torch ALIAS divisi_torch)
_divisi_find_libtorch_2(divisi_libtorch_2)
if(divisi_libtorch_2)
  _divisi_libtorch_version("${divisi_libtorch_2}" Torch_VERSION)
  _divisi_check_libtorch_2("${divisi_libtorch_2}" "${Torch_VERSION}")
  target_include_directories(divisi_torch SYSTEM INTERFACE "${divisi_libtorch_2}/include"
    "${divisi_libtorch_2}/include/torch/csrc/api/include")
  # libtorch_cpu finds the libraries that it needs (for example CUDA's profiler) by its own run path.
  target_link_libraries(divisi_torch INTERFACE "${divisi_libtorch_2}/lib/libtorch_cpu.so"
    "${divisi_libtorch_2}/lib/libc10.so" -Wl,--allow-shlib-undefined)
  message(STATUS "LibTorch: ${Torch_VERSION}, ${divisi_libtorch_2}")
else()
  # Without this list, the CMake files of a LibTorch with CUDA probe for a GPU, and fail if there is none.
  if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
    set(TORCH_CUDA_ARCH_LIST "8.0;9.0")
  endif()
  find_package(Torch REQUIRED)
  target_link_libraries(divisi_torch INTERFACE ${TORCH_LIBRARIES})
  message(STATUS "LibTorch: ${Torch_VERSION}, the system's")
endif()
