// Is a number prime? Threads share the divisors out; who finds one tells all others to stop.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace demo_primes {

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Tries the odd divisors from 3 to the root of `number`. found: [0] a divisor, or 0; tried: how
// many divisions it took. The flag is read as an atomic: an ordinary read may stay in a register.
__global__ void
find_divisor(unsigned long long number, unsigned root, unsigned *found, unsigned long long *tried) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned long long mine = 0;
  for (unsigned long long d = 3 + 2ull * (blockIdx.x * blockDim.x + threadIdx.x); d <= root;
       d += 2ull * threads) {
    if (Flag(*found).load(cuda::memory_order_relaxed) != 0)
      break;
    ++mine;
    if (number % d == 0)
      Flag(*found).store(static_cast<unsigned>(d), cuda::memory_order_relaxed);
  }
  atomicAdd(tried, mine);
}

inline void run(lab::Demo &demo) {
  struct Number {
    unsigned long long value;
    bool prime;
  };
  // 10^10 + 19 is prime; 99991 and 99989 are too, 3 divides the last one.
  const Number numbers[] = {
      {10000000019ull, true}, {99991ull * 99989ull, false}, {9999999993ull, false}};
  lab::DeviceBuffer<unsigned> d_found(1);
  lab::DeviceBuffer<unsigned long long> d_tried(1);
  demo.say("%14s %10s %12s\n", "number", "divisor", "divisions");
  for (const Number &number : numbers) {
    unsigned root = 1;
    while (static_cast<unsigned long long>(root + 1) * (root + 1) <= number.value)
      ++root;
    LAB_CHECK(cudaMemset(d_found.data(), 0, sizeof(unsigned)));
    LAB_CHECK(cudaMemset(d_tried.data(), 0, sizeof(unsigned long long)));
    find_divisor<<<8, 128>>>(number.value, root, d_found.data(), d_tried.data());
    LAB_CHECK_LAUNCH();
    const unsigned divisor = d_found.at(0);
    const unsigned long long tried = d_tried.at(0), all = (root - 1) / 2;
    demo.say("%14llu %10s %12llu\n",
             number.value,
             divisor == 0 ? "prime" : std::to_string(divisor).c_str(),
             tried);
    demo.expect((divisor == 0) == number.prime,
                "a prime has no divisor, and nothing else is prime");
    demo.expect(divisor == 0 || number.value % divisor == 0, "what was found divides the number");
    demo.expect(number.prime ? tried == all : tried <= all, "a prime takes all divisions");
  }
}

} // namespace demo_primes
