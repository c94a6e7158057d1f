// Accesses to memory that is not there, not the kernel's, not aligned, not written or not freed.
#include "hazards.hpp"

#include <observation/host_memory.hpp>

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

namespace {

/// Device memory of some other size than the common buffers.
template <class T> class Buffer {
public:
  explicit Buffer(size_t count) {
    cudaMalloc(&data_, count * sizeof(T));
    cudaMemset(data_, 0, count * sizeof(T));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *get() const { return data_; }

private:
  T *data_ = nullptr;
};

// ---------------------------------------------------------------------------------- out of bounds

__global__ void no_guard_kernel(int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i; // here
}
HAZARD(missing_tail_guard, out_of_bounds) {
  const Buffer<int> buffer(100);
  no_guard_kernel<<<4, 32>>>(buffer.get());
}

__global__ void before_the_start_kernel(const int *in, int *out) {
  const int i = threadIdx.x;
  out[i] = in[i - 1]; // here
}
HAZARD(before_the_start, out_of_bounds) {
  const Buffer<int> buffer(32);
  before_the_start_kernel<<<1, 32>>>(buffer.get(), m.out);
}

// Farther than any red zone reaches: bytes were taken for elements.
__global__ void bytes_for_elements_kernel(const int *in, int *out, unsigned i) {
  out[threadIdx.x] = in[i * sizeof(int) + threadIdx.x]; // here
}
HAZARD(bytes_for_elements, out_of_bounds) {
  bytes_for_elements_kernel<<<1, 1>>>(m.in, m.out, hazards::elements / 3);
}

__global__ void wild_index_kernel(int *out, long i) {
  out[i] = 1; // here
}
HAZARD(wild_index, out_of_bounds) { wild_index_kernel<<<1, 1>>>(m.out, 1L << 40); }

__global__ void vector_over_the_end_kernel(const float4 *in, float4 *out) {
  out[threadIdx.x] = in[threadIdx.x]; // here
}
HAZARD(vector_over_the_end, out_of_bounds) {
  const Buffer<float> buffer(126);
  vector_over_the_end_kernel<<<1, 32>>>(reinterpret_cast<const float4 *>(buffer.get()),
                                        reinterpret_cast<float4 *>(m.out));
}

__global__ void vector_past_the_last_kernel(const float *in, float4 *out) {
  out[threadIdx.x] = reinterpret_cast<const float4 *>(in)[threadIdx.x]; // here
}
HAZARD(vector_past_the_last, out_of_bounds) {
  const Buffer<float> buffer(102);
  vector_past_the_last_kernel<<<1, 26>>>(buffer.get(), reinterpret_cast<float4 *>(m.out));
}

__global__ void bytes_over_the_end_kernel(char *out) {
  out[threadIdx.x] = 1; // here
}
HAZARD(byte_over_the_end, out_of_bounds) {
  const Buffer<char> buffer(101);
  bytes_over_the_end_kernel<<<1, 102>>>(buffer.get());
}

__global__ void atomic_outside_kernel(int *bins) {
  atomicAdd(bins + threadIdx.x, 1); // here
}
HAZARD(atomic_outside, out_of_bounds) {
  const Buffer<int> buffer(16);
  atomic_outside_kernel<<<1, 17>>>(buffer.get());
}

__global__ void memcpy_outside_kernel(int *out, const int *in) {
  memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, 16); // here
}
HAZARD(memcpy_outside, out_of_bounds) {
  const Buffer<int> buffer(30);
  memcpy_outside_kernel<<<1, 8>>>(buffer.get(), m.in);
}

__global__ void null_kernel(int *out) {
  out[threadIdx.x] = 1; // here
}
HAZARD(null_pointer, out_of_bounds) { null_kernel<<<1, 32>>>(nullptr); }

__global__ void shared_overrun_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
  out[tid] = s_data[tid + 1]; // here
}
HAZARD(shared_overrun, out_of_bounds) { shared_overrun_kernel<<<1, 64>>>(m.out); }

