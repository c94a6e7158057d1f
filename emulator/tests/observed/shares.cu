// Work in shares, as a ladder's steps are: shares WAY. Its parts print, fail, leave memory behind and end early.
#include <observation/observe.hpp>
#include <observation/shares.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

__global__ void writes(int *out, int n) {
  if (static_cast<int>(threadIdx.x) < n)
    out[threadIdx.x] = 1;
  if (threadIdx.x == 0)
    printf("a kernel prints\n");
}

__global__ void overruns(int *out) { out[threadIdx.x] = 1; }

__global__ void fills(int *out) { out[threadIdx.x] = 0; }

void end(size_t part, const char *way) {
  const auto is = [way](const char *one) { return std::strcmp(way, one) == 0; };
  if (part == 4 && is("fault"))
    *reinterpret_cast<volatile int *>(uintptr_t{8}) = 1;
  if (part == 4 && is("exit"))
    std::exit(7);
  if (is("terminated")) {
    if (part == 4)
      kill(getppid(), SIGTERM);
    for (;;)
      pause();
  }
}

void do_part(size_t part, int *out, const char *way) {
  std::printf("part %zu\n", part);
  emu::begin_part("part_" + std::to_string(part));
  writes<<<1, 32>>>(out, 31);
  cudaDeviceSynchronize();
  if (part == 1)
    overruns<<<1, 32>>>(out);
  emu::begin_part("");
  void *left = nullptr;
  if (part == 2)
    cudaMalloc(&left, 100);
  if (part >= 4)
    end(part, way);
}

} // namespace

int main(int, char **arguments) {
  const char *way = arguments[1];
  const auto told = emu::in_shares(7, [way](emu::Share &share) {
    int *out = nullptr;
    if (std::strcmp(way, "managed") == 0)
      cudaMallocManaged(&out, 31 * sizeof(int));
    else
      cudaMalloc(&out, 31 * sizeof(int));
    fills<<<1, 31>>>(out);
    for (size_t part; share.next(part);) {
      do_part(part, out, way);
      const std::string text = "told of " + std::to_string(part);
      if (part == 4 && std::strcmp(way, "failed") == 0)
        share.failed(text);
      else
        share.done(text);
    }
    cudaFree(out);
  });
  for (const std::string &text : told)
    std::printf("%s\n", text.c_str());
}
