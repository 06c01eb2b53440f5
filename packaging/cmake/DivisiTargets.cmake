# SPDX-License-Identifier: Apache-2.0
# Each folder is one target and one namespace: divisi_library(graph ...) makes the target divisi_graph, with the alias
# divisi::graph, from every .cpp in the calling folder.

function(_divisi_sources out)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

set(DIVISI_STANDARD_HEADERS <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory> <optional> <set>
  <span> <string> <string_view> <unordered_map> <variant> <vector>)

# divisi_headers(<target> <libraries> <headers>...): headers that many files of the calling folder and those below it
# include, parsed once. divisi_library() uses the target named by DIVISI_HEADERS; its flags and definitions must be the
# same. A file must still include what it needs: DIVISI_UNITY=OFF builds without them.
function(divisi_headers target libraries)
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" CONTENT "// empty: the headers are precompiled\n")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  target_link_libraries(${target} PRIVATE divisi_flags ${libraries})
  set_target_properties(${target} PROPERTIES AUTOMOC OFF POSITION_INDEPENDENT_CODE ON)
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# divisi_library(<name> [USES <divisi folders>...] [PRIVATE <third-party targets>...] [SOURCES <extra>...]
#                [APART [<sources>...]]):
# APART names sources that a unity build must not compile together with other files of the folder, because they define
# the same local names. APART without sources applies to all files of the folder.
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
  if(CMAKE_UNITY_BUILD AND DIVISI_HEADERS AND sources MATCHES "\\.cpp")
    target_precompile_headers(divisi_${name} REUSE_FROM ${DIVISI_HEADERS})
  endif()
endfunction()

# divisi_compile_quickly(): the release build compiles the calling folder and those below it with -O1, which takes 29 %
# less time than -O2. Use it for code that does not handle tensors, plan or draw; see the decision record 0248. With
# -O1, GCC 12 warns of optional values that are always set when they are read.
macro(divisi_compile_quickly)
  add_compile_options("$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1;-Wno-maybe-uninitialized>")
endmacro()

# divisi_rooms(<folder> <rooms>...): the calling folder is divided into rooms. Each is a folder with a CMakeLists.txt
# and a target divisi_<folder>_<room>. divisi::<folder> links all of them. See the decision record 0224.
function(divisi_rooms folder)
  add_library(divisi_${folder} INTERFACE)
  add_library(divisi::${folder} ALIAS divisi_${folder})
  foreach(room IN LISTS ARGN)
    add_subdirectory(${room})
    target_link_libraries(divisi_${folder} INTERFACE divisi::${folder}_${room})
  endforeach()
endfunction()

# divisi_program(<program> [NOT_INSTALLED] [USES ...] [PRIVATE ...]): builds bin/<program> from main.cpp of the calling
# folder. The program is installed with the package of its part of the tree (app, backend or agents): see
# DivisiInstall.cmake.
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

# divisi_qt_tests(<program> LABEL <label> [SLOW <tests>...] [ALONE <tests>...] [WAITING] [THREADS] [PATHS] [WIDGETS]
#                 [CONSOLE] [TIMEOUT s] [USES ...] [PRIVATE ...] [ENVIRONMENT ...]):
# All *_test.cpp of the calling folder and of folders below it form one program. Each file names its class,
# DIVISI_TEST(DrainsTest), and becomes a separate test <program>_<stem>, run offscreen. SLOW: stems of tests that
# `packaging/test` leaves out without --all. ALONE: stems of tests that compare measured times, so no other test runs
# beside them. WAITING: the tests also wait, so three of them share two cores. THREADS: they start threads of ours, so
# they also run under ThreadSanitizer. PATHS: they get DIVISI_SOURCE_DIR and DIVISI_BIN_DIR; the compile commands of all
# other tests name no folder, so checkouts share compiled files. WIDGETS: they use the console's libraries, which change
# what Qt Test's headers declare. CONSOLE: they are unit tests of the console.
function(divisi_qt_tests program)
  set(flags WAITING THREADS PATHS WIDGETS CONSOLE)
  cmake_parse_arguments(arg "${flags}" "LABEL;TIMEOUT" "SLOW;ALONE;USES;PRIVATE;ENVIRONMENT" ${ARGN})
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
  # The program must not have the same path as a build folder; for tests/system it would.
  if(CMAKE_CURRENT_BINARY_DIR STREQUAL "${CMAKE_BINARY_DIR}/tests/${program}")
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${program}_classes)
  endif()
  target_include_directories(${program} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/moc")
  target_compile_definitions(${program} PRIVATE QT_NO_KEYWORDS)
  if(arg_PATHS)
    target_compile_definitions(${program} PRIVATE DIVISI_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
      DIVISI_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  endif()
  # Tests take longer to compile than to run, so their own code is optimized little.
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
    # Runs moc once for this file; AUTOMOC would scan all sources.
    set(moc "${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}.moc")
    qt_generate_moc("${source}" "${moc}" TARGET ${program})
    target_sources(${program} PRIVATE "${moc}")
    string(REGEX REPLACE "_test$" "" stem "${stem}")
    set(test ${program}_${stem})
    set(test_labels ${labels})
    if(stem IN_LIST arg_SLOW)
      list(APPEND test_labels slow)
    endif()
    # For packaging/ctest, a core counts as three processors: a test that computes takes one core, a waiting test two
    # thirds of a core.
    set(processors 3)
    if(arg_WAITING)
      set(processors 2)
    endif()
    set(alone OFF)
    if(stem IN_LIST arg_ALONE)
      set(alone ON)
    endif()
    add_test(NAME ${test} COMMAND ${program} ${class})
    set_tests_properties(${test} PROPERTIES LABELS "${test_labels}" PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT}
      RUN_SERIAL ${alone}
      ENVIRONMENT "QT_QPA_PLATFORM=offscreen;OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1;${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# Returns in `out` the class that a *_test.cpp registers in its program.
function(_divisi_test_class source out)
  file(STRINGS "${source}" lines REGEX "^DIVISI_(WINDOW_)?TEST\\(.+\\)$")
  list(LENGTH lines count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${source} must register one class in its program: DIVISI_TEST(NameTest) or "
      "DIVISI_WINDOW_TEST(NameTest) on a line of its own; it has ${count}")
  endif()
  string(REGEX REPLACE ".*\\((.+)\\)" "\\1" class "${lines}")
  set(${out} "${class}" PARENT_SCOPE)
endfunction()
