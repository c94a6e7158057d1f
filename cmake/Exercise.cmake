# add_exercises(05_reduction): the exercises in exercises/05_reduction, each of them a card NAME.toml, a
# stub NAME.cu and a checker NAME.check.cu.
#
# cpu: the checkers are compiled here, once. The tutor compiles and links the learner's file itself, with
# what this leaves in the build tree:
#   exercises/tools.txt              how that is done, a line "KEY<tab>WORD<tab>WORD…" for each thing
#   exercises/05_reduction/NAME.o.txt   where the checker's object is
# Target exercise.05_reduction.NAME builds everything that a check of one exercise needs.
function(add_exercises chapter)
  if(BF_SANITIZE)
    return() # such programs cannot be observed
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/exercises/${chapter})
  file(GLOB cards CONFIGURE_DEPENDS ${folder}/*.toml)
  if(NOT cards)
    message(FATAL_ERROR "add_exercises(${chapter}): no card (.toml) in exercises/${chapter}")
  endif()
  bf_add_exercise_tools()
  foreach(card IN LISTS cards)
    cmake_path(GET card STEM name)
    foreach(source IN ITEMS ${folder}/${name}.cu ${folder}/${name}.check.cu)
      if(NOT EXISTS ${source})
        message(FATAL_ERROR "add_exercises(${chapter}): ${source} is missing")
      endif()
    endforeach()
    bf_add_checker(${chapter} ${name} ${folder}/${name}.check.cu)
    set_property(GLOBAL APPEND PROPERTY BF_EXERCISES ${chapter}/${name})
  endforeach()
endfunction()

function(bf_add_checker chapter name source)
  set(checker ${chapter}.${name}.checker)
  bf_add_cuda_library(${checker} OBJECT ${source})
  target_link_libraries(${checker} PRIVATE checker)
  set_target_properties(${checker} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(BF_BACKEND STREQUAL "cpu")
    target_compile_options(${checker} PRIVATE ${BF_OBSERVED_OPTIONS})
    target_compile_definitions(${checker} PRIVATE EMU_OBSERVED)
    target_precompile_headers(${checker} REUSE_FROM checker_headers)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/${chapter}/${name}.o.txt
         CONTENT "$<TARGET_OBJECTS:${checker}>\n")
    add_custom_target(exercise.${chapter}.${name})
    add_dependencies(exercise.${chapter}.${name} ${checker} exercise_tools)
  endif()
endfunction()

# What checks of all exercises share.
function(bf_add_exercise_tools)
  if(TARGET exercise_tools OR NOT BF_BACKEND STREQUAL "cpu")
    return()
  endif()
  # The checkers' headers, compiled once, under the flags of observation.
  set(empty ${PROJECT_BINARY_DIR}/exercises/checker_headers.cpp)
  file(GENERATE OUTPUT ${empty} CONTENT "")
  bf_add_cuda_library(checker_headers OBJECT ${empty})
  target_link_libraries(checker_headers PRIVATE checker)
  target_compile_options(checker_headers PRIVATE ${BF_OBSERVED_OPTIONS})
  target_compile_definitions(checker_headers PRIVATE EMU_OBSERVED)
  target_precompile_headers(checker_headers PRIVATE <cuda_runtime.h> "<checker/checker.hpp>")

  # And the one header that a learner's file always has.
  separate_arguments(cxx_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  separate_arguments(link_flags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
  set(compile ${CMAKE_CXX_COMPILER} ${cxx_flags} -std=c++20 ${BF_EMULATED_OPTIONS} ${BF_OBSERVED_OPTIONS}
              -DEMU_OBSERVED -isystem ${PROJECT_SOURCE_DIR}/emulator/include)
  set(header ${PROJECT_BINARY_DIR}/exercises/learner.hpp)
  set(compiled ${header}.gch)
  set(use -include ${header})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(compiled ${header}.pch)
    set(use -include-pch ${compiled})
  endif()
  file(GENERATE OUTPUT ${header} CONTENT "#pragma once\n#include <cuda_runtime.h>\n")
  add_custom_command(
    OUTPUT ${compiled}
    COMMAND ${compile} -w -x c++-header ${header} -o ${compiled} -MD -MF ${compiled}.d -MT ${compiled}
    DEPENDS ${header}
    DEPFILE ${compiled}.d
    COMMENT "Compiling the header of learners' files"
    VERBATIM)
  add_custom_target(learner_header DEPENDS ${compiled})
  add_custom_target(exercise_tools)
  add_dependencies(
    exercise_tools learner_header cuda_rewriter checker_main checker lab emulator_observe emulator)

  # A further checker, which the course does not know: `tutor grade --extra-checks`.
  get_target_property(doctest_folders doctest::doctest INTERFACE_INCLUDE_DIRECTORIES)
  set(compile_checker ${compile} -I${PROJECT_SOURCE_DIR}/common)
  if(doctest_folders)
    list(TRANSFORM doctest_folders PREPEND -isystem)
    list(APPEND compile_checker ${doctest_folders})
  endif()

  list(JOIN compile_checker "\t" compile_checker)
  list(JOIN compile "\t" compile)
  list(JOIN use "\t" use)
  list(JOIN link_flags "\t" link_flags)
  string(CONCAT tools
    "rewriter\t$<TARGET_FILE:cuda_rewriter>\n"
    "compile\t${compile}\t${use}\n"
    "compile_checker\t${compile_checker}\n"
    "link\t${CMAKE_CXX_COMPILER}\t${link_flags}\n"
    "main\t$<JOIN:$<TARGET_OBJECTS:checker_main>,\t>\n"
    "libraries\t$<TARGET_FILE:checker>\t$<TARGET_FILE:lab>\t$<TARGET_FILE:emulator_observe>"
    "\t$<TARGET_FILE:emulator>\t-pthread\n")
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/tools.txt CONTENT "${tools}")
endfunction()
