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

# bf_bundle(FILE INCLUDES LINE… SOURCES FILE…): a source that has each of the others in a namespace of its
# own. nvcc, which reads every header three times for each source, reads them once for all. `INCLUDES` are
# the #include lines of the sources: they stand in front, and do nothing when they come again.
function(bf_bundle bundle)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;SOURCES")
  set(lines "#include <cuda_runtime.h>" ${arg_INCLUDES})
  list(REMOVE_DUPLICATES lines)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    list(APPEND lines "namespace ${name} {" "#include \"${source}\"" "}")
  endforeach()
  list(JOIN lines "\n" lines)
  file(GENERATE OUTPUT ${bundle} CONTENT "${lines}\n")
  set_property(SOURCE ${bundle} APPEND PROPERTY OBJECT_DEPENDS "${arg_SOURCES}")
endfunction()

# Sets `out` to the lines of `file` that include a header, or (of a difference) add one.
function(bf_includes_of out file)
  file(STRINGS ${file} lines REGEX "^[+]?#include [<\"]")
  list(TRANSFORM lines REPLACE "^[+]" "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${out} ${lines} PARENT_SCOPE)
endfunction()
