# The libraries the course stands on. With BF_TESTS=OFF BF_TUTOR=OFF chapters need the CUDA Toolkit alone, or, on the
# emulator, nlohmann_json for what its instruments report. Both are off where another project takes this one in.

option(BF_TESTS "Build the tests (needs doctest)" ${PROJECT_IS_TOP_LEVEL})
option(BF_TUTOR "Build the tutor (needs CLI11, fmt, toml++ and libseccomp)" ${PROJECT_IS_TOP_LEVEL})

find_package(Threads REQUIRED)

set(missing_packages)
# Notes the Debian package that brings a library which is not there.
function(bf_find_package name debian_package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND missing_packages ${debian_package})
    set(missing_packages ${missing_packages} PARENT_SCOPE)
  endif()
endfunction()

if(BF_BACKEND STREQUAL "cpu" OR BF_TESTS OR BF_TUTOR)
  bf_find_package(nlohmann_json nlohmann-json3-dev)
endif()
if(BF_TESTS OR BF_TUTOR)
  bf_find_package(doctest doctest-dev)
endif()
if(BF_TUTOR)
  bf_find_package(CLI11 libcli11-dev)
  bf_find_package(fmt libfmt-dev)
  bf_find_package(tomlplusplus libtomlplusplus-dev)
  find_path(BF_SECCOMP_INCLUDE seccomp.h)
  find_library(BF_SECCOMP_LIBRARY seccomp)
  mark_as_advanced(BF_SECCOMP_INCLUDE BF_SECCOMP_LIBRARY)
  if(NOT BF_SECCOMP_INCLUDE OR NOT BF_SECCOMP_LIBRARY)
    list(APPEND missing_packages libseccomp-dev)
  endif()
endif()

if(missing_packages)
  list(JOIN missing_packages " " missing_packages)
  message(FATAL_ERROR "Libraries are missing. On Debian or Ubuntu: sudo apt-get install ${missing_packages}")
endif()
