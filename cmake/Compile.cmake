# How host code is compiled quickly.

# bf_compile_fast(FILE.cpp …): not optimised, which halves the time to compile them. For code that
# waits for files and people, and for tests; kernels (.cu) among the files are left as they are.
function(bf_compile_fast)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O0)
endfunction()

# bf_compile_together(TARGET…): ten sources at a time, which read their headers once: half the time for
# all of them, at the price of a few seconds more after a change to one. With -DBF_SEPARATE=ON each is
# compiled alone, which is what shows a missing #include.
option(BF_SEPARATE "Compile every source of the tutor alone" OFF)
function(bf_compile_together)
  if(NOT BF_SEPARATE)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()
