# bf_add_doctest(lab.compare SOURCES compare_test.cpp … [LIBRARIES lab …])
#
# A doctest program named <area>_<name>_tests and the CTest <area>.<name> that runs it. Sources may be
# .cpp or .cu; main is doctest's own. Does nothing when BF_TESTS is OFF.
function(bf_add_doctest test)
  if(NOT BF_TESTS OR (BF_COMPILE_ONLY AND NOT "${ARGN}" MATCHES "\\.cu(;|$)"))
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "bf_add_doctest(${test}): no SOURCES")
  endif()
  string(REPLACE "." "_" program ${test}_tests)

  if(arg_SOURCES MATCHES "\\.cu(;|$)")
    bf_add_cuda_executable(${program} ${arg_SOURCES})
  else()
    bf_add_executable(${program} ${arg_SOURCES})
  endif()
  target_link_libraries(${program} PRIVATE doctest_main ${arg_LIBRARIES})
  if(BF_BACKEND STREQUAL "cpu")
    target_compile_options(${program} PRIVATE -O0) # their kernels, too
  else()
    bf_compile_fast(${arg_SOURCES})
  endif()
  bf_reuse_test_headers(${program} ${arg_SOURCES})
  # A doctest program whose cases were all compiled out or filtered away must not pass.
  add_test(NAME ${test} COMMAND ${program} --no-intro)
  set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases:[ ]*0 ")
endfunction()

# Precompiled headers: those of kernels' tests, and those of all others.
function(bf_reuse_test_headers program)
  if(NOT ARGN MATCHES "\\.cu(;|$)")
    bf_reuse_headers(${program} test_headers)
  elseif(BF_BACKEND STREQUAL "cpu")
    bf_reuse_headers(${program} kernel_test_headers)
  endif()
endfunction()

# doctest's implementation and main: the slow part of a test, compiled once for all of them. Assertions
# are the kind that compiles quickly: what throws in one ends its case.
if(BF_TESTS)
  add_library(doctest_main OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
  target_link_libraries(doctest_main PUBLIC doctest::doctest)
  target_compile_definitions(doctest_main PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_compile_options(doctest_main PRIVATE -O0)

  bf_share_headers(
    test_headers
    LIBRARIES doctest_main nlohmann_json::nlohmann_json
    HEADERS doctest/doctest.h nlohmann/json.hpp filesystem fstream functional map set string vector)
  target_compile_options(test_headers PRIVATE -O0)
  if(BF_BACKEND STREQUAL "cpu")
    bf_share_headers(
      kernel_test_headers
      LIBRARIES doctest_main emulator::emulator
      HEADERS cuda_runtime.h doctest/doctest.h algorithm cmath cstring string vector)
    target_compile_options(kernel_test_headers PRIVATE ${BF_EMULATED_OPTIONS} -O0)
  endif()
endif()
