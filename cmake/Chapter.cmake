# The headers that every chapter includes, compiled once for all of them and for what they stand on; for observed programs, which
# other flags apply to, once more. Not with nvcc.
function(bf_reuse_chapter_headers target)
  set(headers chapter_headers)
  if(ARGN STREQUAL "OBSERVED")
    set(headers observed_chapter_headers)
  endif()
  if(NOT TARGET ${headers})
    set(empty ${PROJECT_BINARY_DIR}/${headers}.cpp)
    file(GENERATE OUTPUT ${empty} CONTENT "")
    bf_add_cuda_library(${headers} OBJECT ${empty})
    # What the ladder includes, not the ladder: it takes these headers, too.
    target_include_directories(${headers} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/course
                                                  ${PROJECT_SOURCE_DIR}/emulator)
    target_precompile_headers(${headers} PRIVATE "<emu/language/no_special_functions.hpp>"
                                                  <cuda_runtime.h> "<ladder/chapter.hpp>")
    if(ARGN STREQUAL "OBSERVED")
      bf_observe(${headers})
      set_target_properties(${headers} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Sets `out` to the files of a chapter's program with these endings: those beside its rooms, and in them.
function(bf_files_of_chapter out name)
  set(patterns)
  foreach(room IN ITEMS "" steps/ traps/ demos/ rivals/)
    foreach(ending IN LISTS ARGN)
      list(APPEND patterns ${PROJECT_SOURCE_DIR}/chapters/${name}/${room}*.${ending})
    endforeach()
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# add_chapter(05_reduction): the chapter in chapters/05_reduction.
#
# Makes the program 05_reduction from all .cu and .cpp files of the folder and its rooms steps, traps, demos and
# rivals (in the build tree: chapters/05_reduction/05_reduction), and the test 05_reduction.check, which
# verifies every step. They name each other's headers from the chapter's folder: "steps/v1_….cuh".
#
# A file called …_fast_math.cpp or …_fast_math.cu is compiled with fast math, to show what that does to
# results: by the host's compiler, or by nvcc. (The emulator leaves it out: g++ means more by it than
# nvcc does.)
#
# Sources that ask for BF_HAVE_CUBLAS, or another library of the CUDA toolkit's, are linked with it where it is
# found, which on the cpu backend is never.
function(add_chapter name)
  set(folder ${PROJECT_SOURCE_DIR}/chapters/${name})
  bf_files_of_chapter(sources ${name} cu cpp)
  if(NOT sources)
    message(FATAL_ERROR "add_chapter(${name}): no .cu or .cpp file in chapters/${name}")
  endif()

  foreach(source IN LISTS sources)
    if(source MATCHES "_fast_math\\.cpp$")
      set_source_files_properties(
        ${source} PROPERTIES COMPILE_OPTIONS -ffast-math SKIP_PRECOMPILE_HEADERS ON
                             SKIP_UNITY_BUILD_INCLUSION ON)
    elseif(source MATCHES "_fast_math\\.cu$" AND BF_BACKEND STREQUAL "gpu")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS --use_fast_math)
    endif()
  endforeach()

  set(gpu_libraries)
  bf_files_of_chapter(headers ${name} hpp cuh)
  foreach(source IN LISTS sources headers)
    file(STRINGS ${source} asked REGEX "BF_HAVE_[A-Z]+")
    string(REGEX MATCHALL "BF_HAVE_[A-Z]+" asked "${asked}")
    list(TRANSFORM asked REPLACE BF_HAVE_ "")
    list(TRANSFORM asked TOLOWER)
    list(APPEND gpu_libraries ${asked})
  endforeach()
  list(REMOVE_DUPLICATES gpu_libraries)

  if(BF_BACKEND STREQUAL "gpu")
    bf_merge(merged_sources ${name} ${sources} HEADERS ${headers})
    bf_add_cuda_executable(${name} ${merged_sources})
    target_include_directories(${name} PRIVATE ${folder})
    bf_compile_together(${name})
    target_link_libraries(${name} PRIVATE ladder)
    bf_link_cuda_libraries(${name} ${gpu_libraries})
    set(programs ${name})
  else()
    bf_add_emulated_chapter(${name} ${folder} ${sources})
    set(programs ${name} ${name}.observed)
    bf_link_emulated_libraries(${gpu_libraries})
  endif()
  set_target_properties(
    ${programs} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/chapters/${name})

  add_test(NAME ${name}.check COMMAND ${name} --check-only)
  if(BF_BACKEND STREQUAL "cpu" AND NOT BF_SANITIZE)
    add_test(NAME ${name}.hazards COMMAND ${name}.observed --hazards)
  endif()
  bf_add_standalone_programs(${name})
  bf_add_ranks(${name} ${gpu_libraries})
  set_property(GLOBAL APPEND PROPERTY BF_CHAPTERS ${name})