// In the row before the first of the tile.
__global__ void tile_underrun_kernel(int *out) {
  __shared__ int s_tile[8][8];
  const int row = threadIdx.x / 8, col = threadIdx.x % 8;
  s_tile[row][col] = row;
  __syncthreads();
  out[threadIdx.x] = *(&s_tile[0][0] + (row - 1) * 8 + col); // here
}
HAZARD(tile_underrun, out_of_bounds) { tile_underrun_kernel<<<1, 64>>>(m.out); }

// The launch forgot that one element more is needed.
__global__ void dynamic_overrun_kernel(int *out) {
  extern __shared__ int s_dynamic[];
  s_dynamic[threadIdx.x] = threadIdx.x; // here
  out[threadIdx.x] = s_dynamic[threadIdx.x]; // here
}
HAZARD(dynamic_overrun, out_of_bounds) {
  dynamic_overrun_kernel<<<1, 32, 31 * sizeof(int)>>>(m.out);
}

// There is a test, and it counts something else.
__global__ void test_of_something_else_kernel(const int *bias, int n, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = bias[i / 8]; // here
}
HAZARD(test_of_something_else, out_of_bounds) {
  const Buffer<int> buffer(2);
  test_of_something_else_kernel<<<1, 32>>>(buffer.get(), 32, m.out);
}

__global__ void test_behind_the_access_kernel(const int *in, int n, int *out) {
  const int i = threadIdx.x;
  out[i] = in[i]; // here
  if (i < n)
    out[i] += i;
}
HAZARD(test_behind_the_access, out_of_bounds) {
  const Buffer<int> buffer(32);
  test_behind_the_access_kernel<<<1, 64>>>(buffer.get(), 32, m.out);
}

// What stands in front of the ? is not behind its test.
__global__ void test_of_what_is_loaded_alone_kernel(const int *in, int n, int *out) {
  const int i = threadIdx.x;
  out[i] = i < n ? in[i] : 0; // here
}
HAZARD(test_of_what_is_loaded_alone, out_of_bounds) {
  const Buffer<int> buffer(20);
  test_of_what_is_loaded_alone_kernel<<<1, 32>>>(m.in, 20, buffer.get());
}

// The test limits what is subtracted, and not this end.
__global__ void begins_past_the_last_kernel(const int *in, int n, int *out) {
  const int i = threadIdx.x;
  if (i < n)
    out[i] = in[n - (i + 0)]; // here
}
HAZARD(begins_past_the_last, out_of_bounds) {
  const Buffer<int> buffer(30);
  begins_past_the_last_kernel<<<1, 32>>>(buffer.get(), 30, m.out);
}

__global__ void returns_too_late_kernel(const int *in, int n, int *out) {
  const int i = threadIdx.x;
  if (i > n)
    return;
  out[i] = in[i]; // here
}
HAZARD(returns_too_late, out_of_bounds) {
  const Buffer<int> buffer(30);
  returns_too_late_kernel<<<1, 32>>>(buffer.get(), 30, m.out);
}

// The loop counts the rows of a tile, and where the matrix ends nobody asks.
__global__ void rows_of_a_tile_kernel(const int *in, int row0, int cols, int *out) {
  for (int row = 0; row < 4; ++row)
    out[row * 8 + threadIdx.x] = in[(row0 + row) * cols + threadIdx.x]; // here
}
HAZARD(rows_of_a_tile, out_of_bounds) {
  const Buffer<int> buffer(56);
  rows_of_a_tile_kernel<<<1, 8>>>(buffer.get(), 4, 8, m.out);
}

// Of no array that the kernel was given, though they lie nearby: none has a name in the line that is read there.
__global__ void wild_index_in_shared_kernel(const char *in, unsigned far, int *out) {
  extern __shared__ char s_near[];
  s_near[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s_near[far]; // here
}
HAZARD(wild_index_in_shared, out_of_bounds) {
  wild_index_in_shared_kernel<<<1, 32, 32>>>(
      reinterpret_cast<const char *>(m.in), 0x80000000u, m.out);
}

HAZARD(below_zero_in_shared, out_of_bounds) {
  wild_index_in_shared_kernel<<<1, 32, 32>>>(reinterpret_cast<const char *>(m.in), ~0u, m.out);
}

// ---------------------------------------------------------------------------- freed, misaligned

__global__ void use_kernel(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x]; // here
}
HAZARD(use_after_free, use_after_free) {
  const int *freed;
  {
    const Buffer<int> buffer(64);
    freed = buffer.get();
  }
  use_kernel<<<1, 32>>>(freed, m.out);
}
HAZARD(freed_ahead_of_the_kernel, use_after_free) {
  int *scratch;
  cudaMallocAsync(&scratch, 128, nullptr);
  cudaFreeAsync(scratch, nullptr);
  use_kernel<<<1, 32>>>(scratch, m.out);
}

