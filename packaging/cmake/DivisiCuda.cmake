# SPDX-License-Identifier: Apache-2.0
# CUDA is enabled if the toolkit is found. Without the toolkit, only the CUDA modules are not built.
if(DIVISI_SANITIZE STREQUAL "")
  include(CheckLanguage)
  check_language(CUDA)
endif()
set(DIVISI_CUDA OFF)
if(CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  # CMake 3.25 supports the CUDA standards only up to C++17.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
  set(DIVISI_CUDA ON)
endif()
message(STATUS "CUDA: ${DIVISI_CUDA}")

# divisi_cuda_module(<name> <folder>): builds one module, lib/<name>.so, from the .cu files of a folder. A program loads
# it at run time, so the same build starts with and without a GPU. The CUDA runtime is linked statically. The function
# does nothing if the toolkit or the files are missing.
function(divisi_cuda_module name folder)
  file(GLOB kernels CONFIGURE_DEPENDS "${folder}/*.cu")
  if(NOT DIVISI_CUDA OR NOT kernels)
    return()
  endif()
  add_library(${name} MODULE ${kernels})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  set_target_properties(${name} PROPERTIES PREFIX "" CUDA_RUNTIME_LIBRARY Static
    POSITION_INDEPENDENT_CODE ON LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
endfunction()
