// A handler of signals may interrupt a thread that holds a lock: it must ask for none, nor for memory.
#include <csignal>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <new>
#include <thread>

#include "deep_stack.cuh"

namespace {

std::atomic<int> asked_by_handlers{0};

void note() {
  stack_t stack;
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0)
    ++asked_by_handlers;
}

__global__ void follows(int *pointer, int by) { *pointer = 100 / by; }

void on_user_signal(int) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  delete new int;
}

} // namespace

// These are the program's own, the library's calls included.
#define NOTES_LOCK(name, type) \
  extern "C" int name(type *lock) noexcept { \
    static const auto next = reinterpret_cast<int (*)(type *)>(dlsym(RTLD_NEXT, #name)); \
    note(); \
    return next(lock); \
  }
NOTES_LOCK(pthread_mutex_lock, pthread_mutex_t)
NOTES_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
NOTES_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)

void *operator new(size_t bytes) {
  note();
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

thread_local sigjmp_buf back;

__global__ void waits(volatile int *started, const volatile int *end) {
  *started = 1;
  while (*end == 0) {
  }
}

} // namespace

TEST_CASE("a fault of the host's own goes to the program's handler, also while a kernel runs") {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { siglongjmp(back, 1); };
  REQUIRE(sigaction(SIGSEGV, &action, &before) == 0);
  volatile int started = 0, end = 0;
  bool came_back = false;
  std::thread other([&] {
    while (started == 0)
      std::this_thread::yield();
    if (sigsetjmp(back, 1) == 0)
      *reinterpret_cast<volatile int *>(uintptr_t{8}) = 1;
    else
      came_back = true;
    end = 1;
  });
  waits<<<1, 1>>>(&started, &end);
  other.join();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(came_back);
  sigaction(SIGSEGV, &before, nullptr);
}

TEST_CASE("a kernel's fault takes neither a lock nor memory while its signal is handled") {
  int *fine = nullptr;
  REQUIRE(cudaMalloc(&fine, sizeof *fine) == cudaSuccess);
  const auto ends_with = [](cudaError_t error) {
    CHECK(cudaDeviceSynchronize() == error);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(asked_by_handlers == 0);
  };
  follows<<<1, 1>>>(fine, 0);
  ends_with(cudaErrorLaunchFailure);
  follows<<<1, 1>>>(nullptr, 1);
  ends_with(cudaErrorIllegalAddress);
  REQUIRE(cudaMalloc(&fine, sizeof *fine) == cudaSuccess);
  follows<<<4, 32>>>(fine + 16000, 1);
  ends_with(cudaErrorIllegalAddress);
  REQUIRE(cudaMalloc(&fine, sizeof *fine) == cudaSuccess);
  digs_deep<<<1, 1>>>(fine, 100'000);
  ends_with(cudaErrorIllegalAddress);

  SUBCASE("and a handler that takes them is seen") {
    struct sigaction action {
    }, before{};
    action.sa_handler = on_user_signal;
    action.sa_flags = SA_ONSTACK;
    REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    CHECK(asked_by_handlers.exchange(0) == 2);
  }
}
