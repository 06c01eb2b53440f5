# SPDX-License-Identifier: Apache-2.0
# A folder is a target is a namespace: divisi_library(graph ...) makes divisi_graph, alias divisi::graph,
# from every .cpp in the calling folder.

function(_divisi_sources out)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# divisi_library(<name> [USES <divisi folders>...] [PRIVATE <third-party targets>...] [SOURCES <extra>...]
#                [ONLY <sources>...] [WITHOUT <sources>...] [APART [<sources>...]]):
# ONLY and WITHOUT part a folder into two targets, where programs need a file of it and nothing of what the others use.
# APART: whose local names are others' of the folder too, so that they cannot be compiled together with them where
# several files are compiled as one (the sanitizers' presets); alone: all of them.
function(divisi_library name)
  cmake_parse_arguments(arg "" "" "USES;PRIVATE;SOURCES;ONLY;WITHOUT;APART" ${ARGN})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  _divisi_sources(sources)
  list(TRANSFORM arg_WITHOUT PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  if(arg_ONLY)
    list(TRANSFORM arg_ONLY PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE sources)
  endif()
  # Three hundred sanitized tests that each hold the libraries they use take 20 GB, and minutes to link.
  set(kind STATIC)
  if(DIVISI_SANITIZE)
    set(kind SHARED)
  endif()
  add_library(divisi_${name} ${kind} ${sources} ${arg_SOURCES})
  add_library(divisi::${name} ALIAS divisi_${name})
  target_link_libraries(divisi_${name} PUBLIC divisi_flags PRIVATE ${arg_PRIVATE})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(divisi_${name} PUBLIC divisi::${used})
  endforeach()
  if("APART" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    set_target_properties(divisi_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  set_target_properties(divisi_${name} PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
endfunction()

# divisi_program(<program> [NO_PLANNER] [NOT_INSTALLED] [USES ...] [PRIVATE ...]): main.cpp of the calling folder
# becomes bin/<program>. NO_PLANNER: it is linked without price and search, see backend/task/CMakeLists.txt. It is
# installed with the part of the tree that it comes from, app, backend or agents: see DivisiPackage.cmake.
function(divisi_program program)
  cmake_parse_arguments(arg "NO_PLANNER;NOT_INSTALLED" "" "USES;PRIVATE" ${ARGN})
  add_executable(${program} main.cpp)
  set_target_properties(${program} PROPERTIES DIVISI_NO_PLANNER ${arg_NO_PLANNER})
  target_link_libraries(${program} PRIVATE divisi_flags ${arg_PRIVATE})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${program} PRIVATE divisi::${used})
  endforeach()
  if(NOT arg_NOT_INSTALLED)
    divisi_install_program(${program})
  endif()
endfunction()

# divisi_qt_tests(<prefix> LABEL <label> [THREADS] [NO_PLANNER] [PATHS] [WIDGETS] [CONSOLE] [TIMEOUT s] [USES ...]
#                 [PRIVATE ...] [ENVIRONMENT ...]):
# every *_test.cpp of the calling folder is one Qt Test program <prefix>_<name>, run offscreen under ctest. THREADS:
# they start threads of ours, which is what ThreadSanitizer is for. NO_PLANNER: as of divisi_program. PATHS: they know
# DIVISI_SOURCE_DIR and DIVISI_BIN_DIR; the others' commands name no folder, so that checkouts share what one compiled.
# WIDGETS: they use the console's libraries, of which Qt Test's headers take notice. CONSOLE: they are of the console.
function(divisi_qt_tests prefix)
  set(flags THREADS NO_PLANNER PATHS WIDGETS CONSOLE)
  cmake_parse_arguments(arg "${flags}" "LABEL;TIMEOUT" "USES;PRIVATE;ENVIRONMENT" ${ARGN})
  set(labels ${arg_LABEL})
  if(arg_THREADS)
    list(APPEND labels threads)
  endif()
  if(arg_CONSOLE)
    list(APPEND labels console)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(DIVISI_SANITIZE)  # sanitized programs are up to ten times slower
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 6")
  endif()
  if(DIVISI_SANITIZE STREQUAL "thread")  # Qt, ZeroMQ and SQLite are not instrumented; tests fork
    list(APPEND arg_ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0)
  endif()
  set(headers divisi_test_headers)
  if(arg_WIDGETS)
    set(headers divisi_test_headers_widgets)
  endif()
  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  foreach(source IN LISTS tests)
    get_filename_component(stem "${source}" NAME_WE)
    string(REGEX REPLACE "_test$" "" stem "${stem}")
    set(target ${prefix}_${stem})
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests"
      DIVISI_NO_PLANNER ${arg_NO_PLANNER})
    # One run of moc; AUTOMOC would scan every program, and compile a second file for each.
    set(moc "${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}_test.moc")
    qt_generate_moc("${source}" "${moc}" TARGET ${target})
    target_sources(${target} PRIVATE "${moc}")
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/moc")
    target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
    if(arg_PATHS)
      target_compile_definitions(${target} PRIVATE DIVISI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        DIVISI_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
    endif()
    # Building takes longer than running: a test's own code is not optimized more than needed.
    target_compile_options(${target} PRIVATE -O$<IF:$<BOOL:${DIVISI_SANITIZE}>,0,1>)
    target_precompile_headers(${target} REUSE_FROM ${headers})
    target_link_libraries(${target} PRIVATE divisi_flags Qt6::Test ${arg_PRIVATE})
    if(TARGET divisi_threads_end)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:divisi_threads_end>)
    endif()
    foreach(used IN LISTS arg_USES)
      target_link_libraries(${target} PRIVATE divisi::${used})
    endforeach()
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT}
      ENVIRONMENT "QT_QPA_PLATFORM=offscreen;OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1;${arg_ENVIRONMENT}")
    foreach(label IN LISTS labels)
      set_property(GLOBAL APPEND PROPERTY DIVISI_TESTS_${label} ${target})
    endforeach()
  endforeach()
endfunction()
