// The pages of managed memory: the model of observation/observe.hpp, worked out by hand.
#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <observation/observe.hpp>

namespace {

constexpr int n = 5 * 1024 + 1; // ints in five pages and one
constexpr size_t bytes = n * sizeof(int);
constexpr uint64_t pages = 6;
const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};

__global__ void fill(int *out, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count)
  if (i < count)
    out[i] = value;
}

__global__ void copy(const int *in, int *out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count)
  if (i < count)
    out[i] = in[i];
}

void launch_fill(int *out, int count = n) {
  fill<<<(count + 255) / 256, 256>>>(out, count, 7);
  cudaDeviceSynchronize();
}
void launch_copy(const int *in, int *out) {
  copy<<<(n + 255) / 256, 256>>>(in, out, n);
  cudaDeviceSynchronize();
}

void host_writes(int *memory, int count = n) {
  for (int i = 0; i < count; ++i)
    memory[i] = i;
}
volatile int sum; // what the host has read is used
void host_reads(const int *memory) {
  for (int i = 0; i < n; ++i)
    sum = sum + memory[i];
}

struct Managed {
  int *memory = nullptr;
  Managed() { REQUIRE(cudaMallocManaged(&memory, bytes) == cudaSuccess); }
  ~Managed() { cudaFree(memory); }
  operator int *() const { return memory; }
};
struct WrittenByHost : Managed {
  WrittenByHost() { host_writes(memory); }
};

using emu::PageCounts;

template <class Work> PageCounts counted(Work work) {
  emu::start_observing();
  work();
  return emu::stop_observing().total_pages();
}

} // namespace

TEST_CASE("pages come to whoever touches them, once") {
  Managed m;
  CHECK(counted([&] { host_writes(m); }) == PageCounts{.made_by_host = pages});
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages});
  CHECK_FALSE(counted([&] { launch_fill(m); }).any());
  CHECK(counted([&] { host_reads(m); }) == PageCounts{.host_faults = pages});
  CHECK_FALSE(counted([&] { host_reads(m); }).any());
}

__managed__ int variable[n];

TEST_CASE("so do those of a managed variable, which nobody has to free") {
  CHECK(counted([&] { host_writes(variable); }) == PageCounts{.made_by_host = pages});
  CHECK(counted([&] { launch_fill(variable); }) == PageCounts{.kernel_faults = pages});
  CHECK(counted([&] { host_reads(variable); }) == PageCounts{.host_faults = pages});
  emu::start_observing();
  REQUIRE(cudaMemPrefetchAsync(variable, bytes, host, 0, nullptr) == cudaSuccess);
  CHECK(emu::stop_observing().hazards.empty());
}

TEST_CASE("what is discarded moves nowhere: it is made anew where it is wanted") {
  Managed m;
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  void *memory[] = {m.memory};
  size_t sizes[] = {bytes}, first[] = {0};
  cudaMemLocation where[] = {device};
  host_writes(m);
  PageCounts c = counted([&] {
    cudaMemDiscardAndPrefetchBatchAsync(memory, sizes, 1, where, first, 1, 0, stream);
    cudaStreamSynchronize(stream);
    launch_fill(m);
  });
  CHECK_FALSE(c.any());
  c = counted([&] {
    cudaMemDiscardBatchAsync(memory, sizes, 1, 0, stream);
    cudaStreamSynchronize(stream);
    host_writes(m);
  });
  CHECK(c == PageCounts{.made_by_host = pages});
  cudaStreamDestroy(stream);
}

TEST_CASE("a full device moves out what came first") {
  struct Room {
    explicit Room(size_t pages) { emu::set_device_pages(pages); }
    ~Room() { emu::set_device_pages(0); }
  };
  WrittenByHost m;
  {
    const Room room(pages);
    CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages});
    CHECK_FALSE(counted([&] { launch_fill(m); }).any());
    host_writes(m);
  }
  const Room room(pages - 2); // each page has left when its turn comes again
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages, .moved_out = 2});
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages, .moved_out = pages});
}

TEST_CASE("a kernel makes what nobody has touched, and as much as it touches") {
  Managed m;
  CHECK(counted([&] { launch_fill(m, 1025); }) == PageCounts{.made_by_kernels = 2});
  CHECK(counted([&] { host_writes(m); }) == PageCounts{.host_faults = 2, .made_by_host = 4});
}

TEST_CASE("what the host wrote before anybody looked on lies on the host") {
  WrittenByHost m;
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages});
}

TEST_CASE("prefetches: nobody waits; what is there already does not count") {
  WrittenByHost m;
  const PageCounts c = counted([&] {
    cudaMemPrefetchAsync(m, bytes, host, 0);
    cudaMemPrefetchAsync(m, bytes, device, 0);
    cudaMemPrefetchAsync(m, bytes, device, 0);
    launch_fill(m);
    cudaMemPrefetchAsync(m, bytes, host, 0);
    cudaDeviceSynchronize();
    host_reads(m);
  });
  CHECK(c == PageCounts{.sent_to_device = pages, .sent_to_host = pages});
}

