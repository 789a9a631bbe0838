# How every target of cairn is built: one function a folder, so that a folder's CMakeLists.txt is
# one line.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths relative to the checkout: two checkouts of one commit share what was compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE_PROGRAM})
endif()

add_library(cairn_options INTERFACE)
target_include_directories(cairn_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# -ffp-contract=off: a compiler that fuses a*b+c in one loop and not in its tail would break
# invariant N1; kernels that want FMA say so.
target_compile_options(cairn_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Woverloaded-virtual -Werror -ffp-contract=off
  # GCC 12 sees overlaps in std::string (its bug 105651) and unset members in variants (105562).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(CAIRN_SANITIZE)
  list(JOIN CAIRN_SANITIZE "," CAIRN_SANITIZE_LIST)
  target_compile_options(cairn_options INTERFACE
    -fsanitize=${CAIRN_SANITIZE_LIST} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Checks before every access double the time of compiling; what they find, the address sanitizer
  # finds too.
  if("undefined" IN_LIST CAIRN_SANITIZE AND "address" IN_LIST CAIRN_SANITIZE)
    target_compile_options(cairn_options INTERFACE -fno-sanitize=null,vptr,object-size)
  endif()
  target_link_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE_LIST})
endif()
if(CAIRN_FUZZ)
  target_compile_options(cairn_options INTERFACE -fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)  # all of them and nothing else
endif()

# cairn_module(NAME [DEPENDS module...] [LIBRARIES target...])
#   One folder of src/ = one target cairn_NAME. Sources are found by name: x.cpp is code,
#   x_test.cpp a test, x_fuzz.cpp a libFuzzer target, x_bench.cpp a micro-benchmark.
function(cairn_module NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;PUBLIC_LIBRARIES" ${ARGN})
  file(GLOB_RECURSE ALL CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(CODE ${ALL})
  list(FILTER CODE EXCLUDE REGEX "(_(test|fuzz|bench)|/main)\\.cpp$")
  set(TESTS ${ALL})
  list(FILTER TESTS INCLUDE REGEX "_test\\.cpp$")
  set(FUZZERS ${ALL})
  list(FILTER FUZZERS INCLUDE REGEX "_fuzz\\.cpp$")
  set(BENCHES ${ALL})
  list(FILTER BENCHES INCLUDE REGEX "_bench\\.cpp$")

  string(REPLACE "/" "_" TARGET ${NAME})
  if(CODE)
    add_library(cairn_${TARGET} STATIC ${CODE})
    set(SCOPE PUBLIC)
  else()
    add_library(cairn_${TARGET} INTERFACE)
    set(SCOPE INTERFACE)
  endif()
  target_link_libraries(cairn_${TARGET} ${SCOPE} cairn_options fmt::fmt Threads::Threads)
  foreach(DEPENDENCY ${ARG_DEPENDS})
    string(REPLACE "/" "_" DEPENDENCY ${DEPENDENCY})
    target_link_libraries(cairn_${TARGET} ${SCOPE} cairn_${DEPENDENCY})
  endforeach()
  if(ARG_PUBLIC_LIBRARIES)
    target_link_libraries(cairn_${TARGET} ${SCOPE} ${ARG_PUBLIC_LIBRARIES})
  endif()
  if(ARG_LIBRARIES)
    if(CODE)
      target_link_libraries(cairn_${TARGET} PRIVATE ${ARG_LIBRARIES})
    else()
      target_link_libraries(cairn_${TARGET} INTERFACE ${ARG_LIBRARIES})
    endif()
  endif()

  if(CAIRN_TESTS AND TESTS)
    add_executable(${TARGET}_test ${TESTS})
    target_link_libraries(${TARGET}_test PRIVATE cairn_${TARGET} ${ARG_LIBRARIES} GTest::gmock
                                                 GTest::gtest_main)
    target_compile_definitions(${TARGET}_test PRIVATE CAIRN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${TARGET}_test TEST_PREFIX "${NAME}/" DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 900)
  endif()
  if(CAIRN_FUZZ)
    foreach(SOURCE ${FUZZERS})
      get_filename_component(STEM ${SOURCE} NAME_WE)
      add_executable(${STEM} ${SOURCE})
      target_link_libraries(${STEM} PRIVATE cairn_${TARGET} ${ARG_LIBRARIES})
      target_link_options(${STEM} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${STEM})
    endforeach()
  endif()
  if(CAIRN_BENCH AND BENCHES)
    add_executable(${TARGET}_bench ${BENCHES})
    target_link_libraries(${TARGET}_bench PRIVATE cairn_${TARGET} benchmark::benchmark_main)
  endif()
endfunction()