int sum_of(const int *memory) {
  return memory[0] + memory[1]; // here
}
HAZARD(freed_memory_of_the_host, use_after_free) {
  int *pinned, *managed;
  cudaMallocHost(&pinned, 2 * sizeof(int));
  cudaMallocManaged(&managed, 2 * sizeof(int));
  cudaFreeHost(pinned);
  cudaFree(managed);
  const int sum = sum_of(pinned) + sum_of(managed);
  cudaMemcpy(m.out, &sum, sizeof sum, cudaMemcpyHostToDevice);
}

HAZARD(copies_of_freed_memory, use_after_free) {
  int *scratch;
  cudaMallocAsync(&scratch, 64, nullptr);
  cudaFreeAsync(scratch, nullptr);
  cudaMemcpyAsync(m.out, scratch, 64, cudaMemcpyDeviceToDevice); // here
  cudaMemset(scratch, 0, 64); // here
}

HAZARD(copies_over_the_end, out_of_bounds) {
  const Buffer<int> small(15);
  cudaMemcpy(small.get(), m.in, 64, cudaMemcpyDeviceToDevice); // here
  cudaMemset(small.get(), 0, 64); // here
}

HAZARD(copies_over_the_end_of_the_host, out_of_bounds) {
  int numbers[16] = {};
  const emu::HostMemory half(numbers, 32);
  cudaMemcpy(numbers, m.in, 64, cudaMemcpyDeviceToHost); // here
  cudaMemcpy(m.out, numbers + 4, 20, cudaMemcpyHostToDevice); // here
  cudaMemcpy(numbers, m.in, 32, cudaMemcpyDeviceToHost);
  cudaMemcpy(m.out, numbers + 8, 32, cudaMemcpyHostToDevice); // behind it
}

