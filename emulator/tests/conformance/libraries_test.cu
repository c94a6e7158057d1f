// The parts of CUB and Thrust that the emulator has: their results, as the toolkit's own libraries give them.
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <vector>

#include "conformance.cuh"

namespace {

using conformance::DeviceArray;

// Asks how much memory an algorithm wants, and calls it with that.
template <class Algorithm> void with_storage(const Algorithm &algorithm) {
  size_t bytes = 0;
  REQUIRE(algorithm(nullptr, bytes) == cudaSuccess);
  REQUIRE(bytes > 0);
  void *storage = nullptr;
  REQUIRE(cudaMalloc(&storage, bytes) == cudaSuccess);
  REQUIRE(algorithm(storage, bytes) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(storage);
}

struct IsEven {
  __host__ __device__ bool operator()(int a) const { return a % 2 == 0; }
};
struct AddTo {
  int *sum;
  __device__ void operator()(int a) const { atomicAdd(sum, a); }
};

const std::vector<int> numbers = {5, -3, 8, 8, 0, 2, 7, -3};
const int n = static_cast<int>(numbers.size());

TEST_CASE("CUB reduces and scans") {
  const DeviceArray<int> in(numbers), out(numbers.size());
  with_storage(
      [&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in.data(), out.data(), n); });
  CHECK(out.to_host()[0] == 24);
  with_storage(
      [&](void *s, size_t &b) { return cub::DeviceReduce::Max(s, b, in.data(), out.data(), n); });
  CHECK(out.to_host()[0] == 8);
  with_storage(
      [&](void *s, size_t &b) { return cub::DeviceReduce::Min(s, b, in.data(), out.data(), n); });
  CHECK(out.to_host()[0] == -3);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceScan::InclusiveSum(s, b, in.data(), out.data(), n);
  });
  CHECK(out.to_host() == std::vector<int>{5, 2, 10, 18, 18, 20, 27, 24});
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceScan::ExclusiveSum(s, b, in.data(), out.data(), n);
  });
  CHECK(out.to_host() == std::vector<int>{0, 5, 2, 10, 18, 18, 20, 27});
}

TEST_CASE("CUB sorts: numbers with signs, floats, pairs, some bits") {
  const DeviceArray<int> in(numbers), out(numbers.size());
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceRadixSort::SortKeys(s, b, in.data(), out.data(), n);
  });
  CHECK(out.to_host() == std::vector<int>{-3, -3, 0, 2, 5, 7, 8, 8});
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceRadixSort::SortKeysDescending(s, b, in.data(), out.data(), n);
  });
  CHECK(out.to_host() == std::vector<int>{8, 8, 7, 5, 2, 0, -3, -3});
  const DeviceArray<float> floats(std::vector<float>{1.5f, -2.0f, 0.0f, -0.5f}), sorted(4);
  const DeviceArray<int> values(std::vector<int>{0, 1, 2, 3}), moved(4);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceRadixSort::SortPairs(
        s, b, floats.data(), sorted.data(), values.data(), moved.data(), 4);
  });
  CHECK(sorted.to_host() == std::vector<float>{-2.0f, -0.5f, 0.0f, 1.5f});
  CHECK(moved.to_host() == std::vector<int>{1, 3, 2, 0});
  const DeviceArray<unsigned> bits(std::vector<unsigned>{0x21, 0x13, 0x32, 0x11}), by_digit(4);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceRadixSort::SortKeys(s, b, bits.data(), by_digit.data(), 4, 0, 4);
  });
  CHECK(by_digit.to_host() == std::vector<unsigned>{0x21, 0x11, 0x32, 0x13});
}

TEST_CASE("CUB knows the 16-bit floating-point types") {
  const DeviceArray<__nv_bfloat16> in({-2, -0.5f, -3, -1}), out(4);
  with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceReduce::Max(storage, bytes, in.data(), out.data(), 4);
  });
  CHECK(out.to_host()[0] == __nv_bfloat16(-0.5f));
  with_storage([&](void *storage, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, in.data(), out.data(), 4);
  });
  CHECK(out.to_host() == std::vector<__nv_bfloat16>{-3, -2, -1, -0.5f});
}

TEST_CASE("CUB selects and counts") {
  const DeviceArray<int> in(numbers), out(numbers.size()), count(1);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceSelect::If(s, b, in.data(), out.data(), count.data(), n, IsEven());
  });
  CHECK(count.to_host()[0] == 4);
  CHECK(out.to_host()[0] == 8);
  CHECK(out.to_host()[3] == 2);
  const DeviceArray<char> flags(std::vector<char>{1, 0, 0, 0, 0, 0, 1, 0});
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceSelect::Flagged(s, b, in.data(), flags.data(), out.data(), count.data(), n);
  });
  CHECK(count.to_host()[0] == 2);
  CHECK(out.to_host()[1] == 7);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceSelect::Unique(s, b, in.data(), out.data(), count.data(), n);
  });
  CHECK(count.to_host()[0] == 7);
  const DeviceArray<int> bins(3);
  with_storage([&](void *s, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(s, b, in.data(), bins.data(), 4, 0, 9, n);
  });
  CHECK(bins.to_host() == std::vector<int>{2, 1, 3});
}

