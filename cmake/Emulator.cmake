# Programs and libraries with CUDA sources, on either backend.
#
# gpu: nvcc compiles the .cu files. cpu: the ordinary compiler does, against the emulator's headers, and the
# rewriter turns what its preprocessor makes of them into C++.

# bf_add_cuda_executable(05_reduction main.cu …)
function(bf_add_cuda_executable name)
  bf_add_executable(${name})
  bf_cuda_sources(${name} ${ARGN})
endfunction()

# bf_add_cuda_library(common STATIC timer.cu …)
function(bf_add_cuda_library name kind)
  add_library(${name} ${kind})
  bf_cuda_sources(${name} ${ARGN})
endfunction()

function(bf_cuda_sources target)
  set(cuda_sources ${ARGN})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  set(other_sources ${ARGN})
  list(FILTER other_sources EXCLUDE REGEX "\\.cu$")
  target_sources(${target} PRIVATE ${other_sources})

  if(BF_BACKEND STREQUAL "gpu")
    target_sources(${target} PRIVATE ${cuda_sources})
    target_compile_options(
      ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr>")
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
    if(BF_COMPILE_ONLY AND NOT target IN_LIST BF_LINKED)
      target_compile_options(${target} PRIVATE "$<IF:$<COMPILE_LANGUAGE:CUDA>,-cubin,-fsyntax-only>")
      set(cuda_launcher ${PROJECT_SOURCE_DIR}/cmake/dependencies_in_passing.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
      set(launcher ${PROJECT_SOURCE_DIR}/cmake/with_an_object.sh ${CMAKE_CXX_COMPILER_LAUNCHER})
      set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${cuda_launcher}" CXX_COMPILER_LAUNCHER "${launcher}")
    endif()
    target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    return()
  endif()

  get_target_property(layer ${target} BF_EMULATOR_LAYER)
  if(layer)
    bf_link_layers(${target} ${layer})
  else()
    target_link_libraries(${target} PUBLIC emulator::emulator)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${BF_EMULATED_OPTIONS})
  bf_compile_for_cpu(${target} ${cuda_sources})
endfunction()

# Where CUDA's headers are for the CPU: those that do something, and in the build tree those that only include others.
set(BF_EMULATOR_HEADERS ${PROJECT_SOURCE_DIR}/emulator/include ${PROJECT_BINARY_DIR}/emulator/include)

# Writes a header for each line of `list`, which has its name and what it includes, into `folder`, and removes others.
function(bf_write_forwarding_headers list folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(GLOB_RECURSE stale ${folder}/*)
  file(STRINGS ${list} lines REGEX "^[^#]")
  foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words name)
    list(TRANSFORM words REPLACE "^([^<].*)$" "\"\\1\"")
    list(TRANSFORM words PREPEND "#include ")
    list(JOIN words "\n" includes)
    cmake_path(RELATIVE_PATH list BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE origin)
    file(CONFIGURE OUTPUT ${folder}/${name} CONTENT "// Written by CMake, from ${origin}.\n#pragma once\n\n${includes}\n" @ONLY)
    list(REMOVE_ITEM stale ${folder}/${name})
  endforeach()
  if(stale)
    file(REMOVE ${stale})
  endif()
endfunction()

# Writes the descriptions of devices, `folder`/KEY.json, as rows of the table in emulator/src/engine/limits.cpp.
function(bf_write_devices folder table)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM key)
    file(READ ${file} text)
    string(JSON name GET "${text}" name)
    foreach(figure IN ITEMS compute_capability sms threads_per_sm blocks_per_sm registers_per_sm shared_kib_per_sm
                            shared_kib_per_block shared_bytes_reserved shared_bytes_unit blocks_per_cluster l2_mib
                            memory_bus_bits memory_peak_gbps fp32_per_cycle fp64_per_cycle)
      string(JSON ${figure} GET "${text}" ${figure} value)
    endforeach()
    string(REPLACE "." ", " capability ${compute_capability})
    string(APPEND rows "{\"${key}\", \"${name}\", ${capability}, ${sms}, ${threads_per_sm}, ${blocks_per_sm}, "
                       "${registers_per_sm}, ${shared_kib_per_sm} * kib, ${shared_kib_per_block} * kib, "
                       "${shared_bytes_reserved}, ${shared_bytes_unit}, ${blocks_per_cluster}, ${l2_mib} * mib, "
                       "${memory_bus_bits}, ${memory_peak_gbps}, ${fp32_per_cycle}, ${fp64_per_cycle}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${table} CONTENT "// Written by CMake, from emulator/devices.\n${rows}" @ONLY)
endfunction()

# Links a test with a layer of the emulator and those before it, whole, and with none behind it: a symbol from
# there is an error of the linker's.
function(bf_link_layers target layer)
  set(linked emulator_engine)
  foreach(next IN ITEMS runtime nccl observe)
    if(linked MATCHES "emulator_${layer}$")
      break()
    endif()
    list(APPEND linked emulator_${next})
  endforeach()
  list(JOIN linked "," linked)
  target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${linked}>" emulator_headers)
endfunction()

# Has the .cu files of `target` compiled by the C++ compiler, through the rewriter, which stands in front of
# its command as ccache does.
function(bf_compile_for_cpu target)
  target_sources(${target} PRIVATE ${ARGN})
  if(ARGN)
    set(rewriter ${PROJECT_BINARY_DIR}/emulator/cuda_rewriter)
    set(launcher ${rewriter} ${CMAKE_CXX_COMPILER_LAUNCHER})
    if(CMAKE_CROSSCOMPILING)
      list(PREPEND launcher ${CMAKE_CROSSCOMPILING_EMULATOR})
    endif()
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX OBJECT_DEPENDS ${rewriter})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    add_dependencies(${target} cuda_rewriter)
  endif()
endfunction()

# bf_add_observed_executable(05_reduction.observed main.cu …)
# The same program, cpu only, with instruments: see emulator/observation/observe.hpp.
function(bf_add_observed_executable name)
  bf_add_cuda_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE emulator_observe)
  set_target_properties(${name} PROPERTIES BF_OBSERVED ON)
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  # Another target may have the same file, unobserved.
  set(here "$<BOOL:$<TARGET_PROPERTY:BF_OBSERVED>>")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<${here}:${BF_OBSERVED_OPTIONS}>"
                                                    COMPILE_DEFINITIONS "$<${here}:EMU_OBSERVED>")
  bf_observe_beside_sanitizer(${name})
endfunction()

function(bf_observe_beside_sanitizer target)
  if(BF_SANITIZE STREQUAL "thread")
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_COMPILE ${PROJECT_SOURCE_DIR}/cmake/apart_from_tsan.sh)
  endif()
endfunction()

# bf_observe(TARGET): all of its sources are compiled to be observed.
function(bf_observe target)
  # In one piece, or CMake would take the second -mllvm for a repetition.
  list(JOIN BF_OBSERVED_OPTIONS " " options)
  target_compile_options(${target} PRIVATE "SHELL:${options}")
  target_compile_definitions(${target} PRIVATE EMU_OBSERVED)
  bf_observe_beside_sanitizer(${target})
  get_target_property(type ${target} TYPE)
  get_target_property(layer ${target} BF_EMULATOR_LAYER)
  if(type STREQUAL "EXECUTABLE" AND NOT layer)
    target_link_libraries(${target} PRIVATE emulator_observe)
  endif()
endfunction()

# How kernels are compiled for the CPU:
# - device code reads floats as float4 and the like through casts, as nvcc allows;
# - results must not depend on whether this CPU can fuse a multiplication with an addition;
# - errno and traps of the math library mean nothing to a kernel;
# - an access through a null pointer has to happen, so that it can be reported;
# - a frame that is larger than what lies between two stacks touches it: so no thread comes to another one's;
# - `#pragma unroll` is nvcc's.
set(BF_EMULATED_OPTIONS -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math
                        -fno-delete-null-pointer-checks -fstack-clash-protection -Wno-unknown-pragmas)
# How fast a kernel's loop is must not depend on what stands before it: the same code of a vector addition took a third
# longer at another place (emulator/benchmarks).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND BF_EMULATED_OPTIONS -falign-functions=32 -falign-loops=32 -falign-jumps=16)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND BF_EMULATED_OPTIONS --param=stack-clash-protection-guard-size=12) # log2: one page, not 64 KiB
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND BF_EMULATED_OPTIONS -Wno-pass-failed -Wno-vla-extension)
endif()

# How they are compiled to be observed. The sanitizers' callbacks are the emulator's own; nothing of
# the sanitizers is linked.
# - One access in the source must stay one: no splitting of vector types into their members, no
#   merging of branches into straight code, no copy of the code behind a branch for one of its ways
#   (the lanes would not come together again where those of a GPU do).
# - g++ says nothing of a structure that a function returns straight into memory, or gets from there
#   by value. It does of the copies that it makes when it may not leave them out.
# - Nor does it tell structures of 16 bytes that are aligned to 16 from those that are aligned to 8.
#   Checks of the alignment do, which the rewriter leaves out where no such type is named. (clang does not check the
#   copies that it makes of structures.)
# - A shift by as many bits as a number has, or more, is another number here than on a GPU.
# - Of debug information lines are enough; binutils, with which one may want to look, confuses DWARF 5 with the #line of
#   rewritten code.
set(BF_OBSERVED_OPTIONS -gdwarf-4 -g1 -fsanitize=thread -fsanitize=shift-exponent -fno-builtin-memcpy
                        -fno-builtin-memmove -fno-builtin-memset)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # clang splits vectors as soon as it optimises.
  list(APPEND BF_OBSERVED_OPTIONS -O0 -fsanitize-coverage=bb,no-prune,trace-pc
       -mllvm;-tsan-distinguish-volatile=1;-mllvm;-tsan-instrument-read-before-write=1)
else()
  list(APPEND BF_OBSERVED_OPTIONS -O1 --param=tsan-distinguish-volatile=1
       -fsanitize=alignment -fsanitize-coverage=trace-pc -fno-reorder-blocks -fno-if-conversion -fno-if-conversion2
       -fno-tree-sra -fno-thread-jumps -fno-elide-constructors)
endif()