TEST_CASE("a prefetch of a part leaves the rest to faults") {
  WrittenByHost m;
  const PageCounts c = counted([&] {
    cudaMemPrefetchAsync(m, n, device, 0); // elements for bytes
    launch_fill(m);
  });
  CHECK(c == PageCounts{.kernel_faults = pages - 2, .sent_to_device = 2});
}

TEST_CASE("a prefetch that comes after the kernel is too late") {
  WrittenByHost m;
  const PageCounts c = counted([&] {
    launch_fill(m);
    cudaMemPrefetchAsync(m, bytes, device, 0);
  });
  CHECK(c == PageCounts{.kernel_faults = pages});
}

TEST_CASE("read mostly: both have it, until somebody writes") {
  Managed m, out;
  host_writes(m);
  cudaMemAdvise(m, bytes, cudaMemAdviseSetReadMostly, device);
  launch_fill(out);
  PageCounts c = counted([&] {
    launch_copy(m, out);
    host_reads(m);
    launch_copy(m, out);
  });
  CHECK(c == PageCounts{.kernel_faults = pages, .made_by_kernels = pages});
  c = counted([&] {
    host_writes(m, 1); // the device's copy of this page is worth nothing now
    launch_copy(m, out);
  });
  CHECK(c == PageCounts{.kernel_faults = 1});
  CHECK_FALSE(counted([&] { launch_copy(out, m); }).any()); // a kernel writes
  CHECK(counted([&] { host_reads(m); }) == PageCounts{.host_faults = pages});
}

TEST_CASE("read mostly and a prefetch: it is copied, not moved") {
  WrittenByHost m;
  cudaMemAdvise(m, bytes, cudaMemAdviseSetReadMostly, device);
  const PageCounts c = counted([&] {
    cudaMemPrefetchAsync(m, bytes, device, 0);
    host_reads(m);
    cudaMemPrefetchAsync(m, bytes, device, 0);
  });
  CHECK(c == PageCounts{.sent_to_device = pages});
}

TEST_CASE("stays on the host, within the device's reach") {
  Managed m;
  cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, host);
  cudaMemAdvise(m, bytes, cudaMemAdviseSetAccessedBy, device);
  host_writes(m);
  PageCounts c = counted([&] {
    launch_fill(m);
    launch_fill(m);
    host_reads(m);
  });
  CHECK(c == PageCounts{.over_the_link = 2 * pages});
  cudaMemAdvise(m, bytes, cudaMemAdviseUnsetPreferredLocation, host);
  cudaMemAdvise(m, bytes, cudaMemAdviseUnsetAccessedBy, device);
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages});
}

TEST_CASE("preferred location alone: the way is found by faults, once") {
  WrittenByHost m;
  cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, host);
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.kernel_faults = pages});
  CHECK(counted([&] { launch_fill(m); }) == PageCounts{.over_the_link = pages});
}

TEST_CASE("cudaMemset makes pages on the device; a copy leaves them where they are") {
  Managed m, other;
  PageCounts c = counted([&] {
    cudaMemset(m, 0, bytes);
    launch_fill(m);
  });
  CHECK_FALSE(c.any());
  host_writes(other);
  c = counted([&] {
    cudaMemcpy(m, other, bytes, cudaMemcpyDefault);
    launch_fill(m);
  });
  CHECK_FALSE(c.any());
}

TEST_CASE("other memory has no such pages, nor has what was freed") {
  int *plain, *pinned;
  cudaMalloc(&plain, bytes);
  cudaMallocHost(&pinned, bytes);
  Managed m;
  int *gone;
  cudaMallocManaged(&gone, bytes);
  cudaFree(gone);
  const PageCounts c = counted([&] {
    host_writes(pinned);
    launch_copy(pinned, plain);
  });
  CHECK_FALSE(c.any());
  cudaFree(plain);
  cudaFreeHost(pinned);
}

TEST_CASE("parts are counted apart, and reported") {
  Managed m;
  emu::start_observing();
  emu::begin_part("first");
  host_writes(m);
  emu::begin_part("second");
  launch_fill(m);
  emu::begin_part("");
  const emu::Observation seen = emu::stop_observing();
  REQUIRE(seen.pages.size() == 2);
  CHECK(seen.pages[0].part == "first");
  CHECK(seen.pages[0].counts.made_by_host == pages);
  CHECK(seen.pages[1].counts.kernel_faults == pages);
  CHECK(emu::text_report(seen).find("second: 6 faults of kernels") != std::string::npos);
  CHECK(emu::json_report(seen).find("\"kernel_faults\": 6") != std::string::npos);
}