__global__ void block_sums(const int *in, int *sums, int *prefixes) {
  using Reduce = cub::BlockReduce<int, 64>;
  using Scan = cub::BlockScan<int, 64>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } s_memory;
  const int i = static_cast<int>(blockIdx.x * 64 + threadIdx.x);
  const int sum = Reduce(s_memory.reduce).Sum(in[i]);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(s_memory.scan).ExclusiveSum(in[i], prefixes[i]);
}

TEST_CASE("CUB's collectives of a block") {
  std::vector<int> values(128), expected(128);
  for (size_t i = 0; i < 128; ++i)
    values[i] = static_cast<int>(i * i % 17);
  for (size_t i = 0; i < 128; ++i)
    expected[i] = i % 64 == 0 ? 0 : expected[i - 1] + values[i - 1];
  const DeviceArray<int> in(values), sums(2), prefixes(128);
  block_sums<<<2, 64>>>(in.data(), sums.data(), prefixes.data());
  CHECK(prefixes.to_host() == expected);
  CHECK(sums.to_host()[1] == expected[127] + values[127]);
}

// What warps come to is put together, of any type: here the largest number and the last place that has it.
struct Largest {
  int number;
  char place;
};
struct LaterOfEqual {
  __device__ Largest operator()(const Largest &a, const Largest &b) const {
    return b.number < a.number ? a : b;
  }
};
__global__ void ragged_block(const int *in, int count, Largest *out) {
  using Reduce = cub::BlockReduce<Largest, 80>;
  using Scan = cub::BlockScan<Largest, 80>;
  __shared__ typename Reduce::TempStorage s_reduce;
  __shared__ typename Scan::TempStorage s_scan;
  const int tid = static_cast<int>(threadIdx.x);
  const Largest mine{in[tid], static_cast<char>(tid)};
  const Largest largest = Reduce(s_reduce).Reduce(mine, LaterOfEqual{}, count);
  if (tid == 0)
    out[80] = largest;
  Largest total;
  Scan(s_scan).InclusiveScan(mine, out[tid], LaterOfEqual{}, total);
  if (tid == 79)
    out[81] = total;
}

TEST_CASE("CUB's collectives of a block whose last warp is not full") {
  std::vector<int> values(80);
  for (size_t i = 0; i < 80; ++i)
    values[i] = static_cast<int>(i * 29 % 71);
  const DeviceArray<int> in(values);
  for (int count : {1, 31, 32, 33, 70, 80}) {
    CAPTURE(count);
    const DeviceArray<Largest> out(82);
    ragged_block<<<1, 80>>>(in.data(), count, out.data());
    const std::vector<Largest> found = out.to_host();
    Largest best{-1, 0};
    for (int i = 0; i < 80; ++i) {
      if (values[static_cast<size_t>(i)] >= best.number)
        best = {values[static_cast<size_t>(i)], static_cast<char>(i)};
      CHECK(found[static_cast<size_t>(i)].place == best.place);
      if (i + 1 == count)
        CHECK(found[80].place == best.place);
    }
    CHECK(found[81].place == best.place);
  }
}

// Items of 64 threads, four each.
__global__ void block_moves(const int *in, int *scanned, int *sorted, int *heads) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 64>;
  using Exchange = cub::BlockExchange<int, 64, 4>;
  using Sort = cub::BlockRadixSort<int, 64, 4>;
  using Flags = cub::BlockDiscontinuity<int, 64>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Exchange::TempStorage exchange;
    typename Sort::TempStorage sort;
    typename Flags::TempStorage flags;
  } s_memory;
  int items[4], sums[4], flags[4], total;
  Load(s_memory.load).Load(in, items);
  __syncthreads();
  Scan(s_memory.scan).ExclusiveSum(items, sums, total);
  __syncthreads();
  Store(s_memory.store).Store(scanned, sums);
  if (threadIdx.x == 0)
    scanned[256] = total;
  __syncthreads();
  Exchange(s_memory.exchange).BlockedToStriped(items);
  __syncthreads();
  Exchange(s_memory.exchange).StripedToBlocked(items);
  __syncthreads();
  Sort(s_memory.sort).Sort(items);
  __syncthreads();
  Flags(s_memory.flags).FlagHeads(flags, items, cub::Inequality());
  __syncthreads();
  Store(s_memory.store).Store(sorted, items); // which trades them in place
  __syncthreads();
  Store(s_memory.store).Store(heads, flags);
}

