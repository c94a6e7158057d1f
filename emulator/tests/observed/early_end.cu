// A program with a hazard that ends in one of many ways: early_end WAY.
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace {

__global__ void overruns(int *out) { out[threadIdx.x] = 1; }

__global__ void __launch_bounds__(64) bounded() {}

__global__ void waits_for_ever(volatile int *flag) {
  while (*flag == 0) {
  }
}

volatile int counted = 0;

void end(const char *way) {
  const auto is = [way](const char *one) { return std::strcmp(way, one) == 0; };
  if (is("abort"))
    std::abort();
  if (is("assert"))
    assert(counted == 1);
  if (is("throw"))
    throw std::runtime_error("nobody catches it");
  if (is("fault"))
    *reinterpret_cast<volatile int *>(uintptr_t{8}) = 1;
  if (is("exit"))
    std::exit(7);
  if (is("quick_exit"))
    std::quick_exit(7);
  if (is("_Exit"))
    std::_Exit(7);
  if (is("beside")) {
    int *flag = nullptr;
    cudaMallocManaged(&flag, sizeof(int));
    *flag = 0;
    std::thread([] {
      usleep(200'000);
      std::_Exit(7);
    }).detach();
    waits_for_ever<<<1, 1>>>(flag);
  }
  if (is("terminated")) {
    raise(SIGTERM);
    for (;;)
      pause();
  }
  if (is("out_of_time")) {
    const rlimit seconds = {1, 9};
    setrlimit(RLIMIT_CPU, &seconds);
    for (;;)
      counted = counted + 1;
  }
  if (is("refused"))
    overruns<<<1, 2000>>>(nullptr);
  if (is("bounded")) {
    bounded<<<1, 65>>>();
    cudaGetLastError();
  }
  if (is("checked")) {
    overruns<<<1, 2000>>>(nullptr);
    cudaGetLastError();
  }
}

} // namespace

int main(int, char **arguments) {
  int *out = nullptr;
  cudaMalloc(&out, 31 * sizeof(int));
  overruns<<<1, 32>>>(out);
  cudaFree(out);
  end(arguments[1]);
}
