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
function(add_exercises chapter)
  set(folder ${PROJECT_SOURCE_DIR}/exercises/${chapter})
  file(GLOB names CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*/card.toml)
  if(NOT names)
    message(FATAL_ERROR "add_exercises(${chapter}): no card (NAME/card.toml) in exercises/${chapter}")
  endif()
  list(TRANSFORM names REPLACE /card.toml "")
  foreach(name IN LISTS names)
    set(checker ${chapter}.${name}.checker)
    if(BF_BACKEND STREQUAL "cpu")
      bf_add_judge(${chapter} ${name})
      set(built ${checker} ${checker}.calls ${chapter}.${name}.judge)
      set(note $<TARGET_OBJECTS:${checker}> $<TARGET_OBJECTS:${checker}.calls> $<TARGET_FILE:${chapter}.${name}.judge>)
    else()
      # The emulator has NCCL; a GPU's machine may lack it.
      file(STRINGS ${folder}/${name}/stub.cu nccl REGEX "#include <nccl.h>" LIMIT_COUNT 1)
      if(nccl)
        bf_find_nccl()
        if(NOT TARGET CUDA::nccl)
          continue()
        endif()
      endif()
      bf_add_cuda_library(${checker} OBJECT ${folder}/${name}/check.cu)
      target_include_directories(${checker} PRIVATE ${folder}/${name} ${folder})
      target_link_libraries(${checker} PRIVATE checker $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
      set_target_properties(${checker} PROPERTIES EXCLUDE_FROM_ALL ON)
      set(built ${checker})
      set(note $<TARGET_OBJECTS:${checker}>)
    endif()
    list(JOIN note "\n" note)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/${chapter}/${name}.o.txt CONTENT "${note}\n")
    add_custom_target(exercise.${chapter}.${name})
    add_dependencies(exercise.${chapter}.${name} ${built} exercise_tools)
    set_property(GLOBAL APPEND PROPERTY BF_EXERCISES ${chapter}/${name})
  endforeach()
endfunction()

# With BF_COMPILE_ONLY: the first checker of each chapter, all in one source, as nvcc spends its time on headers. To be
# called after the last add_exercises().
function(add_first_checkers)
  get_property(exercises GLOBAL PROPERTY BF_EXERCISES)
  set(chapters)
  set(sources)
  set(includes)
  add_library(checkers OBJECT)
  foreach(exercise IN LISTS exercises)
    cmake_path(GET exercise PARENT_PATH chapter)
    if(NOT chapter IN_LIST chapters)
      set(folder ${PROJECT_SOURCE_DIR}/exercises/${exercise})
      bf_includes_of(own ${folder}/check.cu)
      list(APPEND chapters ${chapter})
      list(APPEND sources ${folder}/check.cu)
      list(APPEND includes ${own})
      target_include_directories(checkers PRIVATE ${folder} ${PROJECT_SOURCE_DIR}/exercises/${chapter})
    endif()
  endforeach()
  bf_bundle(${PROJECT_BINARY_DIR}/exercises/checkers.cu INCLUDES ${includes} SOURCES ${sources})
  bf_cuda_sources(checkers ${PROJECT_BINARY_DIR}/exercises/checkers.cu)
  target_link_libraries(checkers PRIVATE checker $<TARGET_NAME_IF_EXISTS:CUDA::nccl>)
endfunction()