// Memory that the kernel takes itself.
__global__ void own_memory_kernel(int *out) {
  __shared__ int *s_numbers;
  if (threadIdx.x == 0)
    s_numbers = static_cast<int *>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  s_numbers[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    free(s_numbers);
  __syncthreads();
  out[threadIdx.x] = s_numbers[threadIdx.x]; // here
}
HAZARD(own_memory_freed_too_early, use_after_free) { own_memory_kernel<<<1, 32>>>(m.out); }

__global__ void over_own_memory_kernel(int *out) {
  int *numbers = new int[7];
  for (int i = 0; i <= 7; ++i)
    numbers[i] = i; // here
  out[threadIdx.x] = numbers[threadIdx.x % 7];
  delete[] numbers;
}
HAZARD(over_the_end_of_own_memory, out_of_bounds) { over_own_memory_kernel<<<1, 4>>>(m.out); }

#ifndef __clang__ // which copies structures with memcpy: their alignment is lost
__global__ void odd_vector_kernel(const int *in, int4 *out) {
  out[threadIdx.x] = *reinterpret_cast<const int4 *>(in + 1 + 4 * threadIdx.x); // here
}
HAZARD(odd_vector, misaligned) {
  odd_vector_kernel<<<1, 32>>>(m.in, reinterpret_cast<int4 *>(m.out));
}

// 8 bytes off: a structure that is aligned to 8 might lie there, but no int4.
__global__ void half_a_vector_kernel(const int4 *in, int *out) {
  *reinterpret_cast<int4 *>(out + 2 + 4 * threadIdx.x) = in[threadIdx.x]; // here
}
HAZARD(half_a_vector, misaligned) {
  half_a_vector_kernel<<<1, 32>>>(reinterpret_cast<const int4 *>(m.in), m.out);
}

__device__ __noinline__ int sum_of(int4 v) { return v.x + v.y + v.z + v.w; }
__global__ void odd_argument_kernel(const int *in, int *out) {
  out[threadIdx.x] = sum_of(*reinterpret_cast<const int4 *>(in + 2 * threadIdx.x)); // here
}
HAZARD(odd_argument, misaligned) { odd_argument_kernel<<<1, 32>>>(m.in, m.out); }
#endif

// One member of a vector is an access of its own.
__global__ void member_of_a_vector_kernel(const int *in, int *out) {
  out[threadIdx.x] = reinterpret_cast<const int4 *>(in + 2 * threadIdx.x)->y;
}
CORRECT(member_of_a_vector) { member_of_a_vector_kernel<<<1, 32>>>(m.in, m.out); }

__global__ void odd_double_kernel(const float *in, double *out) {
  out[threadIdx.x] = *reinterpret_cast<const double *>(in + 2 * threadIdx.x + 1); // here
}
HAZARD(odd_double, misaligned) {
  odd_double_kernel<<<1, 32>>>(reinterpret_cast<const float *>(m.in),
                               reinterpret_cast<double *>(m.out));
}

__global__ void odd_int_kernel(const char *in, int *out) {
  out[threadIdx.x] = *reinterpret_cast<const int *>(in + 5 * threadIdx.x); // here
}
HAZARD(odd_int, misaligned) {
  odd_int_kernel<<<1, 32>>>(reinterpret_cast<const char *>(m.in), m.out);
}

__global__ void words_behind_bytes_kernel() {
  extern __shared__ char s_bytes[];
  reinterpret_cast<int *>(s_bytes + 5)[threadIdx.x] = 1; // here
}
// One thread: it comes first in drawn orders, too.
HAZARD(words_behind_bytes, misaligned) { words_behind_bytes_kernel<<<1, 1, 9>>>(); }

// ---------------------------------------------------------------------------------- uninitialised

__global__ void reads_shared_kernel(int *out) {
  __shared__ int s_sum;
  if (threadIdx.x == 0)
    out[0] = s_sum; // here
}
HAZARD(shared_never_written, uninitialised) { reads_shared_kernel<<<1, 32>>>(m.out); }

// The block before has left something there, which is not this block's.
__global__ void left_by_others_kernel(int *out) {
  __shared__ int s_data[32];
  if (blockIdx.x == 0)
    s_data[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s_data[threadIdx.x]; // here
}
HAZARD(left_by_another_block, uninitialised) { left_by_others_kernel<<<2, 32>>>(m.out); }

__global__ void sums_up_kernel(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // here
}
HAZARD(global_never_written, uninitialised) { sums_up_kernel<<<1, 32>>>(m.raw, m.out); }

__global__ void doubles_kernel(const int *in, int *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x]; // here
}
HAZARD(half_copied, uninitialised) {
  cudaMemcpy(m.raw, m.in, 16 * sizeof(int), cudaMemcpyDeviceToDevice);
  doubles_kernel<<<1, 32>>>(m.raw, m.out);
}

__global__ void counts_kernel(int *bins) {
  atomicAdd(bins + threadIdx.x % 4, 1); // here
}
HAZARD(counters_not_cleared, uninitialised) { counts_kernel<<<1, 32>>>(m.raw); }

__global__ void fills_short_kernel(int *out) {
  out[threadIdx.x] = 1; // here
}
HAZARD(elements_for_bytes, out_of_bounds) {
  int *memory = nullptr;
  cudaMalloc(&memory, 31);
  fills_short_kernel<<<1, 31>>>(memory);
  cudaFree(memory);
}

// ------------------------------------------------------------------------- whose memory is it?

__global__ void fills_kernel(int *out) {
  out[threadIdx.x] = 1; // here
}
HAZARD(pointer_to_a_vector, host_pointer) {
  std::vector<int> host(32);
  fills_kernel<<<1, 32>>>(host.data());
}

__global__ void fills_page_kernel(int *out) {
  out[threadIdx.x] = 1; // here
}
// Memory of the host's that lies where the device's was: the system has given it out again.
HAZARD(host_memory_where_freed_was, host_pointer) {
  constexpr uintptr_t page = 4096;
  void *freed = nullptr;
  cudaMalloc(&freed, size_t{128} << 20);
  cudaFree(freed);
  void *const wanted =
      reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(freed) + page) / page * page);
  void *const host = mmap(wanted, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fills_page_kernel<<<1, 32>>>(static_cast<int *>(host));
  munmap(host, page);
}

