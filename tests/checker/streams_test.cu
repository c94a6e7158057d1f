// What checker/streams.hpp says of a few tasks, worked out by hand.
#include "checker/streams.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

constexpr int n = 25000; // ints
constexpr double copy_us = n * 4 / 1e3; // at 1 GB/s
constexpr std::size_t bytes = n * sizeof(int);

__global__ void twice(int *values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    values[i] *= 2;
}

struct Fixture {
  lab::PinnedBuffer<int> there{n}, back{n};
  lab::DeviceBuffer<int> first{n}, second{n};
  cudaStream_t a = nullptr, b = nullptr;
  checker::HostMark mark;

  Fixture() {
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    std::fill(there.begin(), there.end(), 1);
    lab::poison(first);
    lab::poison(second);
  }
  ~Fixture() {
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }
  void copy_there(cudaStream_t stream) {
    cudaMemcpyAsync(first.data(), there.data(), bytes, cudaMemcpyHostToDevice, stream);
  }
  void copy_back(cudaStream_t stream) {
    cudaMemcpyAsync(back.data(), second.data(), bytes, cudaMemcpyDeviceToHost, stream);
  }
  template <class Work> emu::Timeline times(Work &&work, double submit_us = 0) {
    const auto seen = lab::observe(work);
    REQUIRE(seen);
    CHECK_FALSE(seen->has_errors());
    const auto timeline = checker::timeline(checker::plain_model(30, submit_us));
    REQUIRE(timeline);
    return *timeline;
  }
};

} // namespace

TEST_CASE("a host that does not wait is done at once, one that waits when its task is") {
  Fixture f;
  auto times = f.times([&] {
    f.copy_there(f.a);
    f.mark.here();
  });
  CHECK(times.total_us == doctest::Approx(copy_us));
  CHECK(f.mark.us(times) == 0.0);
  times = f.times([&] {
    f.copy_there(f.a);
    cudaStreamSynchronize(f.a);
    f.mark.here();
  });
  CHECK(f.mark.us(times) == doctest::Approx(copy_us));
  times = f.times([&] { f.copy_there(f.a); });
  CHECK(f.mark.us(times) < 0);
}

TEST_CASE("every call that submits something has its price, the mark too") {
  Fixture f;
  const auto times = f.times(
      [&] {
        for (int i = 0; i < 5; ++i)
          twice<<<(n + 255) / 256, 256, 0, f.a>>>(f.first.data());
        f.mark.here();
      },
      1000);
  CHECK(f.mark.us(times) == doctest::Approx(6000));
}

TEST_CASE("what runs at the same time") {
  Fixture f;
  CHECK(checker::most_at_once(f.times([&] {
          f.copy_there(f.a);
          twice<<<(n + 255) / 256, 256, 0, f.a>>>(f.first.data());
          f.mark.here();
        })) == 1);
  CHECK(checker::most_at_once(f.times([&] {
          f.copy_there(f.a);
          f.copy_back(f.b);
          f.mark.here();
        })) == 2);
}

TEST_CASE("a stream that is late on a GPU is in time here") {
  Fixture f;
  const auto times = f.times([&] {
    checker::LateStreams late({{f.a, 200}});
    f.copy_there(f.a);
    f.mark.here();
    CHECK(late.let_go());
  });
  CHECK(f.mark.us(times) == 0.0);
}
