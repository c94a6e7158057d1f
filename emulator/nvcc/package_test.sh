#!/usr/bin/env bash
# Installs the emulator by itself and builds other people's projects with it: package_test.sh BUILD
# Exit: 0 all holds, 1 something does not.
set -u
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/installed nvcc=$prefix/bin/emu-nvcc faults=0
export MAKEFLAGS= CMAKE_GENERATOR=Ninja

expect() { # expect WHAT WORDS COMMAND…: its output holds the words
  local what=$1 words=$2 output
  shift 2
  output=$("$@" 2>&1)
  case $output in
  *"$words"*) ;;
  *) printf '%s: expected "%s" of: %s\n%s\n' "$what" "$words" "$*" "$output" && faults=1 ;;
  esac
}
status() { "$@" >/dev/null 2>&1; echo "status $?"; }

cmake --install "$build" --component emulator --prefix "$prefix" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

# Two sources and a host's; a variable of the device's that both have.
mkdir "$folder/project" && cd "$folder/project" || exit 1
cat >add.cuh <<'END'
#pragma once
extern __device__ int times;
__global__ void add(const float *a, float *b, int n);
int of_host(int n);
END
cat >add.cu <<'END'
#include "add.cuh"
__device__ int times;
__global__ void add(const float *a, float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    ++times;
  if (i < n)
    b[i] += a[i];
}
END
cat >main.cu <<'END'
#include "add.cuh"
#include <cstdio>
float host[1000];
int main(int argc, char **) {
  const int n = of_host(1000);
  for (float &side : host)
    side = SIDE;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, argc > 1 ? 2 * n : n); // an argument: past the end
  cudaMemcpy(host, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  int launches;
  cudaMemcpyFromSymbol(&launches, times, sizeof launches);
  std::printf("%g in the end, %d launch\n", host[n - 1], launches);
  cudaFree(a);
  cudaFree(b);
}
END
echo 'int of_host(int n) { return n; }' >host.cpp

# In a Makefile, as others have them.
printf '%s\n' 'NVCC ?= nvcc' 'FLAGS = -O3 -std=c++17 -arch=sm_90 -rdc=true -Xcompiler -Wall,-Wextra --expt-relaxed-constexpr' \
  'program: main.o add.o host.o' "	\"\$(NVCC)\" \$(FLAGS) -o \$@ \$^ -lm" \
  '%.o: %.cu' "	\"\$(NVCC)\" \$(FLAGS) -DSIDE=2 -MD -MF \$*.d -c \$< -o \$@" \
  '%.o: %.cpp' "	\"\$(NVCC)\" -c \$< -o \$@" >Makefile
expect Makefile "4 in the end, 1 launch" sh -c "make -s NVCC='$nvcc' && ./program"
expect "what a source includes" "main.o: main.cu" cat main.d
expect "what a source includes" " add.cuh" cat main.d
expect "at once" "6 in the end" sh -c "'$nvcc' -DSIDE=3 --options-file /dev/null -o at_once main.cu add.cu host.cpp && ./at_once"
expect "an archive" "4 in the end" sh -c "'$nvcc' -lib -o lib.a add.cu host.cpp && '$nvcc' main.o lib.a && ./a.out"
cp add.cu other.cpp
expect "-x cu" "6 in the end" sh -c "'$nvcc' -DSIDE=3 -o other -x cu main.cu other.cpp host.cpp && ./other"

# For the instruments: a hazard's line, an exit status, and JSON.
EMU_OBSERVED=1 "$nvcc" -DSIDE=2 -o observed main.cu add.cu host.cpp
observed() { EMU_OBSERVE=1 EMU_OBSERVE_JSON=report.json ./observed "$@"; echo "status $?"; }
output=$(observed 2>&1)
expect "a clean program observed" "no hazard seen in 1 launch" echo "$output"
expect "its status" "status 0" echo "$output"
output=$(observed past_the_end 2>&1)
expect "a mistake" "add.cu:8" echo "$output"
expect "its status" "status 1" echo "$output"
instruments() { grep -q BlockObserver "$1" && echo "$1 has them" || echo "$1 has none"; }
expect "instruments of an observed program" "observed has them" instruments observed
expect "instruments of a plain program" "at_once has none" instruments at_once
expect JSON '"kind": "out_of_bounds"' cat report.json

