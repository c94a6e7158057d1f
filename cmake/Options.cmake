# What can be chosen at configure time, and the flags every target of the course is compiled with.

set(BF_BACKEND cpu CACHE STRING "Where kernels run: cpu (the emulator) or gpu (nvcc)")
set_property(CACHE BF_BACKEND PROPERTY STRINGS cpu gpu)
if(NOT BF_BACKEND MATCHES "^(cpu|gpu)$")
  message(FATAL_ERROR "BF_BACKEND is '${BF_BACKEND}': it must be cpu or gpu")
endif()

set(BF_SANITIZE "" CACHE STRING "A sanitizer for the emulator's host code: address, undefined, thread or empty")
option(BF_WERROR "Turn compiler warnings into errors" OFF)

# What the test gpu.compile builds with: everything is compiled, but kernels without optimising, .cu files
# without their code for the host (nvcc's pass for the device reads that as well, and tells what is wrong
# with it), and nothing is linked, apart from the targets named in BF_LINKED.
option(BF_COMPILE_ONLY "gpu: look for errors and warnings, and make no programs" OFF)
set(BF_LINKED chapter_headers common ladder 01_hello_threads)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# nvcc's own preprocessor writes #line marks that -Wpedantic hates, so pedantry is not asked of it.
set(warnings -Wall -Wextra)
if(BF_WERROR)
  list(APPEND warnings -Werror)
endif()
list(JOIN warnings "," cuda_warnings)
set(cuda_warnings -Xcompiler=${cuda_warnings})
if(BF_WERROR)
  list(APPEND cuda_warnings -Werror=all-warnings)
endif()
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_warnings}>")

# g++ looks for garbage as its memory grows, which takes up to a tenth of the time of a large source and
# gives back a fifth of the memory: without, the largest take 0.9 GB, not 0.7.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param=ggc-min-expand=300 --param=ggc-min-heapsize=524288>")
endif()

if(BF_SANITIZE STREQUAL "thread")
  # The runtime's own threads: kernels may race, and the emulator is what looks for that (see emulator/).
  add_compile_definitions(EMU_TSAN)
  add_link_options(-fsanitize=thread)
elseif(BF_SANITIZE)
  # A finding must end the program with an error, or a test would pass over it.
  set(sanitize -fsanitize=${BF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  if(BF_SANITIZE STREQUAL "undefined")
    # What the emulator itself catches in kernels, and reports.
    list(APPEND sanitize -fno-sanitize=integer-divide-by-zero,alignment)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>")
  add_link_options(-fsanitize=${BF_SANITIZE})
endif()

# Programs are linked in half the time, several for each exercise's proof, and at every save of a learner's. Whoever
# has chosen a linker or a launcher has that one.
if(BF_BACKEND STREQUAL "cpu" AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=" AND NOT CMAKE_LINKER_TYPE)
  foreach(linker IN ITEMS mold gold lld)
    if(NOT DEFINED CACHE{BF_LINKER_${linker}}) # as for ccache, below
      find_program(BF_LINKER_${linker} ld.${linker})
      mark_as_advanced(BF_LINKER_${linker})
    endif()
    if(BF_LINKER_${linker})
      string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=${linker}")
      if(linker STREQUAL "mold") # which has one thread for each core, as if nothing else went on; nobody asks for the hash
        string(APPEND CMAKE_EXE_LINKER_FLAGS " -Wl,--thread-count=1 -Wl,--build-id=none")
      endif()
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS MATCHES "-flto") # which alone needs the plugin
        string(APPEND CMAKE_EXE_LINKER_FLAGS " -fno-use-linker-plugin")
      endif()
      break()
    endif()
  endforeach()
endif()

# Only the first time: one that is installed later would have everything built anew.
if(NOT DEFINED CACHE{BF_CCACHE})
  find_program(BF_CCACHE ccache)
  mark_as_advanced(BF_CCACHE)
endif()
foreach(language IN ITEMS CXX CUDA)
  if(BF_CCACHE AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${BF_CCACHE})
  endif()
endforeach()
