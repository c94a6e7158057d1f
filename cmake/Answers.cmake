# What the exercises' stored answers are for a GPU: solutions are compiled with nvcc, forty in one source. Target
# exercise_programs makes programs of them and of the other answers, which tools/check_exercises_gpu.sh runs;
# exercises/programs.txt lists them, with what each should get. To be called after the last add_exercises().
function(add_answers)
  bf_add_apply_answer()
  if(NOT TARGET apply_answer)
    return()
  endif()
  add_custom_target(exercise_programs)
  get_property(exercises GLOBAL PROPERTY BF_EXERCISES)
  set(solutions)
  set(includes)
  foreach(exercise IN LISTS exercises)
    bf_add_answer(${exercise} solution pass)
    list(APPEND solutions ${PROJECT_BINARY_DIR}/exercises/${exercise}.solution.cu)
    bf_includes_of(own ${PROJECT_SOURCE_DIR}/exercises/${exercise}/stub.cu)
    bf_includes_of(added ${PROJECT_SOURCE_DIR}/solutions/${exercise}.diff)
    list(APPEND includes ${own} ${added})
  endforeach()

  # Those in answers.toml that compile; Python reads it.
  file(GLOB answers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/*/answers.toml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${answers})
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/cmake/answers.py ${answers}
                  OUTPUT_VARIABLE lines RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    message(STATUS "Python 3.11 is not here: no programs are made of the exercises' stored answers")
  endif()
  separate_arguments(words UNIX_COMMAND "${lines}")
  while(words AND NOT BF_COMPILE_ONLY)
    list(POP_FRONT words exercise kind answer expected)
    if(exercise IN_LIST exercises)
      bf_add_answer(${exercise} ${kind}.${answer} ${expected} ${answer})
    endif()
  endwhile()
  get_property(programs GLOBAL PROPERTY BF_EXERCISE_PROGRAMS)
  file(WRITE ${PROJECT_BINARY_DIR}/exercises/programs.txt "${programs}")

  set(bundles)
  while(solutions)
    list(SUBLIST solutions 0 40 some)
    list(REMOVE_ITEM solutions ${some})
    list(LENGTH bundles number)
    set(bundle ${PROJECT_BINARY_DIR}/exercises/solutions_${number}.cu)
    bf_bundle(${bundle} INCLUDES ${includes} SOURCES ${some})
    list(APPEND bundles ${bundle})
  endwhile()
  bf_add_cuda_library(solutions OBJECT ${bundles})
  target_link_libraries(solutions PRIVATE $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
endfunction()

# bf_add_answer(05_reduction/block_sum wrong.no_barrier fail [no_barrier]): the program
# 05_reduction.block_sum.wrong.no_barrier of a stored answer, or of the solution.
function(bf_add_answer exercise variant expected)
  set(folder ${PROJECT_SOURCE_DIR}/exercises/${exercise})
  set(files ${folder}/stub.cu ${PROJECT_SOURCE_DIR}/solutions/${exercise}.diff)
  set(answer)
  if(ARGN)
    set(answer ${folder}/answers.toml ${ARGN})
  endif()
  set(solved ${PROJECT_BINARY_DIR}/exercises/${exercise}.${variant}.cu)
  add_custom_command(
    OUTPUT ${solved}
    COMMAND apply_answer ${files} ${solved} ${answer}
    DEPENDS apply_answer ${files} $<$<BOOL:${ARGN}>:${folder}/answers.toml>
    COMMENT "Writing ${exercise}.${variant}.cu"
    VERBATIM)
  string(REPLACE "/" "." name ${exercise})
  set(target ${name}.${variant})
  bf_add_cuda_library(${target}.object OBJECT ${solved})
  target_link_libraries(${target}.object PRIVATE $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
  if(ARGN)
    target_compile_options(${target}.object PRIVATE -w) # what nobody has tidied up
  endif()
  add_executable(${target})
  target_link_libraries(
    ${target} PRIVATE checker_main ${target}.object ${name}.checker checker $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
  cmake_path(GET solved PARENT_PATH out)
  cmake_path(GET solved STEM LAST_ONLY program)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CUDA OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${out})
  set_target_properties(${target} ${target}.object PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(exercise_programs ${target})
  set_property(GLOBAL APPEND_STRING PROPERTY BF_EXERCISE_PROGRAMS "${exercise}.${variant}\t${expected}\n")
endfunction()

# The program that turns stored answers into files: parts of the tutor, for builds without one.
function(bf_add_apply_answer)
  find_package(fmt QUIET)
  find_package(tomlplusplus QUIET)
  if(NOT fmt_FOUND OR NOT tomlplusplus_FOUND)
    message(STATUS "libfmt-dev or libtomlplusplus-dev is not here: the exercises' solutions are not compiled")
    return()
  endif()
  set(tutor ${PROJECT_SOURCE_DIR}/course/tutor)
  file(GLOB base CONFIGURE_DEPENDS ${tutor}/base/*.cpp)
  add_executable(apply_answer ${base} ${tutor}/exercises/apply_main.cpp ${tutor}/exercises/answers.cpp
                              ${tutor}/exercises/solution.cpp ${tutor}/exercises/result.cpp)
  bf_compile_together(apply_answer)
  target_include_directories(apply_answer PRIVATE ${tutor})
  target_link_libraries(apply_answer PRIVATE fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  target_compile_options(apply_answer PRIVATE -O0)
endfunction()
