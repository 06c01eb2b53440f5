# SPDX-License-Identifier: Apache-2.0
# CUDA is on by itself where the toolkit is found; nothing else depends on it.
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
  # CMake 3.25 knows CUDA standards only up to 17.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
  set(DIVISI_CUDA ON)
endif()
message(STATUS "CUDA: ${DIVISI_CUDA}")

# divisi_cuda_module(<name> <folder>): the .cu files of a folder become one module, lib/<name>.so, that a
# program loads at run time; so one build starts with and without a GPU. The CUDA runtime is linked
# statically. Does nothing where the toolkit or the files are absent.
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