__global__ void fills_stack_kernel(int *out) {
  out[threadIdx.x] = 1; // here
}
HAZARD(pointer_to_the_stack, host_pointer) {
  int host[32];
  fills_stack_kernel<<<1, 32>>>(host);
}

// The structure was copied to the device, what it points to was not.
struct List {
  int *values;
  int count;
};
__global__ void deep_copy_kernel(const List *list, int *out) {
  out[threadIdx.x] = list->values[threadIdx.x]; // here
}
HAZARD(shallow_copy, host_pointer) {
  std::vector<int> values(32, 1);
  const List host = {values.data(), 32};
  const Buffer<List> buffer(1);
  cudaMemcpy(buffer.get(), &host, sizeof host, cudaMemcpyHostToDevice);
  deep_copy_kernel<<<1, 32>>>(buffer.get(), m.out);
}

void set_first(int *device) {
  device[0] = 1; // here
}
HAZARD(written_by_the_host, device_pointer_on_host) { set_first(m.out); }

void gather_first(const int *from, int *device) {
  device[0] = from[0]; // here
}
HAZARD(gathered_by_the_host, device_pointer_on_host) {
  const int number = 1;
  gather_first(&number, m.out);
}

int first_of(const int *device) {
  return device[0]; // here
}
HAZARD(read_by_the_host, device_pointer_on_host) {
  const int first = first_of(m.out);
  cudaMemcpy(m.out, &first, sizeof first, cudaMemcpyHostToDevice);
}

__constant__ int limits[4];
__device__ void set_limit(const int *limit, int value) {
  *const_cast<int *>(limit) = value; // here
}
__global__ void constant_kernel() { set_limit(limits + threadIdx.x, 1); }
HAZARD(constant_is_written, constant_write) { constant_kernel<<<1, 4>>>(); }

__device__ void set_depth(const dim3 &grid, unsigned z) {
  const_cast<dim3 &>(grid).z = z; // here
}
__global__ void index_kernel() { set_depth(gridDim, threadIdx.x); }
HAZARD(index_is_written, constant_write) { index_kernel<<<1, 4>>>(); }

__device__ int without_end(int depth) { // here
  return depth < 0 ? 0 : without_end(depth + 1) + depth;
}
__global__ void recursion_kernel(int *out) { out[threadIdx.x] = without_end(threadIdx.x); }
HAZARD(recursion_without_end, stack_overflow) { recursion_kernel<<<1, 4>>>(m.out); }

__global__ void large_frame_kernel(int *out, int at) { // here
  int many[1 << 20];
  const_cast<volatile int *>(many)[at] = 1;
  out[threadIdx.x] = const_cast<volatile int *>(many)[at];
}
HAZARD(array_larger_than_local_memory, stack_overflow) { large_frame_kernel<<<1, 4>>>(m.out, 3); }

WARNING(never_freed, leak) {
  void *forgotten;
  cudaMalloc(&forgotten, 1000); // here
}

// A thread sets the bin of its number, and there are more bins than threads.
__global__ void bin_for_each_thread_kernel(int *out) {
  __shared__ int s_bins[96];
  s_bins[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 96; bin += blockDim.x)
    out[bin] = s_bins[bin]; // here
}
HAZARD(bin_for_each_thread, uninitialised) { bin_for_each_thread_kernel<<<1, 64>>>(m.out); }

// Each thread sets a place, and looks at all places that there might be.
__global__ void looks_at_all_places_kernel(int *out) {
  __shared__ int s_places[96];
  s_places[threadIdx.x] = 1;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 96; ++k)
    sum += s_places[k]; // here
  out[threadIdx.x] = sum;
}
HAZARD(looks_at_all_places, uninitialised) { looks_at_all_places_kernel<<<1, 64>>>(m.out); }

