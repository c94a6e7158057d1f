# find_package(BuildFirstEmulator): CUDA's headers and runtime for the CPU, and what compiles kernels for them.
#
#   BuildFirst::emulator                      C++20 that calls CUDA's runtime links it
#   emulator_kernels(TARGET [OBSERVED])       has the .cu files of TARGET compiled; OBSERVED: for the instruments,
#                                             which EMU_OBSERVE=1 in the program's environment starts
if(NOT TARGET BuildFirst::emulator)
  find_package(Threads REQUIRED)
  get_filename_component(BuildFirstEmulator_ROOT_DIR ${CMAKE_CURRENT_LIST_DIR}/../../build-first-emulator ABSOLUTE)
  add_library(BuildFirst::emulator INTERFACE IMPORTED)
  target_include_directories(BuildFirst::emulator SYSTEM INTERFACE ${BuildFirstEmulator_ROOT_DIR}/include)
  target_compile_features(BuildFirst::emulator INTERFACE cxx_std_20)
  target_link_libraries(BuildFirst::emulator INTERFACE ${BuildFirstEmulator_ROOT_DIR}/lib64/libcudart_static.a
                                                       Threads::Threads ${CMAKE_DL_LIBS})
endif()

function(emulator_kernels target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  if(NOT sources)
    message(FATAL_ERROR "emulator_kernels(${target}): none of its sources is a .cu file; add_executable(${target} main.cu …) first")
  endif()
  file(STRINGS ${BuildFirstEmulator_ROOT_DIR}/nvcc.profile compiler REGEX "^COMPILER(_ID)?=")
  list(TRANSFORM compiler REPLACE "^[A-Z_]+=" "")
  list(GET compiler 0 path)
  list(GET compiler 1 id)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL id) # the options below are that one's
    message(FATAL_ERROR "emulator_kernels(${target}): the emulator was built by ${id}, and ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID}; cmake -DCMAKE_CXX_COMPILER=${path} …")
  endif()
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER ${BuildFirstEmulator_ROOT_DIR}/bin/cuda_rewriter)
  set(kinds KERNELS)
  if(ARGN STREQUAL "OBSERVED")
    list(APPEND kinds OBSERVED)
  elseif(ARGN)
    message(FATAL_ERROR "emulator_kernels(${target} ${ARGN}): only OBSERVED may stand behind the target")
  endif()
  list(JOIN kinds "|" kinds)
  file(STRINGS ${BuildFirstEmulator_ROOT_DIR}/nvcc.profile options REGEX "^(${kinds})=")
  list(TRANSFORM options REPLACE "^[A-Z]+=" "")
  list(TRANSFORM options REPLACE "\\$\\(TOP\\)" "${BuildFirstEmulator_ROOT_DIR}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${options}")
  target_link_libraries(${target} PRIVATE BuildFirst::emulator)
endfunction()