# The judge runs no kernels: all that it has to tell is what a checker does to memory that kernels see, too.
set(BF_JUDGE_OPTIONS -Og -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
function(bf_compile_for_judge target)
  target_compile_options(${target} PRIVATE ${BF_JUDGE_OPTIONS})
  target_compile_definitions(${target} PRIVATE EMU_OBSERVED EMU_WITHOUT_KERNELS)
endfunction()

# The calls that a checker makes are compiled for the learner's process. Nothing in there tells how the checker looks;
# and it is not one of the learner's lines.
function(bf_compile_for_learner target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/course/grading)
  bf_observe(${target})
  target_compile_options(${target} PRIVATE -g0)
endfunction()

# A checker in two parts: for the judge, a program, and for the learner's process.
function(bf_add_judge chapter name)
  set(folder ${PROJECT_SOURCE_DIR}/exercises/${chapter}) # has what checkers of a chapter share
  set(source ${folder}/${name}/check.cu)
  set(checker ${chapter}.${name}.checker)
  set(for_judge ${CMAKE_CURRENT_BINARY_DIR}/${checker}/${name}.judge.cu)
  set(for_learner ${CMAKE_CURRENT_BINARY_DIR}/${checker}/${name}.calls.cu)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp ${folder}/${name}/*.hpp)
  add_custom_command(
    OUTPUT ${for_judge} ${for_learner}
    COMMAND checker_roles ${source} ${for_judge} ${for_learner}
    DEPENDS ${source} ${headers} checker_roles
    COMMENT "Splitting ${name}/check.cu"
    VERBATIM)

  bf_add_cuda_library(${checker} OBJECT ${for_judge})
  target_link_libraries(${checker} PRIVATE checker)
  target_include_directories(${checker} PRIVATE ${folder}/${name} ${folder})
  # The bodies of kernels have gone to the other process.
  target_compile_options(${checker} PRIVATE -Wno-unused-parameter)
  bf_compile_for_judge(${checker})
  target_precompile_headers(${checker} REUSE_FROM checker_headers)

  bf_add_cuda_library(${checker}.calls OBJECT ${for_learner})
  bf_compile_for_learner(${checker}.calls)
  target_precompile_headers(${checker}.calls REUSE_FROM calls_headers)

  # All by their files: the emulator, which the targets name, is in the other process.
  set(judge ${chapter}.${name}.judge)
  add_executable(
    ${judge} $<TARGET_OBJECTS:checker_main> $<TARGET_OBJECTS:judge_parts> $<TARGET_OBJECTS:observation_object>
             $<TARGET_OBJECTS:request_picture> $<TARGET_OBJECTS:${checker}>)
  target_link_libraries(${judge} PRIVATE $<TARGET_FILE:checker> $<TARGET_FILE:ladder> $<TARGET_FILE:common>
                                         Threads::Threads)
  add_dependencies(${judge} checker ladder common)
  set_target_properties(
    ${judge} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name}.judge RUNTIME_OUTPUT_DIRECTORY
                                                                      ${PROJECT_BINARY_DIR}/exercises/${chapter})
  set_target_properties(${checker} ${checker}.calls ${judge} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# What the checks of all exercises share: exercises/tools.txt, and the target exercise_tools, which builds what it names.
function(add_exercise_tools)
  add_custom_target(exercise_tools)
  add_dependencies(exercise_tools checker_main checker ladder common)
  separate_arguments(link_flags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
  if(BF_BACKEND STREQUAL "cpu")
    bf_add_header_library(checker_headers "<checker/checker.hpp>" "<judge/remote.hpp>")
    target_link_libraries(checker_headers PRIVATE checker)
    bf_compile_for_judge(checker_headers)
    bf_add_header_library(calls_headers "<judge/learner.hpp>")
    bf_compile_for_learner(calls_headers)
    bf_precompile_for_learners(compile use)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # half a second for each constant that does not come to an end, and ten of them
      set(use -fconstexpr-ops-limit=4000000 -fmax-errors=10 ${use})
    else()
      set(use -fconstexpr-steps=1000000 ${use})
    endif()
    bf_list_reserved_names(${compile})
    add_dependencies(exercise_tools learner_header reserved_names checker_roles cuda_rewriter learner_main judge_parts
                     checker_headers calls_headers observation_object request_picture emulator_observe emulator_nccl emulator)
    set(link ${CMAKE_CXX_COMPILER} ${link_flags})
    set(main learner_main)
    get_target_property(libdw libdw INTERFACE_LINK_LIBRARIES)
    set(libraries $<TARGET_FILE:emulator_observe> $<TARGET_FILE:emulator_nccl> $<TARGET_FILE:emulator> ${libdw} -pthread)
    bf_note_tool(roles $<TARGET_FILE:checker_roles>)
    bf_note_tool(names ${PROJECT_BINARY_DIR}/exercises/names.txt)
    bf_note_tool(rewriter $<TARGET_FILE:cuda_rewriter>)
    bf_note_tool(judge OBJECTS checker_main judge_parts observation_object request_picture)
    bf_note_tool(judge_libraries $<TARGET_FILE:checker> $<TARGET_FILE:ladder> $<TARGET_FILE:common> -pthread)
  else()
    separate_arguments(cuda_flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
    string(REGEX REPLACE "^([0-9]+)$" "sm_\\1" architecture "${CMAKE_CUDA_ARCHITECTURES}")
    set(compile ${CMAKE_CUDA_COMPILER} ${cuda_flags} -std=c++20 -O2 -arch=${architecture}
                --extended-lambda --expt-relaxed-constexpr)
    set(link ${CMAKE_CUDA_COMPILER} -arch=${architecture} ${link_flags})
    set(main checker_main)
    set(libraries $<TARGET_FILE:checker> $<TARGET_FILE:ladder> $<TARGET_FILE:common> -lpthread)
  endif()

  # A further checker, which the course does not know: `tutor grade --extra-checks`. It is compiled as the course's are.
  set(folders ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/course ${PROJECT_SOURCE_DIR}/course/grading
              ${PROJECT_SOURCE_DIR}/emulator)
  foreach(library IN ITEMS doctest::doctest nlohmann_json::nlohmann_json)
    get_target_property(more ${library} INTERFACE_INCLUDE_DIRECTORIES)
    if(more)
      list(FILTER more EXCLUDE REGEX "[$]<|^/usr/include$")
      list(APPEND folders ${more})
    endif()
  endforeach()
  list(TRANSFORM folders PREPEND -I)
  if(BF_BACKEND STREQUAL "cpu")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # clang would not forgive a flag that its headers were precompiled without
      foreach(part IN ITEMS checker calls)
        set(${part}_headers -include ${PROJECT_BINARY_DIR}/CMakeFiles/${part}_headers.dir/cmake_pch.hxx)
      endforeach()
    endif()
    bf_emulated_command(compile_judge ${BF_JUDGE_OPTIONS} -DEMU_WITHOUT_KERNELS)
    bf_note_tool(compile_judge $<TARGET_FILE:cuda_rewriter> ${compile_judge} ${folders} ${checker_headers})
    bf_note_tool(compile_calls $<TARGET_FILE:cuda_rewriter> ${compile} -g0 ${folders} ${calls_headers})
  else()
    bf_note_tool(compile_checker ${compile} ${folders})
  endif()
  bf_note_tool(compile ${compile} ${use})
  bf_note_tool(link ${link})
  bf_note_tool(main OBJECTS ${main})
  bf_note_tool(libraries ${libraries})
  get_property(tools GLOBAL PROPERTY BF_EXERCISE_TOOLS)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercises/tools.txt CONTENT "${tools}")
endfunction()

# bf_note_tool(KEY WORD… [OBJECTS TARGET…]): a line of exercises/tools.txt; of the targets their objects.
function(bf_note_tool key)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OBJECTS")
  set(words ${arg_UNPARSED_ARGUMENTS})
  foreach(target IN LISTS arg_OBJECTS)
    list(APPEND words "$<JOIN:$<TARGET_OBJECTS:${target}>,\t>")
  endforeach()
  list(JOIN words "\t" words)
  set_property(GLOBAL APPEND_STRING PROPERTY BF_EXERCISE_TOOLS "${key}\t${words}\n")
endfunction()

# Sets `out` to the compiler with the flags and headers of what runs, or is judged, on the emulator under observation.
function(bf_emulated_command out)
  separate_arguments(cxx_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  set(compile ${CMAKE_CXX_COMPILER} ${cxx_flags} -std=c++20 ${BF_EMULATED_OPTIONS} ${ARGN} -DEMU_OBSERVED)
  foreach(folder IN LISTS BF_EMULATOR_HEADERS)
    list(APPEND compile -isystem ${folder})
  endforeach()
  set(${out} ${compile} PARENT_SCOPE)
endfunction()

# The one header that a learner's file always has, compiled once under the flags of observation. Sets `compile_out` to
# the compiler with its flags, `use_out` to the options that use the header.
function(bf_precompile_for_learners compile_out use_out)
  bf_emulated_command(compile ${BF_OBSERVED_OPTIONS})
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
  bf_precompile_alone(${header} ${compiled} "${includes}" ${compile})
  add_custom_target(learner_header DEPENDS ${compiled})
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
  # __shared__, which is no macro elsewhere; __cvta_generic_to_shared, which comes with inline PTX.
  string(APPEND includes "#include <emu/language/keywords_stay.hpp>\n#include <emu/ptx/ptx.hpp>\n")
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