// Of the last block's places only some are filled.
__global__ void looks_behind_the_last_kernel(const int *in, int n, int *out) {
  __shared__ int s_places[32];
  const int tid = threadIdx.x, count = min(32, n - 32 * static_cast<int>(blockIdx.x));
  if (tid < count)
    s_places[tid] = in[32 * blockIdx.x + tid];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k)
    sum += s_places[k]; // here
  if (tid < count)
    out[32 * blockIdx.x + tid] = sum;
}
HAZARD(looks_behind_the_last, uninitialised) {
  looks_behind_the_last_kernel<<<1, 32>>>(m.in, 30, m.out);
}

// Four elements on either side are nobody's.
__global__ void window_without_its_ends_kernel(const int *in, int *out) {
  __shared__ int s_window[40];
  s_window[threadIdx.x + 4] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s_window[threadIdx.x] + s_window[threadIdx.x + 8]; // here
}
HAZARD(window_without_its_ends, uninitialised) {
  window_without_its_ends_kernel<<<1, 32>>>(m.in, m.out);
}

// The ends of a block's window are left to other blocks, which have windows of their own.
__global__ void window_of_all_blocks_kernel(const int *in, int *out) {
  __shared__ int s_window[36];
  const int i = blockIdx.x * 32 + threadIdx.x, tid = threadIdx.x;
  s_window[2 + tid] = in[i];
  if (blockIdx.x == 0 && tid < 2)
    s_window[tid] = 0;
  if (blockIdx.x == gridDim.x - 1 && tid < 2)
    s_window[34 + tid] = 0;
  __syncthreads();
  out[i] = s_window[tid + 4]; // here
}
HAZARD(window_of_all_blocks, uninitialised) { window_of_all_blocks_kernel<<<2, 32>>>(m.in, m.out); }

// A column is whole only behind all rounds, in each of which one is read.
__global__ void column_too_early_kernel(const int *in, int *out) {
  __shared__ int s_tile[32][33];
  for (int row = threadIdx.y; row < 32; row += 8) {
    s_tile[row][threadIdx.x] = in[threadIdx.x]; // other
    __syncthreads();
    out[32 * row + threadIdx.x] = s_tile[threadIdx.x][row]; // here
    __syncthreads();
  }
}
HAZARD(column_too_early, uninitialised) {
  column_too_early_kernel<<<1, dim3(32, 8)>>>(m.in, m.out);
}

// There is a loop, and its test knows how many numbers go in.
__global__ void bins_tested_against_the_input_kernel(int n, int *out) {
  __shared__ int s_bins[96];
  for (int bin = threadIdx.x; bin < 96; bin += blockDim.x)
    if (bin < n)
      s_bins[bin] = 0;
  __syncthreads();
  out[threadIdx.x] = s_bins[threadIdx.x] + s_bins[threadIdx.x + 32]; // here
}
HAZARD(bins_tested_against_the_input, uninitialised) {
  bins_tested_against_the_input_kernel<<<1, 64>>>(64, m.out);
}

// Each warp leaves its sum, and 32 of them are added.
__global__ void sum_of_each_warp_kernel(int *out) {
  __shared__ int s_sums[32];
  if (threadIdx.x % 32 == 0)
    s_sums[threadIdx.x / 32] = 1;
  __syncthreads();
  if (threadIdx.x < 32)
    out[threadIdx.x] = s_sums[threadIdx.x]; // here
}
HAZARD(sum_of_each_warp, uninitialised) { sum_of_each_warp_kernel<<<1, 128>>>(m.out); }

// So many numbers are copied as bytes.
__global__ void read_all_kernel(int *out, const int *in) {
  out[threadIdx.x] = in[threadIdx.x]; // here
}
HAZARD(copies_numbers_for_bytes, uninitialised) {
  const int host[64] = {};
  cudaMemcpy(m.raw, host, 64, cudaMemcpyHostToDevice);
  read_all_kernel<<<1, 64>>>(m.out, m.raw);
}

} // namespace
