# The gpu backend's compiler: nvcc, from PATH, $CUDA_PATH or its usual home.
# A macro, because enable_language() must run in the scope of the top CMakeLists.txt.
macro(bf_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(BF_NVCC nvcc PATHS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    if(NOT BF_NVCC)
      message(FATAL_ERROR
        "The gpu preset needs nvcc, and there is none on PATH, in $CUDA_PATH or in /usr/local/cuda. "
        "Install the CUDA Toolkit 12.4 or newer, or use the cpu preset.")
    endif()
    set(CMAKE_CUDA_COMPILER ${BF_NVCC})
  endif()

  # Code for the GPU that is here; on a machine without one, for Hopper, so that everything still compiles.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE bf_no_gpu OUTPUT_QUIET ERROR_QUIET)
    if(bf_no_gpu STREQUAL "0")
      set(CMAKE_CUDA_ARCHITECTURES native)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
  endif()
  if(BF_COMPILE_ONLY)
    set(CMAKE_CUDA_ARCHITECTURES 90-real) # one, or there would be no -cubin
  endif()
  enable_language(CUDA)
  if(BF_COMPILE_ONLY)
    list(JOIN BF_UNOPTIMISED " " CMAKE_CXX_FLAGS_RELEASE)
    set(CMAKE_CUDA_FLAGS_RELEASE -O0)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
      string(APPEND CMAKE_CUDA_FLAGS " --Ofast-compile=max")
    endif()
  endif()

  # CMake 3.25.1, which Debian 12 has, does not know yet that nvcc compiles C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
endmacro()
