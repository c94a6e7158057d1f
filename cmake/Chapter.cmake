# The headers that every chapter includes, compiled once for all of them and for what they stand on; for observed programs, which
# other flags apply to, once more. Not where code is made for a GPU.
function(bf_reuse_chapter_headers target)
  if(BF_BACKEND STREQUAL "gpu" AND NOT BF_COMPILE_ONLY)
    return()
  endif()
  set(headers chapter_headers)
  if(ARGN STREQUAL "OBSERVED")
    set(headers observed_chapter_headers)
  endif()
  # What the ladder includes, not the ladder: it takes these headers, too.
  set(folders ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/course ${PROJECT_SOURCE_DIR}/emulator)
  if(NOT TARGET ${headers})
    bf_add_header_library(${headers} "<ladder/chapter.hpp>")
    target_include_directories(${headers} PRIVATE ${folders})
    if(ARGN STREQUAL "OBSERVED")
      bf_observe(${headers})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # which reads their text where it only preprocesses
    target_include_directories(${target} PRIVATE ${folders})
  endif()
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
# What else a chapter needs stands in a CMakeLists.txt of its own: a library of the CUDA toolkit's, another program.
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

  if(BF_BACKEND STREQUAL "gpu")
    bf_merge(sources ${name} ${sources})
    bf_add_cuda_executable(${name} ${sources})
    target_include_directories(${name} PRIVATE ${folder})
    bf_compile_together(${name})
    bf_reuse_chapter_headers(${name})
    target_link_libraries(${name} PRIVATE ladder)
    set(programs ${name})
  else()
    bf_add_emulated_chapter(${name} ${folder} ${sources})
    set(programs ${name} ${name}.observed)
  endif()
  set_target_properties(
    ${programs} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/chapters/${name})

  add_test(NAME ${name}.check COMMAND ${name} --check-only)
  if(BF_BACKEND STREQUAL "cpu" AND NOT BF_SANITIZE)
    add_test(NAME ${name}.hazards COMMAND ${name}.observed --hazards)
    # Steps shared out to processes are told of as one process tells of them.
    add_test(NAME ${name}.shares COMMAND sh -c "one=$(EMU_THREADS=1 \"$0\" --n 33) && test \"$one\" = \"$(EMU_THREADS=3 \"$0\" --n 33)\""
                                         $<TARGET_FILE:${name}.observed>)
    set_tests_properties(${name}.shares PROPERTIES ENVIRONMENT "EMU_OBSERVE=1;EMU_OBSERVE_TO=stdout;EMU_OBSERVE_JSON=/dev/stdout")
  endif()
  bf_add_standalone_programs(${name})
  if(EXISTS ${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
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

# The program NAME of sources of a chapter, whose folder is given, and its twin under the instruments,
# NAME.observed: the kernels are compiled for each, what runs on the host alone only once.
function(bf_add_emulated_chapter name folder)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set(host ${ARGN})
  list(FILTER host EXCLUDE REGEX "\\.cu$")
  # Steps are what takes time, and what readers change: a source each. What stands around them is one, compiled in two
  # thirds of the time. (clang's instruments need -O0, which a source's own option would overrule.)
  set(around ${kernels})
  list(FILTER around EXCLUDE REGEX "/steps/")
  list(REMOVE_ITEM kernels ${around})
  bf_merge(around ${name} ${around})
  list(APPEND kernels ${around})
  set_property(SOURCE ${around} APPEND PROPERTY COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-O1>)
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

# bf_use_libraries(TARGET cublas …): links what is there of the CUDA toolkit's libraries, and tells the sources:
# BF_HAVE_CUBLAS. (The emulator has none of them.)
function(bf_use_libraries target)
  if(BF_BACKEND STREQUAL "gpu")
    find_package(CUDAToolkit QUIET)
  endif()
  foreach(library IN LISTS ARGN)
    if(TARGET CUDA::${library})
      string(TOUPPER ${library} upper)
      target_link_libraries(${target} PRIVATE CUDA::${library})
      target_compile_definitions(${target} PRIVATE BF_HAVE_${upper})
    endif()
  endforeach()
endfunction()
