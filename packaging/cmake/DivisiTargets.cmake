# SPDX-License-Identifier: Apache-2.0
# A folder is a target is a namespace: divisi_library(graph ...) makes divisi_graph, alias divisi::graph,
# from every .cpp in the calling folder.

function(_divisi_sources out)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# divisi_library(<name> [USES <divisi folders>...] [PRIVATE <third-party targets>...] [SOURCES <extra>...]
#                [APART [<sources>...]]):
# APART names sources that share local names with others of the folder, so that they cannot be compiled together with
# them where several files are compiled as one; without sources: all of the folder.
function(divisi_library name)
  cmake_parse_arguments(arg "" "" "USES;PRIVATE;SOURCES;APART" ${ARGN})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  _divisi_sources(sources)
  add_library(divisi_${name} STATIC ${sources} ${arg_SOURCES})
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

# divisi_rooms(<folder> <rooms>...): the calling folder is divided into rooms. Each is a folder with a CMakeLists.txt
# and a target divisi_<folder>_<room>. divisi::<folder> is all of them. See the decision record 0224.
function(divisi_rooms folder)
  add_library(divisi_${folder} INTERFACE)
  add_library(divisi::${folder} ALIAS divisi_${folder})
  foreach(room IN LISTS ARGN)
    add_subdirectory(${room})
    target_link_libraries(divisi_${folder} INTERFACE divisi::${folder}_${room})
  endforeach()
endfunction()

# divisi_program(<program> [NOT_INSTALLED] [USES ...] [PRIVATE ...]): main.cpp of the calling folder becomes
# bin/<program>. It is installed with the part of the tree that it comes from, app, backend or agents: see
# DivisiPackage.cmake.
function(divisi_program program)
  cmake_parse_arguments(arg "NOT_INSTALLED" "" "USES;PRIVATE" ${ARGN})
  add_executable(${program} main.cpp)
  target_link_libraries(${program} PRIVATE divisi_flags ${arg_PRIVATE})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${program} PRIVATE divisi::${used})
  endforeach()
  if(NOT arg_NOT_INSTALLED)
    divisi_install_program(${program})
  endif()
endfunction()

# divisi_qt_tests(<program> LABEL <label> [SLOW <tests>...] [WAITING] [THREADS] [PATHS] [WIDGETS] [CONSOLE]
#                 [TIMEOUT s] [USES ...] [PRIVATE ...] [ENVIRONMENT ...]):
# All *_test.cpp of the calling folder and of folders below it are one program. Each file names its class,
# DIVISI_TEST(DrainsTest), and is a test <program>_<stem> of its own, run offscreen.
# SLOW: stems of tests that `packaging/test` leaves out without --all. WAITING: the tests mostly wait, so that two share
# a core. THREADS: they start threads of ours, which is what ThreadSanitizer is for. PATHS: they know DIVISI_SOURCE_DIR
# and DIVISI_BIN_DIR; the commands of the others name no folder, so that checkouts share what one of them compiled.
# WIDGETS: they use the console's libraries, of which Qt Test's headers take notice. CONSOLE: they are unit tests of the
# console.
function(divisi_qt_tests program)
  set(flags WAITING THREADS PATHS WIDGETS CONSOLE)
  cmake_parse_arguments(arg "${flags}" "LABEL;TIMEOUT" "SLOW;USES;PRIVATE;ENVIRONMENT" ${ARGN})
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
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  add_executable(${program} ${sources} "${PROJECT_SOURCE_DIR}/tests/support/test_program.cpp")
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  # Where CMake has a folder of that name already: tests/system.
  if(CMAKE_CURRENT_BINARY_DIR STREQUAL "${CMAKE_BINARY_DIR}/tests/${program}")
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${program}_classes)
  endif()
  target_include_directories(${program} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/moc")
  target_compile_definitions(${program} PRIVATE QT_NO_KEYWORDS)
  if(arg_PATHS)
    target_compile_definitions(${program} PRIVATE DIVISI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
      DIVISI_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  endif()
  # Building takes longer than running: a test's own code is not optimized more than needed.
  target_compile_options(${program} PRIVATE -O$<IF:$<BOOL:${DIVISI_SANITIZE}>,0,1>)
  target_precompile_headers(${program} REUSE_FROM ${headers})
  target_link_libraries(${program} PRIVATE divisi_flags Qt6::Test ${arg_PRIVATE})
  if(TARGET divisi_threads_end)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:divisi_threads_end>)
  endif()
  foreach(used IN LISTS arg_USES)
    target_link_libraries(${program} PRIVATE divisi::${used})
  endforeach()
  foreach(label IN LISTS labels)
    set_property(GLOBAL APPEND PROPERTY DIVISI_TESTS_${label} ${program})
  endforeach()
  foreach(source IN LISTS sources)
    _divisi_test_class("${source}" class)
    get_filename_component(stem "${source}" NAME_WE)
    # One run of moc; AUTOMOC would scan everything.
    set(moc "${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}.moc")
    qt_generate_moc("${source}" "${moc}" TARGET ${program})
    target_sources(${program} PRIVATE "${moc}")
    string(REGEX REPLACE "_test$" "" stem "${stem}")
    set(test ${program}_${stem})
    set(test_labels ${labels})
    if(stem IN_LIST arg_SLOW)
      list(APPEND test_labels slow)
    endif()
    # packaging/ctest starts tests for two processors a core.
    set(processors 2)
    if(arg_WAITING)
      set(processors 1)
    endif()
    add_test(NAME ${test} COMMAND ${program} ${class})
    set_tests_properties(${test} PROPERTIES LABELS "${test_labels}" PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT}
      ENVIRONMENT "QT_QPA_PLATFORM=offscreen;OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1;${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# The class that a *_test.cpp enters into its program.
function(_divisi_test_class source out)
  file(STRINGS "${source}" lines REGEX "^DIVISI_(WINDOW_)?TEST\\(.+\\)$")
  list(LENGTH lines count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${source} must enter one class into its program: DIVISI_TEST(NameTest) or "
      "DIVISI_WINDOW_TEST(NameTest) on a line of its own; it has ${count}")
  endif()
  string(REGEX REPLACE ".*\\((.+)\\)" "\\1" class "${lines}")
  set(${out} "${class}" PARENT_SCOPE)
endfunction()
