# The libraries the course stands on. With BF_TESTS=OFF BF_TUTOR=OFF chapters need the CUDA Toolkit alone, or, on the
# emulator, libdw for the lines that its instruments name. Both are off where another project takes this one in.

option(BF_TESTS "Build the tests (needs doctest)" ${PROJECT_IS_TOP_LEVEL})
option(BF_TUTOR "Build the tutor (needs CLI11, fmt, toml++, md4c and libseccomp)" ${PROJECT_IS_TOP_LEVEL})

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

# bf_find_library(libdw libdw-dev elfutils/libdw.h dw elf): the same of one that CMake knows nothing of. The first word
# is the target that it becomes, behind the header stand its files.
function(bf_find_library name debian_package header)
  find_path(BF_${name}_INCLUDE ${header})
  mark_as_advanced(BF_${name}_INCLUDE)
  set(places ${BF_${name}_INCLUDE})
  foreach(file IN LISTS ARGN)
    find_library(BF_${name}_${file} ${file})
    mark_as_advanced(BF_${name}_${file})
    list(APPEND places ${BF_${name}_${file}})
  endforeach()
  if(places MATCHES "NOTFOUND")
    list(APPEND missing_packages ${debian_package})
    set(missing_packages ${missing_packages} PARENT_SCOPE)
    return()
  endif()
  list(POP_FRONT places include)
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE ${include})
  target_link_libraries(${name} INTERFACE ${places})
endfunction()

if(BF_BACKEND STREQUAL "cpu")
  bf_find_library(libdw libdw-dev elfutils/libdw.h dw elf)
endif()
if(BF_TESTS OR BF_TUTOR)
  bf_find_package(nlohmann_json nlohmann-json3-dev)
  bf_find_package(doctest doctest-dev)
endif()
if(BF_TUTOR)
  bf_find_package(CLI11 libcli11-dev)
  bf_find_package(fmt libfmt-dev)
  bf_find_package(tomlplusplus libtomlplusplus-dev)
  bf_find_library(md4c libmd4c-dev md4c.h md4c)
  bf_find_library(libseccomp libseccomp-dev seccomp.h seccomp)
endif()

if(missing_packages)
  list(JOIN missing_packages " " missing_packages)
  message(FATAL_ERROR "Libraries are missing. On Debian or Ubuntu: sudo apt-get install ${missing_packages}")
endif()
