# bf_add_doctest(lab.compare SOURCES compare_test.cpp … [LIBRARIES lab …])
#
# A doctest program named <area>_<name>_tests and the CTest <area>.<name> that runs it. Sources may be
# .cpp or .cu; one of them must define main, or set DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN.
# Does nothing when BF_TESTS is OFF.
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
  target_link_libraries(${program} PRIVATE doctest::doctest ${arg_LIBRARIES})
  bf_compile_fast(${arg_SOURCES})
  # A doctest program whose cases were all compiled out or filtered away must not pass.
  add_test(NAME ${test} COMMAND ${program} --no-intro)
  set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases:[ ]*0 ")
endfunction()

# bf_compile_fast(FILE.cpp …): not optimised, which halves the time to compile them. For code that
# waits for files and people, and for tests; kernels (.cu) among the files are left as they are.
function(bf_compile_fast)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O0)
endfunction()
