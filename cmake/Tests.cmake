# bf_add_doctest(lab.compare SOURCES compare_test.cpp … [LIBRARIES lab …])
#
# A doctest program named <area>_<name>_tests and the CTest <area>.<name> that runs it. Sources may be
# .cpp or .cu; main is doctest's own. Does nothing when BF_TESTS is OFF.
function(bf_add_doctest test)
  if(NOT BF_TESTS)
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
    add_executable(${program} ${arg_SOURCES})
  endif()
  target_link_libraries(${program} PRIVATE doctest_main ${arg_LIBRARIES})
  bf_compile_fast(${arg_SOURCES})
  # A doctest program whose cases were all compiled out or filtered away must not pass.
  add_test(NAME ${test} COMMAND ${program} --no-intro)
  set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases:[ ]*0 ")
endfunction()

# doctest's implementation and main: the slow part of a test, compiled once for all of them. Assertions
# are the kind that compiles quickly: what throws in one ends its case.
if(BF_TESTS)
  add_library(doctest_main OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
  target_link_libraries(doctest_main PUBLIC doctest::doctest)
  target_compile_definitions(doctest_main PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_compile_options(doctest_main PRIVATE -O0)
endif()
