# add_exercises(05_reduction): the exercises in exercises/05_reduction, each of them a folder NAME with card.toml,
# stub.cu and check.cu.
#
# The checkers are compiled here, once. The tutor compiles and links the learner's file itself, with what
# this leaves in the build tree:
#   exercises/tools.txt                 how that is done, a line "KEY<tab>WORD<tab>WORD…" for each thing
#   exercises/05_reduction/NAME.o.txt   where the checker's object is; on the CPU, where there are two
#                                       processes (docs/grading_design.md): its object for the judge, that
#                                       for the learner's process, and the judge
# Target exercise.05_reduction.NAME builds everything that a check of one exercise needs.
#
# gpu: every solution is compiled with nvcc, many in one go. Target exercise_programs makes
# programs of solutions and wrong answers, which tools/check_exercises_gpu.sh runs.
function(add_exercises chapter)
  if(BF_SANITIZE)
    return() # such programs cannot be observed
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/exercises/${chapter})
  file(GLOB cards CONFIGURE_DEPENDS ${folder}/*/card.toml)
  if(NOT cards)
    message(FATAL_ERROR "add_exercises(${chapter}): no card (NAME/card.toml) in exercises/${chapter}")
  endif()
  bf_add_exercise_tools()
  foreach(card IN LISTS cards)
    bf_name_of_exercise(name ${card})
    foreach(source IN ITEMS ${folder}/${name}/stub.cu ${folder}/${name}/check.cu)
      if(NOT EXISTS ${source})
        message(FATAL_ERROR "add_exercises(${chapter}): ${source} is missing")
      endif()
    endforeach()
    # The emulator has NCCL; a GPU's machine may lack it.
    file(STRINGS ${folder}/${name}/stub.cu nccl REGEX "#include <nccl.h>" LIMIT_COUNT 1)
    if(nccl AND BF_BACKEND STREQUAL "gpu")
      bf_find_nccl()
      if(NOT TARGET CUDA::nccl)
        list(REMOVE_ITEM cards ${card})
        continue()
      endif()
    endif()
    bf_add_checker(${chapter} ${name} ${folder}/${name}/check.cu)
    if(BF_BACKEND STREQUAL "gpu")
      bf_add_answers(${chapter} ${name})
    endif()
    set_property(GLOBAL APPEND PROPERTY BF_EXERCISES ${chapter}/${name})
  endforeach()
  if(TARGET apply_answer)
    bf_note_solutions(${chapter} ${cards})
  endif()
endfunction()

# Sets `name_out` to the exercise that a card belongs to: its folder's name.
function(bf_name_of_exercise name_out card)
  cmake_path(GET card PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  set(${name_out} ${name} PARENT_SCOPE)
endfunction()

# Notes a chapter's solutions, and what they include.
function(bf_note_solutions chapter)
  foreach(card IN LISTS ARGN)
    bf_name_of_exercise(name ${card})
    bf_includes_of(own ${PROJECT_SOURCE_DIR}/exercises/${chapter}/${name}/stub.cu)
    bf_includes_of(added ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${name}.diff)
    set_property(GLOBAL APPEND PROPERTY BF_SOLUTION_INCLUDES ${own} ${added})
    set_property(GLOBAL APPEND PROPERTY BF_SOLUTIONS
                 ${PROJECT_BINARY_DIR}/exercises/${chapter}/${name}.solution.cu)
  endforeach()
endfunction()

# Call after the last add_exercises(): compiles the solutions with nvcc, forty in one source.
function(compile_solutions)
  get_property(includes GLOBAL PROPERTY BF_SOLUTION_INCLUDES)
  get_property(rest GLOBAL PROPERTY BF_SOLUTIONS)
  set(number 0)
  set(bundles)
  while(rest)
    list(SUBLIST rest 0 40 solutions)
    list(REMOVE_ITEM rest ${solutions})
    set(bundle ${PROJECT_BINARY_DIR}/exercises/solutions_${number}.cu)
    bf_bundle(${bundle} INCLUDES ${includes} SOURCES ${solutions})
    list(APPEND bundles ${bundle})
    math(EXPR number "${number} + 1")
  endwhile()
  if(bundles)
    bf_add_cuda_library(solutions OBJECT ${bundles})
    target_link_libraries(solutions PRIVATE $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
  endif()
endfunction()

function(bf_add_checker chapter name source)
  set(checker ${chapter}.${name}.checker)
  add_custom_target(exercise.${chapter}.${name})
  if(BF_BACKEND STREQUAL "cpu")
    bf_add_judge(${chapter} ${name} ${source})
    set(built ${checker} ${checker}.calls ${chapter}.${name}.judge)
    set(note "$<TARGET_OBJECTS:${checker}>\n$<TARGET_OBJECTS:${checker}.calls>\n"
             "$<TARGET_FILE:${chapter}.${name}.judge>\n")
  else()
    bf_add_cuda_library(${checker} OBJECT ${source})
    target_link_libraries(${checker} PRIVATE checker $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
    set_target_properties(${checker} PROPERTIES EXCLUDE_FROM_ALL ON)
    set(built ${checker})
    set(note "$<TARGET_OBJECTS:${checker}>\n")
  endif()
  string(CONCAT note ${note})
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/${chapter}/${name}.o.txt CONTENT "${note}")
  add_dependencies(exercise.${chapter}.${name} ${built} exercise_tools)
endfunction()

# The judge runs no kernels: all that it has to tell is what a checker does to memory that kernels see, too.
set(BF_JUDGE_OPTIONS -O1 -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
function(bf_compile_for_judge target)
  target_compile_options(${target} PRIVATE ${BF_JUDGE_OPTIONS})
  target_compile_definitions(${target} PRIVATE EMU_OBSERVED)
endfunction()

# A checker in two parts: for the judge, a program, and for the learner's process.
function(bf_add_judge chapter name source)
  set(checker ${chapter}.${name}.checker)
  add_library(${checker} OBJECT)
  target_link_libraries(${checker} PRIVATE checker)
  # The bodies of kernels have gone to the other process.
  target_compile_options(${checker} PRIVATE ${BF_EMULATED_OPTIONS} -Wno-unused-parameter)
  cmake_path(GET source PARENT_PATH own)
  cmake_path(GET own PARENT_PATH folder) # what checkers of a chapter share
  file(GLOB own_headers CONFIGURE_DEPENDS ${folder}/*.hpp ${own}/*.hpp)
  set(for_judge ${CMAKE_CURRENT_BINARY_DIR}/${checker}/${name}.judge.cu)
  set(for_learner ${CMAKE_CURRENT_BINARY_DIR}/${checker}/${name}.calls.cu)
  add_custom_command(
    OUTPUT ${for_judge} ${for_learner}
    COMMAND checker_roles ${source} ${for_judge} ${for_learner}
    DEPENDS ${source} ${own_headers} checker_roles
    COMMENT "Splitting ${name}/check.cu"
    VERBATIM)
  target_include_directories(${checker} PRIVATE ${own} ${folder})
  bf_compile_for_cpu(${checker} ${for_judge})
  add_library(${checker}.calls OBJECT)
  target_link_libraries(${checker}.calls PRIVATE emulator::emulator)
  target_include_directories(${checker}.calls PRIVATE ${PROJECT_SOURCE_DIR}/course/grading)
  target_compile_options(${checker}.calls PRIVATE ${BF_EMULATED_OPTIONS})
  bf_compile_for_cpu(${checker}.calls ${for_learner})
  bf_compile_for_judge(${checker})
  bf_observe(${checker}.calls)
  set_target_properties(${checker} ${checker}.calls PROPERTIES EXCLUDE_FROM_ALL ON)
  # Nothing in there tells how the checker looks; and it is not one of the learner's lines.
  target_compile_options(${checker}.calls PRIVATE -g0)
  target_precompile_headers(${checker} REUSE_FROM checker_headers)
  target_precompile_headers(${checker}.calls REUSE_FROM calls_headers)

  # All by their files: the emulator, which the targets name, is in the other process.
  add_executable(
    ${chapter}.${name}.judge EXCLUDE_FROM_ALL $<TARGET_OBJECTS:checker_main> $<TARGET_OBJECTS:judge_parts>
    $<TARGET_OBJECTS:observation_object>
                                              $<TARGET_OBJECTS:${checker}>)
  target_link_libraries(${chapter}.${name}.judge PRIVATE $<TARGET_FILE:checker> $<TARGET_FILE:ladder>
                                                         $<TARGET_FILE:common> Threads::Threads)
  add_dependencies(${chapter}.${name}.judge checker ladder common)
  set_target_properties(
    ${chapter}.${name}.judge PROPERTIES
    LINKER_LANGUAGE CXX
    OUTPUT_NAME ${name}.judge
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/exercises/${chapter})
endfunction()

# Programs of the solution and of the stored answers, on request.
function(bf_add_answers chapter name)
  if(NOT TARGET apply_answer)
    return() # see bf_add_exercise_tools()
  endif()
  bf_add_answer(${chapter} ${name} solution pass)
  # Each answer's header comes before its lines of C++: [wrong.NAME], verdict = "…", gpu = "passes".
  set(answers ${PROJECT_SOURCE_DIR}/exercises/${chapter}/${name}/answers.toml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${answers})
  file(STRINGS ${answers} lines REGEX "^(\\[(wrong|right)\\.[a-z0-9_]+\\]|verdict = \"|gpu = \")")
  list(APPEND lines "[end.]")
  set(variant)
  foreach(line IN LISTS lines)
    if(line MATCHES "^verdict = \"build_error")
      set(variant) # there is no program of it
    elseif(line STREQUAL "gpu = \"passes\"")
      set(expected pass)
    elseif(line MATCHES "^\\[([a-z]+)\\.([a-z0-9_]*)\\]$")
      if(variant)
        bf_add_answer(${chapter} ${name} ${variant} ${expected} ${answers} ${answer})
      endif()
      set(variant ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
      set(answer ${CMAKE_MATCH_2})
      set(expected fail)
      if(CMAKE_MATCH_1 STREQUAL "right")
        set(expected pass)
      endif()
    endif()
  endforeach()
  get_property(programs GLOBAL PROPERTY BF_EXERCISE_PROGRAMS)
  file(WRITE ${PROJECT_BINARY_DIR}/exercises/programs.txt "${programs}")
endfunction()

# bf_add_answer(CHAPTER NAME wrong.no_barrier fail [ANSWERS.toml ANSWER]): the program CHAPTER.NAME.wrong.no_barrier of a
# stored answer, or of the solution.
function(bf_add_answer chapter name variant expected)
  set(variant ${name}.${variant})
  set(solved ${PROJECT_BINARY_DIR}/exercises/${chapter}/${variant}.cu)
  set(stub ${PROJECT_SOURCE_DIR}/exercises/${chapter}/${name}/stub.cu)
  set(solution ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${name}.diff)
  list(POP_FRONT ARGN answers)
  add_custom_command(
    OUTPUT ${solved}
    COMMAND apply_answer ${stub} ${solution} ${solved} ${answers} ${ARGN}
    DEPENDS apply_answer ${stub} ${solution} ${answers}
    COMMENT "Writing ${variant}.cu"
    VERBATIM)
  set(target ${chapter}.${variant})
  bf_add_cuda_library(${target}.object OBJECT ${solved})
  target_link_libraries(${target}.object PRIVATE $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
  set_target_properties(${target}.object PROPERTIES EXCLUDE_FROM_ALL ON)
  if(ARGN)
    target_compile_options(${target}.object PRIVATE -w) # what nobody has tidied up
  endif()
  add_executable(${target} EXCLUDE_FROM_ALL)
  target_link_libraries(
    ${target} PRIVATE checker_main ${target}.object ${chapter}.${name}.checker checker
                      $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
  set_target_properties(
    ${target} PROPERTIES
    LINKER_LANGUAGE CUDA
    OUTPUT_NAME ${variant}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/exercises/${chapter})
  add_dependencies(exercise_programs ${target})
  set_property(GLOBAL APPEND_STRING PROPERTY BF_EXERCISE_PROGRAMS "${chapter}/${variant}\t${expected}\n")
endfunction()

# What checks of all exercises share.
function(bf_add_exercise_tools)
  if(TARGET exercise_tools)
    return()
  endif()
  add_custom_target(exercise_tools)
  add_dependencies(exercise_tools checker_main checker ladder common)
  separate_arguments(link_flags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
  if(BF_BACKEND STREQUAL "cpu")
    bf_precompile_exercise_headers(compile use)
    set(link ${CMAKE_CXX_COMPILER} ${link_flags})
    add_dependencies(exercise_tools learner_header reserved_names cuda_rewriter emulator_observe emulator_nccl emulator)
    string(CONCAT for_screen_and_judge
      "roles\t$<TARGET_FILE:checker_roles>\n"
      "names\t${PROJECT_BINARY_DIR}/exercises/names.txt\n"
      "rewriter\t$<TARGET_FILE:cuda_rewriter>\n"
      "judge\t$<JOIN:$<TARGET_OBJECTS:checker_main>,\t>\t$<JOIN:$<TARGET_OBJECTS:judge_parts>,\t>\t$<TARGET_OBJECTS:observation_object>\n"
      "judge_libraries\t$<TARGET_FILE:checker>\t$<TARGET_FILE:ladder>\t$<TARGET_FILE:common>\t-pthread\n")
    add_dependencies(exercise_tools learner_main judge_parts observation_object checker_roles)
    set(main "$<JOIN:$<TARGET_OBJECTS:learner_main>,\t>")
    set(libraries "$<TARGET_FILE:emulator_observe>\t$<TARGET_FILE:emulator_nccl>\t$<TARGET_FILE:emulator>\t-pthread")
  else()
    separate_arguments(cuda_flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
    set(architecture ${CMAKE_CUDA_ARCHITECTURES})
    if(architecture MATCHES "^[0-9]+$")
      set(architecture sm_${architecture})
    endif()
    set(compile ${CMAKE_CUDA_COMPILER} ${cuda_flags} -std=c++20 -O2 -arch=${architecture}
                --extended-lambda --expt-relaxed-constexpr)
    set(use)
    set(link ${CMAKE_CUDA_COMPILER} -arch=${architecture} ${link_flags})
    set(for_screen_and_judge)
    set(main "$<JOIN:$<TARGET_OBJECTS:checker_main>,\t>")
    set(libraries "$<TARGET_FILE:checker>\t$<TARGET_FILE:ladder>\t$<TARGET_FILE:common>\t-lpthread")
    bf_add_apply_answer()
    add_custom_target(exercise_programs)
  endif()

  # A further checker, which the course does not know: `tutor grade --extra-checks`.
  set(compile_checker ${compile} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/course
                      -I${PROJECT_SOURCE_DIR}/course/grading -I${PROJECT_SOURCE_DIR}/emulator)
  foreach(library IN ITEMS doctest::doctest nlohmann_json::nlohmann_json)
    get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
    if(folders)
      list(FILTER folders EXCLUDE REGEX "[$]<|^/usr/include$")
      list(TRANSFORM folders PREPEND -I)
      list(APPEND compile_checker ${folders})
    endif()
  endforeach()

  if(BF_BACKEND STREQUAL "cpu")
    list(PREPEND compile_checker $<TARGET_FILE:cuda_rewriter>)
  endif()
  foreach(list IN ITEMS compile_checker compile use link)
    list(JOIN ${list} "\t" ${list})
  endforeach()
  string(CONCAT tools
    "${for_screen_and_judge}"
    "compile\t${compile}\t${use}\n"
    "compile_checker\t${compile_checker}\n"
    "link\t${link}\n"
    "main\t${main}\n"
    "libraries\t${libraries}\n")
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/tools.txt CONTENT "${tools}")
endfunction()

# The headers of checkers, and the one header that a learner's file always has, compiled once under the
# flags of observation. Sets `compile_out` to the compiler with its flags, `use_out` to the options that
# use the learner's header.
function(bf_precompile_exercise_headers compile_out use_out)
  set(empty ${PROJECT_BINARY_DIR}/exercises/checker_headers.cpp)
  file(GENERATE OUTPUT ${empty} CONTENT "")
  bf_add_cuda_library(checker_headers OBJECT ${empty})
  target_link_libraries(checker_headers PRIVATE checker)
  bf_compile_for_judge(checker_headers)
  target_precompile_headers(
    checker_headers PRIVATE "<emu/language/no_special_functions.hpp>" <cuda_runtime.h>
                            "<checker/checker.hpp>" "<judge/remote.hpp>")
  set_target_properties(checker_headers PROPERTIES EXCLUDE_FROM_ALL ON)
  set(empty ${PROJECT_BINARY_DIR}/exercises/calls_headers.cpp)
  file(GENERATE OUTPUT ${empty} CONTENT "")
  bf_add_cuda_library(calls_headers OBJECT ${empty})
  target_include_directories(calls_headers PRIVATE ${PROJECT_SOURCE_DIR}/course/grading)
  bf_observe(calls_headers)
  target_compile_options(calls_headers PRIVATE -g0)
  target_precompile_headers(
    calls_headers PRIVATE "<emu/language/no_special_functions.hpp>" <cuda_runtime.h> "<judge/learner.hpp>")
  set_target_properties(calls_headers PROPERTIES EXCLUDE_FROM_ALL ON)

  separate_arguments(cxx_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  set(compile ${CMAKE_CXX_COMPILER} ${cxx_flags} -std=c++20 ${BF_EMULATED_OPTIONS} ${BF_OBSERVED_OPTIONS} -DEMU_OBSERVED)
  foreach(folder IN LISTS BF_EMULATOR_HEADERS)
    list(APPEND compile -isystem ${folder})
  endforeach()
  set(header ${PROJECT_BINARY_DIR}/exercises/learner.hpp)
  set(compiled ${header}.gch)
  set(use -include ${header})
  set(includes "#include <emu/language/no_special_functions.hpp>\n#include <cuda_runtime.h>\n")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(compiled ${header}.pch)
    set(use -include-pch ${compiled})
    # With <math.h> precompiled, clang 19 no longer compiles <string>, which cooperative_groups.h and much
    # else bring, unless that is precompiled too.
    string(APPEND includes "#include <string>\n")
  endif()
  file(GENERATE OUTPUT ${header} CONTENT "#pragma once\n${includes}")
  add_custom_command(
    OUTPUT ${compiled}
    COMMAND ${compile} -w -x c++-header ${header} -o ${compiled} -MD -MF ${compiled}.d -MT ${compiled}
    DEPENDS ${header}
    DEPFILE ${compiled}.d
    COMMENT "Compiling the header of learners' files"
    VERBATIM)
  add_custom_target(learner_header DEPENDS ${compiled})
  bf_list_reserved_names(${compile})
  set(${compile_out} ${compile} PARENT_SCOPE)
  set(${use_out} ${use} PARENT_SCOPE)
endfunction()

# Writes exercises/names.txt: the names with a leading underscore that CUDA's headers declare, __syncthreads and
# __fadd_rn, as the preprocessor leaves them, many being put together by macros. ARGN: the compiler with its flags.
function(bf_list_reserved_names)
  set(all ${PROJECT_BINARY_DIR}/exercises/all_headers.cpp)
  set(names ${PROJECT_BINARY_DIR}/exercises/names.txt)
  set(includes)
  foreach(header IN ITEMS cuda_runtime.h cooperative_groups.h cooperative_groups/memcpy_async.h
          cooperative_groups/reduce.h cooperative_groups/scan.h cuComplex.h cuda_bf16.h cuda_fp16.h cuda_pipeline.h
          curand_kernel.h math_constants.h mma.h nccl.h cuda/atomic cuda/barrier cuda/pipeline)
    string(APPEND includes "#include <${header}>\n")
  endforeach()
  string(APPEND includes "#include <emu/language/keywords_stay.hpp>\n") # __shared__, which is no macro elsewhere
  file(GENERATE OUTPUT ${all} CONTENT "${includes}")
  add_custom_command(
    OUTPUT ${names}
    COMMAND ${ARGN} -w -E -dD ${all} -o ${names}.ii -MD -MF ${names}.d -MT ${names}
    COMMAND awk -v folder=${PROJECT_SOURCE_DIR}/emulator/include/ -f ${PROJECT_SOURCE_DIR}/cmake/reserved_names.awk
            ${names}.ii > ${names}
    DEPENDS ${all} ${PROJECT_SOURCE_DIR}/cmake/reserved_names.awk
    DEPFILE ${names}.d
    COMMENT "Listing the names of CUDA's headers"
    VERBATIM)
  add_custom_target(reserved_names DEPENDS ${names})
endfunction()

# The program that turns stored answers into files, for builds without a tutor: another build's, if
# BF_APPLY_ANSWER names it.
function(bf_add_apply_answer)
  if(BF_APPLY_ANSWER)
    add_executable(apply_answer IMPORTED GLOBAL)
    set_target_properties(apply_answer PROPERTIES IMPORTED_LOCATION ${BF_APPLY_ANSWER})
    return()
  endif()
  find_package(fmt QUIET)
  find_package(tomlplusplus QUIET)
  if(NOT fmt_FOUND OR NOT tomlplusplus_FOUND)
    message(STATUS "libfmt-dev or libtomlplusplus-dev is not here: the exercises' solutions are not compiled")
    return()
  endif()
  set(tutor ${PROJECT_SOURCE_DIR}/course/tutor)
  add_executable(
    apply_answer ${tutor}/exercises/apply_main.cpp ${tutor}/exercises/answers.cpp ${tutor}/exercises/diff.cpp
                 ${tutor}/exercises/result.cpp ${tutor}/base/sha256.cpp ${tutor}/base/diff.cpp
                 ${tutor}/base/files.cpp)
  target_include_directories(apply_answer PRIVATE ${tutor})
  target_link_libraries(apply_answer PRIVATE fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  target_compile_definitions(apply_answer PRIVATE TOML_HEADER_ONLY=1)
  target_compile_options(apply_answer PRIVATE -O0)
endfunction()