# What cannot be had is one line, and nothing is written.
expect -ptx "emu-nvcc: -ptx: a CPU has nothing of that kind" "$nvcc" -ptx add.cu -o refused
expect -ptx "status 2" status "$nvcc" -ptx add.cu -o refused
expect "link-time optimisation" "emu-nvcc: -lto: a CPU has nothing of that kind" "$nvcc" -lto add.cu -o refused
expect "no number of threads" "unknown option -test;" "$nvcc" -test add.cu -o refused
expect "a forwarded option" " -fopenmp " "$nvcc" --dryrun -forward-unknown-to-host-compiler -fopenmp -c add.cu
expect "-MD" "-MF out/add.d -MT out/add.o" "$nvcc" --dryrun -MD -c add.cu -o out/add.o
expect "-MT" "-MT one -MF out/add.d" "$nvcc" --dryrun -MD -MT one -c add.cu -o out/add.o
expect "-gencode" "-gencode=arch=compute_80,code=sm_80" "$nvcc" --dryrun -gencode arch=compute_80,code=sm_80 -dc --keep --keep-dir kept add.cu
expect "an unknown option" "unknown option -fopenmp; of the host's compiler's own? Then write -Xcompiler -fopenmp" "$nvcc" -fopenmp add.cu
expect "an unknown option" "status 2" status "$nvcc" -fopenmp add.cu
expect "a library" "-lcufft: cuFFT is not in the emulator" "$nvcc" main.o add.o host.o -lcufft -o refused
expect "two outputs" "-o one.o is one file, and there are 2 sources" "$nvcc" -c main.cu add.cu -o one.o
expect "no source" "give a source: FILE.cu" "$nvcc" -O3
expect "a mistake in a source" "status 1" status "$nvcc" -DSIDE=x -c main.cu -o refused
printf '%s\n' '#include <cuda.h>' '#include <cuda/ptx>' '__global__ void kernel(int *p) { cuda::ptx::multimem_st(p, 1); }' \
  'int main() { return cuTensorMapEncodeIm2col(nullptr); }' >absent.cu
"$nvcc" -c absent.cu -o refused >absent.txt 2>&1
expect "a function of PTX that is not there" "not in the emulator; try: NCCL" grep absent.cu:3: absent.txt
expect "a call that is not there" "not in the emulator; try: cuTensorMapEncodeTiled" grep absent.cu:4: absent.txt
[ ! -e refused ] || { echo "a refused command has written a file"; faults=1; }

# CMake, with CUDA as a language, and one that finds the toolkit; another that finds the emulator.
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(theirs LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(adds STATIC add.cu host.cpp)
set_target_properties(adds PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(theirs main.cu)
target_compile_definitions(theirs PRIVATE SIDE=2)
set_target_properties(theirs PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
target_link_libraries(theirs PRIVATE adds CUDA::cudart)
message(STATUS "toolkit ${CUDAToolkit_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES}")
END
expect "CMake's language" "toolkit 13.0" cmake -B cuda -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_BUILD_TYPE=Release
expect "CMake's language" "4 in the end, 1 launch" sh -c "cmake --build cuda && cuda/theirs"
mkdir found && cat >found/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(found LANGUAGES CXX)
find_package(BuildFirstEmulator REQUIRED)
add_executable(found ../main.cu ../add.cu ../host.cpp)
target_compile_definitions(found PRIVATE SIDE=2)
emulator_kernels(found OBSERVED)
enable_testing()
add_test(NAME found COMMAND found past_the_end)
set_tests_properties(found PROPERTIES ENVIRONMENT EMU_OBSERVE=1)
END
compiler=$(sed -n 's/^COMPILER=//p' "$prefix/lib/build-first-emulator/nvcc.profile")
expect "a package" "3 hazards in 1 launch" sh -c "cmake -S found -B found/build -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_CXX_COMPILER='$compiler' && cmake --build found/build && ctest --test-dir found/build --output-on-failure"
case $("$compiler" --version) in *clang*) other=g++ ;; *) other=clang++ ;; esac
if command -v $other >other; then
  expect "another compiler" "-DCMAKE_CXX_COMPILER=$compiler" cmake -S found -B refused -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER=$other
fi
exit $faults
