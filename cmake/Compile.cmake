# How host code is compiled quickly.

# An executable, or with BF_COMPILE_ONLY what it is made of.
function(bf_add_executable name)
  if(BF_COMPILE_ONLY AND NOT name IN_LIST BF_LINKED)
    add_library(${name} OBJECT ${ARGN})
  else()
    add_executable(${name} ${ARGN})
  endif()
endfunction()

# Not optimised, which halves the time to compile: for code that waits for files and people, and for tests. Even so
# std::move() and its like need not be calls of functions, which g++ would emit for each type.
set(BF_UNOPTIMISED -O0)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  list(APPEND BF_UNOPTIMISED -ffold-simple-inlines)
endif()

# bf_compile_fast(FILE.cpp …): so; kernels (.cu) among the files are left as they are.
function(bf_compile_fast)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${BF_UNOPTIMISED})
endfunction()

# bf_compile_together(TARGET…): twenty sources at a time, which read their headers once and instantiate
# templates once: half the time for all of them, at the price of a few seconds more after a change to one. With -DBF_SEPARATE=ON each is
# compiled alone, which is what shows a missing #include.
option(BF_SEPARATE "Compile every source alone" OFF)
function(bf_compile_together)
  if(NOT BF_SEPARATE)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()

# bf_precompile(TARGET HEADER…): what most sources of the target include, read once for all of them. It
# hides a missing #include, unless -DBF_SEPARATE=ON.
function(bf_precompile target)
  if(NOT BF_SEPARATE)
    list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# bf_share_headers(NAME LIBRARIES LIBRARY… HEADERS HEADER…): a target that has nothing but precompiled headers
# for others, which name it in bf_reuse_headers(TARGET NAME). Its flags must be theirs.
function(bf_share_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;HEADERS")
  set(empty ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(GENERATE OUTPUT ${empty} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${empty})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  bf_precompile(${name} ${arg_HEADERS})
endfunction()

# bf_add_header_library(NAME HEADER…): the same of CUDA's runtime and these headers, for others, which REUSE it.
function(bf_add_header_library name)
  set(empty ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(GENERATE OUTPUT ${empty} CONTENT "")
  bf_add_cuda_library(${name} OBJECT ${empty})
  set(headers <cuda_runtime.h> ${ARGN})
  if(BF_BACKEND STREQUAL "cpu")
    list(PREPEND headers "<emu/language/no_special_functions.hpp>")
  endif()
  target_precompile_headers(${name} PRIVATE ${headers})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

function(bf_reuse_headers target name)
  if(NOT BF_SEPARATE AND NOT BF_COMPILE_ONLY)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# bf_precompile_alone(HEADER COMPILED INCLUDES COMMAND…): writes a header of these lines, which the command compiles: for
# sources that no target has.
function(bf_precompile_alone header compiled includes)
  file(GENERATE OUTPUT ${header} CONTENT "#pragma once\n${includes}")
  cmake_path(GET header FILENAME name)
  add_custom_command(
    OUTPUT ${compiled}
    COMMAND ${ARGN} -w -x c++-header ${header} -o ${compiled} -MD -MF ${compiled}.d -MT ${compiled}
    DEPENDS ${header}
    DEPFILE ${compiled}.d
    COMMENT "Compiling ${name}"
    VERBATIM)
endfunction()

# bf_bundle(FILE INCLUDES LINE… SOURCES FILE…): a source that has each of the others in a namespace of its
# own. Headers, which nvcc reads three times for each source, are read once for all. `INCLUDES` are
# the #include lines of the sources: they stand in front, and do nothing when they come again.
function(bf_bundle bundle)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;SOURCES")
  set(lines ${arg_INCLUDES})
  if(bundle MATCHES "\\.cu$")
    list(PREPEND lines "#include <cuda_runtime.h>")
  endif()
  list(REMOVE_DUPLICATES lines)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    cmake_path(GET source STEM LAST_ONLY name)
    string(MAKE_C_IDENTIFIER "in_${folder}_${name}" name)
    list(APPEND lines "namespace ${name} {" "#include \"${source}\"" "}")
  endforeach()
  list(JOIN lines "\n" lines)
  file(GENERATE OUTPUT ${bundle} CONTENT "${lines}\n")
  set_property(SOURCE ${bundle} APPEND PROPERTY OBJECT_DEPENDS "${arg_SOURCES}")
endfunction()

# bf_merge(OUT NAME FILE…): sets OUT to the files with one source in place of their .cu files, to nvcc and to the
# rewriter little more work than one of them: a unity build, which CMake 3.25 does not make of CUDA. Alone stay what
# brings headers of its own (…_rival.cu) or has flags of its own (…_fast_math.cu), and with -DBF_SEPARATE=ON all.
# Names that two of the files have clash, as in any unity build. Of targets named in BF_LINKED the last gets the .cu
# files of all.
function(bf_merge out name)
  set(sources ${ARGN})
  set(merged ${sources})
  list(FILTER merged INCLUDE REGEX "\\.cu$")
  list(FILTER merged EXCLUDE REGEX "_fast_math\\.cu$")
  if(NOT BF_COMPILE_ONLY)
    list(FILTER merged EXCLUDE REGEX "_rival\\.cu$")
  endif()
  if(merged AND NOT BF_SEPARATE)
    list(REMOVE_ITEM sources ${merged})
    if(BF_COMPILE_ONLY AND name IN_LIST BF_LINKED)
      set_property(GLOBAL APPEND PROPERTY BF_LINKED_KERNELS ${merged})
      get_property(merged GLOBAL PROPERTY BF_LINKED_KERNELS)
      if(NOT BF_LINKED MATCHES "${name}$")
        set(${out} ${sources} PARENT_SCOPE)
        return()
      endif()
    endif()
    list(TRANSFORM merged REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN merged "\n" lines)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/merged/${name}.cu CONTENT "${lines}\n")
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/merged/${name}.cu)
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Sets `out` to the lines of `file` that include a header, or (of a difference) add one; headers beside it by
# their whole path. A raw string ends them: it may hold a program.
function(bf_includes_of out file)
  file(STRINGS ${file} found REGEX "^[+]?#include [<\"]|R\"")
  cmake_path(GET file PARENT_PATH folder)
  set(lines)
  foreach(line IN LISTS found)
    if(NOT line MATCHES "^[+]?(#include [<\"](.+)[>\"].*)$")
      break()
    elseif(EXISTS ${folder}/${CMAKE_MATCH_2})
      list(APPEND lines "#include \"${folder}/${CMAKE_MATCH_2}\"")
    else()
      list(APPEND lines "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${out} ${lines} PARENT_SCOPE)
endfunction()
