# How host code is compiled quickly.

# An executable, or with BF_COMPILE_ONLY what it is made of.
function(bf_add_executable name)
  if(BF_COMPILE_ONLY AND NOT name IN_LIST BF_LINKED)
    add_library(${name} OBJECT ${ARGN})
  else()
    add_executable(${name} ${ARGN})
  endif()
endfunction()

# bf_compile_fast(FILE.cpp …): not optimised, which halves the time to compile them. For code that
# waits for files and people, and for tests; kernels (.cu) among the files are left as they are.
function(bf_compile_fast)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O0)
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

function(bf_reuse_headers target name)
  if(NOT BF_SEPARATE AND NOT BF_COMPILE_ONLY)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
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

# bf_merge(OUT NAME FILE.cu … [HEADERS FILE.hpp …]): sets OUT to one source in place of the files, for nvcc, to
# which a chapter's kernels are little more work than the headers of one of them. Alone stay: what brings
# headers of its own (…_rival.cu) or has flags of its own (…_fast_math.cu), what keeps a name to itself that the
# files before it or the headers have (else those beside the first file), and with -DBF_SEPARATE=ON all.
function(bf_merge out name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "HEADERS")
  set(alone ${arg_UNPARSED_ARGUMENTS})
  set(candidates ${alone})
  list(FILTER candidates INCLUDE REGEX "\\.cu$")
  list(FILTER candidates EXCLUDE REGEX "_(rival|fast_math)\\.cu$")
  list(GET candidates 0 folder)
  cmake_path(REMOVE_FILENAME folder)
  set(headers ${arg_HEADERS})
  if(NOT headers)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}*.hpp ${folder}*.cuh)
  endif()
  set(taken) # all names, and those that a file keeps to itself
  set(kept)
  foreach(header IN LISTS headers)
    bf_names_of(names own ${header})
    list(APPEND taken ${names})
  endforeach()
  set(merged)
  foreach(source IN LISTS candidates)
    bf_names_of(names own ${source})
    bf_have_in_common(clash_of_own "${own}" "${taken}")
    bf_have_in_common(clash "${names}" "${kept}")
    if(NOT clash AND NOT clash_of_own)
      list(APPEND merged ${source})
      list(APPEND taken ${names})
      list(APPEND kept ${own})
    endif()
  endforeach()
  if(merged AND NOT BF_SEPARATE)
    list(REMOVE_ITEM alone ${merged})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/merged/${name}.cu)
    list(APPEND alone ${source})
    if(BF_WERROR)
      # nvcc tells of unused functions only in the file that it was given: the text goes into that.
      add_custom_command(
        OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -E cat ${merged} > ${source}
        DEPENDS ${merged}
        COMMENT "Merging ${name}.cu")
      set_property(SOURCE ${source} PROPERTY INCLUDE_DIRECTORIES ${folder})
    else()
      list(TRANSFORM merged REPLACE "(.+)" "#include \"\\1\"")
      list(JOIN merged "\n" lines)
      file(GENERATE OUTPUT ${source} CONTENT "${lines}\n")
    endif()
  endif()
  set(${out} ${alone} PARENT_SCOPE)
endfunction()

# Sets `out` to the names that `file` defines outside of functions, `own_out` to those of them that other
# files may have as well: of an unnamed namespace, static or constant. A name is what has one of
# ( { = ; [ behind it, the first in a line that is not indented. A word too many does no harm.
function(bf_names_of out own_out file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "[;[]" "=" text "\n${text}") # both mean something in lists
  string(REPLACE "]" " " text "${text}")
  string(REGEX REPLACE "__launch_bounds__\\([^)]*\\)|template *<[^>\n]*>" "\n" text "${text}")
  string(REGEX MATCHALL "\n([A-Za-z_][^\n({=]*[({=]|} // namespace)" lines "${text}")
  set(names)
  set(own)
  set(unnamed FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^\n} // namespace")
      set(unnamed FALSE)
    elseif(line MATCHES "^\nnamespace {")
      set(unnamed TRUE)
    elseif(NOT line MATCHES "^\n(namespace|static_assert)" AND line MATCHES "([A-Za-z_0-9]+) *[({=]$")
      set(found ${CMAKE_MATCH_1})
      list(APPEND names ${found})
      if(unnamed OR line MATCHES "^\n(static|const|constexpr) ")
        list(APPEND own ${found})
      endif()
    endif()
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
  set(${own_out} ${own} PARENT_SCOPE)
endfunction()

function(bf_have_in_common out some others)
  set(rest ${some})
  list(REMOVE_ITEM rest "" ${others})
  list(LENGTH some before)
  list(LENGTH rest after)
  if(after LESS before)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
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
