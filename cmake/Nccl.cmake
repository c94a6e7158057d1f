# NCCL as CUDA::nccl, if it is there: with the toolkit, or where $NCCL_HOME says. It comes on its own
# (Debian's and NVIDIA's package libnccl-dev), and CMake does not look for it.
function(bf_find_nccl)
  if(TARGET CUDA::nccl)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
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
