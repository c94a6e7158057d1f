// How the emulator runs a block, in a hundred lines: threads are fibers on one host thread, and a
// barrier is a place where a fiber lets the next one run.
//
// A fiber is a stack and the registers of whoever runs on it. Leaving one fiber for another saves the
// registers of the first and restores those of the second; a function that is left in this way goes
// on later as if nothing had happened. Here the C library's swapcontext() does that. The emulator
// has a few instructions of its own for it, many times as fast (include/emu/engine/fiber.hpp), and starts fibers
// only when a thread has to wait: until then, threads are the rounds of a loop.
#include <cstdio>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace {

// What a kernel sees. The emulator's indices are plain variables too, set at each turn.
int threadIdx_x, blockDim_x;

enum class State { ready, at_barrier, exited };

struct Fiber {
  ucontext_t registers{};
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(64 << 10);
  State state = State::ready;
};

class Block {
public:
  void run(int threads, void (*kernel)());
  void barrier();

private:
  static void fiber_main();
  void give_turn_to(int thread);

  std::vector<Fiber> fibers_;
  ucontext_t scheduler_{};
  void (*kernel_)() = nullptr;
  int running_ = 0;
};

Block block; // blocks are independent: the emulator runs as many at once as the CPU has cores

// The first function on every stack.
void Block::fiber_main() {
  block.kernel_();
  block.fibers_[block.running_].state = State::exited;
} // uc_link leads back to the scheduler

void Block::run(int threads, void (*kernel)()) {
  kernel_ = kernel;
  blockDim_x = threads;
  fibers_ = std::vector<Fiber>(threads);
  for (Fiber &fiber : fibers_) {
    getcontext(&fiber.registers);
    fiber.registers.uc_stack.ss_sp = fiber.stack.get();
    fiber.registers.uc_stack.ss_size = 64 << 10;
    fiber.registers.uc_link = &scheduler_;
    makecontext(&fiber.registers, fiber_main, 0);
  }
  for (bool anybody = true; anybody;) {
    anybody = false;
    for (int thread = 0; thread < threads; ++thread)
      if (fibers_[thread].state == State::ready)
        give_turn_to(thread);
    // Nobody is ready any more: all wait at the barrier, or have exited. Who waits may go on.
    for (Fiber &fiber : fibers_)
      if (fiber.state == State::at_barrier) {
        fiber.state = State::ready;
        anybody = true;
      }
  }
}

void Block::give_turn_to(int thread) {
  running_ = threadIdx_x = thread;
  swapcontext(&scheduler_, &fibers_[thread].registers); // comes back when the thread waits or exits
}

void Block::barrier() {
  const int me = running_;
  fibers_[me].state = State::at_barrier;
  swapcontext(&fibers_[me].registers, &scheduler_); // comes back when all have come here
}

void __syncthreads() { block.barrier(); }

// ------------------------------------------------------------------------------------ two kernels

int s_data[4]; // __shared__: one copy for each block

void reverse() {
  s_data[threadIdx_x] = threadIdx_x + 1;
  std::printf("  thread %d has written\n", threadIdx_x);
  __syncthreads();
  std::printf("  thread %d reads %d\n", threadIdx_x, s_data[blockDim_x - 1 - threadIdx_x]);
}

void reverse_without_barrier() {
  s_data[threadIdx_x] = threadIdx_x + 1;
  std::printf("  thread %d reads %d\n", threadIdx_x, s_data[blockDim_x - 1 - threadIdx_x]);
}

} // namespace

int main() {
  std::printf("with a barrier, everybody has written before anybody reads:\n");
  block.run(4, reverse);
  for (int &value : s_data)
    value = 0;
  std::printf("without it, the first ones read what is not there yet:\n");
  block.run(4, reverse_without_barrier);
}