endfunction()

# Each chapters/NAME/standalone/PROGRAM.cu is a program of one file that needs nothing of the course's:
# a reader compiles it with nvcc alone. Here it becomes NAME.PROGRAM, and a test of that name: it has to
# exit with 0. (Some are wrong on purpose, which a sanitizer would not let pass.)
function(bf_add_standalone_programs name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chapters/${name}/standalone/*.cu)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    bf_add_cuda_executable(${name}.${stem} ${source})
    set_target_properties(${name}.${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                     ${PROJECT_BINARY_DIR}/chapters/${name})
    if(NOT BF_SANITIZE)
      add_test(NAME ${name}.${stem} COMMAND ${name}.${stem})
    endif()
  endforeach()
endfunction()

# chapters/NAME/ranks, where there is such a folder and MPI: the program NAME.ranks (and NAME.ranks.observed),
# of that folder's sources and of what NAME itself has for the host. NAME starts it with --ranks.
function(bf_add_ranks name)
  set(folder ${PROJECT_SOURCE_DIR}/chapters/${name})
  file(GLOB kernels CONFIGURE_DEPENDS ${folder}/ranks/*.cu)
  file(GLOB host CONFIGURE_DEPENDS ${folder}/ranks/*.cpp)
  if(NOT kernels)
    return()
  endif()
  find_package(MPI QUIET COMPONENTS CXX)
  # Open MPI has memory that it never frees, which the address sanitizer would tell of.
  set(environment EMU_NCCL_PATIENCE_MS=1000 ASAN_OPTIONS=detect_leaks=0)
  foreach(ranks 2 3)
    set(test ${name}.ranks_${ranks})
    if(BF_BACKEND STREQUAL "gpu")
      break() # how many devices there will be nobody knows here
    elseif(MPI_CXX_FOUND)
      add_test(NAME ${test} COMMAND ${name} --ranks ${ranks} --check-only)
    else()
      add_test(NAME ${test} COMMAND sh -c "echo 'skipped: no MPI was found'; exit 77")
    endif()
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
  endforeach()
  if(BF_BACKEND STREQUAL "gpu")
    bf_find_nccl()
    if(NOT TARGET CUDA::nccl)
      return()
    endif()
  endif()
  if(NOT MPI_CXX_FOUND)
    message(STATUS "MPI was not found: ${name} is built without --ranks. Install openmpi-bin and libopenmpi-dev.")
    return()
  endif()
  if(BF_BACKEND STREQUAL "gpu")
    if(NOT BF_COMPILE_ONLY) # they have been compiled for NAME
      bf_files_of_chapter(shared ${name} cpp)
    endif()
    bf_add_cuda_executable(${name}.ranks ${kernels} ${host} ${shared})
    target_include_directories(${name}.ranks PRIVATE ${folder})
    bf_link_cuda_libraries(${name}.ranks ${ARGN})
    set(programs ${name}.ranks)
  else()
    bf_add_emulated_chapter(${name}.ranks ${folder} ${kernels} ${host})
    set(programs ${name}.ranks ${name}.ranks.observed)
    bf_link_emulated_libraries(${ARGN})
    target_link_libraries(${name}.ranks.host PRIVATE MPI::MPI_CXX)
    foreach(program IN LISTS programs)
      target_link_libraries(${program} PRIVATE ${name}.host)
    endforeach()
    add_dependencies(${name}.observed ${name}.ranks.observed)
    add_test(NAME ${name}.two_machines
             COMMAND ${PROJECT_SOURCE_DIR}/tools/two_machines.sh $<TARGET_FILE:${name}.ranks> 1 --check-only
                     --only sums)
    if(NOT BF_SANITIZE) # such programs cannot be observed
      add_test(NAME ${name}.ranks_named COMMAND ${name}.observed --ranks 2 --check-only --only mistakes)
      set_tests_properties(
        ${name}.ranks_named
        PROPERTIES ENVIRONMENT "EMU_OBSERVE=1;EMU_NCCL_PATIENCE_MS=1000" PASS_REGULAR_EXPRESSION "5 hazards"
                   FAIL_REGULAR_EXPRESSION WRONG)
    endif()
    add_test(NAME ${name}.ranks_stuck COMMAND ${name} --ranks 2 --only stuck)
    set_tests_properties(
      ${name}.ranks_stuck
      PROPERTIES ENVIRONMENT RANKS_PATIENCE=1 PASS_REGULAR_EXPRESSION
                 "rank 0 has waited[^\n]*a message of rank 1 .mistakes.cu:[0-9]+.*rank 1 has waited[^\n]*a barrier .mistakes.cu|\
rank 1 has waited[^\n]*a barrier .mistakes.cu:[0-9]+.*rank 0 has waited[^\n]*a message of rank 1 .mistakes.cu")
    add_test(NAME ${name}.slurm
             COMMAND ${PROJECT_SOURCE_DIR}/tools/one_node_slurm.sh srun -n 2 --overcommit --mpi=pmix
                     $<TARGET_FILE:${name}.ranks> --check-only --only ranks)
    set_tests_properties(${name}.two_machines ${name}.slurm PROPERTIES SKIP_RETURN_CODE 3 ENVIRONMENT
                                                                                          "${environment}")
  endif()
  foreach(program IN LISTS programs)
    target_link_libraries(${program} PRIVATE ladder MPI::MPI_CXX)
  endforeach()
  set_target_properties(
    ${programs} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/chapters/${name})
  add_dependencies(${name} ${name}.ranks)
endfunction()

# The program NAME of sources of a chapter, whose folder is given, and its twin under the instruments,
# NAME.observed: the kernels are compiled for each, what runs on the host alone only once.
function(bf_add_emulated_chapter name folder)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set(host ${ARGN})
  list(FILTER host EXCLUDE REGEX "\\.cu$")
  bf_add_cuda_executable(${name} ${kernels})
  bf_reuse_chapter_headers(${name})
  bf_add_cuda_executable(${name}.observed ${kernels})
  bf_observe(${name}.observed)
  bf_reuse_chapter_headers(${name}.observed OBSERVED)
  set_target_properties(${name}.observed PROPERTIES EXCLUDE_FROM_ALL ON)
  foreach(program IN ITEMS ${name} ${name}.observed)
    target_include_directories(${program} PRIVATE ${folder})
    target_link_libraries(${program} PRIVATE ladder)
  endforeach()
  if(host)
    bf_add_cuda_library(${name}.host OBJECT ${host})
    target_include_directories(${name}.host PRIVATE ${folder})
    target_link_libraries(${name}.host PRIVATE ladder)
    bf_compile_together(${name}.host)
    bf_reuse_chapter_headers(${name}.host)
    foreach(program IN ITEMS ${name} ${name}.observed)
      target_link_libraries(${program} PRIVATE ${name}.host)
    endforeach()
  endif()
endfunction()

# NCCL as CUDA::nccl, if it is there: with the toolkit, or where $NCCL_HOME says. It comes on its own
# (Debian's and NVIDIA's package libnccl-dev), and CMake does not look for it.
function(bf_find_nccl)
  if(TARGET CUDA::nccl)
    return()
  endif()
  find_path(BF_NCCL_INCLUDE nccl.h HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(
    BF_NCCL_LIBRARY nccl HINTS ENV NCCL_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  if(BF_NCCL_INCLUDE AND BF_NCCL_LIBRARY)
    add_library(CUDA::nccl SHARED IMPORTED GLOBAL)
    set_target_properties(
      CUDA::nccl PROPERTIES IMPORTED_LOCATION ${BF_NCCL_LIBRARY}
                            INTERFACE_INCLUDE_DIRECTORIES ${BF_NCCL_INCLUDE})
  else()
    message(STATUS "NCCL was not found: chapter 12 is built without it. Install libnccl-dev, or set NCCL_HOME.")
  endif()
endfunction()

# Links what the emulator has of these libraries, to the `programs`.
macro(bf_link_emulated_libraries)
  if("${ARGN}" MATCHES "(^|;)nccl(;|$)")
    foreach(program IN LISTS programs)
      target_link_libraries(${program} PRIVATE emulator_with_nccl)
    endforeach()
  endif()
endmacro()

# Links what is there of the CUDA toolkit's libraries, and tells the sources: BF_HAVE_CUBLAS.
function(bf_link_cuda_libraries target)
  find_package(CUDAToolkit QUIET)
  foreach(library IN LISTS ARGN)
    if(library STREQUAL "nccl")
      bf_find_nccl()
    endif()
    if(TARGET CUDA::${library})
      string(TOUPPER ${library} upper)
      target_link_libraries(${target} PRIVATE CUDA::${library})
      target_compile_definitions(${target} PRIVATE BF_HAVE_${upper})
    endif()
  endforeach()
endfunction()