TEST_CASE("CUB's moves and sorts within a block") {
  std::vector<int> values(256), expected(257);
  for (size_t i = 0; i < 256; ++i) {
    values[i] = static_cast<int>(i * 37 % 101) - 50;
    expected[i + 1] = expected[i] + values[i];
  }
  const DeviceArray<int> in(values), scanned(257), sorted(256), heads(256);
  block_moves<<<1, 64>>>(in.data(), scanned.data(), sorted.data(), heads.data());
  CHECK(scanned.to_host() == expected);
  std::sort(values.begin(), values.end());
  CHECK(sorted.to_host() == values);
  const std::vector<int> flags = heads.to_host();
  CHECK(std::count(flags.begin(), flags.end(), 1) == 101);
}

TEST_CASE("Thrust: vectors, pointers, algorithms") {
  const thrust::host_vector<int> h(numbers.begin(), numbers.end());
  thrust::device_vector<int> d = h;
  CHECK(thrust::reduce(d.begin(), d.end()) == 24);
  CHECK(thrust::reduce(thrust::device, d.begin(), d.end(), -100, thrust::maximum<int>()) == 8);
  thrust::sort(d.begin(), d.end());
  CHECK(d[0] == -3);
  CHECK(d.back() == 8);
  thrust::sort(d.begin(), d.end(), thrust::greater<int>());
  CHECK(d[0] == 8);
  thrust::device_vector<int> sums(d.size());
  thrust::inclusive_scan(d.begin(), d.end(), sums.begin());
  CHECK(sums[7] == 24);
  thrust::exclusive_scan(d.begin(), d.end(), sums.begin());
  CHECK(sums[1] == 8);
  thrust::transform(d.begin(), d.end(), sums.begin(), thrust::negate<int>());
  CHECK(sums[0] == -8);
  thrust::transform(d.begin(), d.end(), sums.begin(), sums.begin(), thrust::plus<int>());
  CHECK(thrust::reduce(sums.begin(), sums.end()) == 0);

  thrust::device_vector<int> total(1);
  thrust::for_each(d.begin(), d.end(), AddTo{thrust::raw_pointer_cast(total.data())});
  CHECK(total[0] == 24);

  const DeviceArray<int> raw(numbers);
  const thrust::device_ptr<int> first = thrust::device_pointer_cast(raw.data());
  thrust::sort(first, first + n);
  CHECK(raw.to_host()[2] == 0);
  thrust::sort(thrust::device, raw.data(), raw.data() + n, thrust::greater<int>());
  CHECK(raw.to_host()[0] == 8);
  const thrust::host_vector<int> back = d;
  CHECK(back[7] == -3);
}

struct Product {
  __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const {
    return thrust::get<0>(t) * thrust::get<1>(t);
  }
};

TEST_CASE("Thrust: iterators that compute, keys, searches, selections") {
  thrust::device_vector<int> d(numbers.begin(), numbers.end()), places(8), out(8), sums(8);
  thrust::transform(thrust::make_counting_iterator(0),
                    thrust::make_counting_iterator(8),
                    places.begin(),
                    thrust::negate<int>());
  CHECK(places[7] == -7);
  const auto both = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), places.begin()));
  CHECK(thrust::transform_reduce(both, both + n, Product(), 0, thrust::plus<int>()) == -68);
  CHECK(thrust::inner_product(d.begin(), d.end(), places.begin(), 0) == -68);
  const auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), IsEven());
  CHECK(thrust::distance(out.begin(), end) == 4);
  thrust::sort_by_key(d.begin(), d.end(), places.begin());
  CHECK(places[1] == -7);
  const auto ends = thrust::reduce_by_key(
      d.begin(), d.end(), thrust::make_constant_iterator(1), out.begin(), sums.begin());
  CHECK(ends.first - out.begin() == 6);
  CHECK(sums[5] == 2);
  CHECK(thrust::lower_bound(d.begin(), d.end(), 5) - d.begin() == 4);
  CHECK(*thrust::max_element(d.begin(), d.end()) == 8);
  CHECK(thrust::find(d.begin(), d.end(), 7) - d.begin() == 5);
  thrust::sequence(places.begin(), places.end(), 7, -1);
  thrust::gather(places.begin(), places.end(), d.begin(), out.begin());
  CHECK(out[0] == 8);
  d.erase(thrust::unique(d.begin(), d.end()), d.end());
  CHECK(d.size() == 6);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), places.begin()));
  thrust::reverse(pairs, pairs + 6);
  CHECK(d[0] == 8);
  CHECK(places[0] == 2);
  thrust::default_random_engine engine;
  CHECK(engine() == 48271);
}

} // namespace
