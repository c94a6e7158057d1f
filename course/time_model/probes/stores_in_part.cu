// What sectors cost that warps store in parts, one after the other: transposes whose threads write down columns. Their
// times, and the sectors that the L2 had to fill from memory, are in docs/results/nvidia-h200_stores_in_part.json.
//
//   stores_in_part         whether each is right, at a small size
//   stores_in_part --once  launches each twice, for Nsight Compute:
//     ncu --clock-control none --cache-control none --csv --metrics lts__t_sectors_op_write_lookup_miss.sum
//   stores_in_part --time  times them on a GPU, as JSON: one launch between two events, median of 21
//
// It needs CUDA alone: nvcc -O3 -arch=sm_90 -std=c++20 stores_in_part.cu -o stores_in_part
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) check(call, #call)
void check(cudaError_t error, const char *call) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
  }
}

/// Blocks that follow each other write beside each other (down) or 32 rows of the output on.
template <bool down> __device__ int first_col() { return (down ? blockIdx.y : blockIdx.x) * 32; }
template <bool down> __device__ int first_row() {
  return (down ? blockIdx.x : blockIdx.y) * blockDim.y;
}

template <class T, bool down>
__global__ void load_and_store(const T *in, T *out, int rows, int cols) {
  const int col = first_col<down>() + threadIdx.x, row = first_row<down>() + threadIdx.y;
  if (row < rows && col < cols)
    out[size_t(col) * rows + row] = in[size_t(row) * cols + col];
}

/// All warps of a block store at about the same time.
template <class T, bool down>
__global__ void store_behind_a_barrier(const T *in, T *out, int rows, int cols) {
  __shared__ T s_tile[32][32];
  const int col = first_col<down>() + threadIdx.x, row = first_row<down>() + threadIdx.y;
  if (row < rows && col < cols)
    s_tile[threadIdx.y][threadIdx.x] = in[size_t(row) * cols + col];
  __syncthreads();
  if (row < rows && col < cols)
    out[size_t(col) * rows + row] = s_tile[threadIdx.y][threadIdx.x];
}

template <class T, bool down>
__global__ void store([[maybe_unused]] const T *in, T *out, int rows, int cols) {
  const int col = first_col<down>() + threadIdx.x, row = first_row<down>() + threadIdx.y;
  if (row < rows && col < cols)
    out[size_t(col) * rows + row] = T(row % 100 * 100 + col % 100);
}

struct Shape {
  int rows, cols, block_rows;
};
constexpr size_t most = size_t(4096) * 4096;
void *in, *out;
bool first = true;
enum class Task { look, once, time } task = Task::look;

template <class T> bool right(const Shape &s) {
  std::vector<T> h(size_t(s.rows) * s.cols);
  CHECK(cudaMemcpy(h.data(), out, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
  for (int row = 0; row < s.rows; ++row)
    for (int col = 0; col < s.cols; ++col)
      if (h[size_t(col) * s.rows + row] != T(row % 100 * 100 + col % 100))
        return false;
  return true;
}

template <class Launch> double median_us(Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> ms(21);
  for (int i = -2; i < 21; ++i) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms[std::max(i, 0)], begin, end));
  }
  std::nth_element(ms.begin(), ms.begin() + 10, ms.end());
  return 1e3 * ms[10];
}

template <class T, bool down>
void run(const char *name, void (*kernel)(const T *, T *, int, int), const Shape &s) {
  const int across = (s.cols + 31) / 32, along = (s.rows + s.block_rows - 1) / s.block_rows;
  const auto launch = [&] {
    kernel<<<down ? dim3(along, across) : dim3(across, along), dim3(32, s.block_rows)>>>(
        static_cast<const T *>(in), static_cast<T *>(out), s.rows, s.cols);
    CHECK(cudaGetLastError());
  };
  if (task == Task::time) {
    std::printf("%s    {\"name\": \"%s\", \"bytes\": %zu, \"next_block\": \"%s\", \"rows\": %d, "
                "\"cols\": %d, \"block_rows\": %d, \"us\": %.2f}",
                first ? "" : ",\n",
                name,
                sizeof(T),
                down ? "beside" : "apart",
                s.rows,
                s.cols,
                s.block_rows,
                median_us(launch));
    first = false;
    return;
  }
  launch();
  if (task == Task::once)
    return launch();
  if (!right<T>(s)) {
    std::fprintf(stderr, "%s of %zu bytes is wrong\n", name, sizeof(T));
    std::exit(1);
  }
}

template <class T, bool down> void all(const Shape &s) {
  run<T, down>("load_and_store", load_and_store<T, down>, s);
  run<T, down>("store_behind_a_barrier", store_behind_a_barrier<T, down>, s);
  run<T, down>("store", store<T, down>, s);
}

template <class T> void fill() {
  const int rows = task == Task::look ? 40 : 4096, cols = task == Task::look ? 50 : 4064;
  std::vector<T> h(size_t(rows) * cols);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      h[size_t(row) * cols + col] = T(row % 100 * 100 + col % 100);
  CHECK(cudaMemcpy(in, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  for (const int block_rows : {8, 32})
    for (const int n : {2048, 4096}) {
      const Shape s =
          task == Task::look ? Shape{40, 50, block_rows} : Shape{n, n - n / 128, block_rows};
      all<T, false>(s);
      all<T, true>(s);
    }
}

int main(int argc, char **argv) {
  if (argc > 1)
    task = std::strcmp(argv[1], "--time") == 0 ? Task::time : Task::once;
  const size_t bytes = (task == Task::look ? 4096 : most) * sizeof(double);
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  if (task == Task::time)
    std::printf("[\n");
  fill<float>();
  fill<double>();
  if (task == Task::time)
    std::printf("\n]\n");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  std::printf("%s", task == Task::look ? "all are right\n" : "");
}
