#include "base/files.hpp"
#include "exercises/exercise.hpp"
#include "exercises/workspace.hpp"
#include "loop/editor.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

/// \file
/// What editors are told: that clangd reads CUDA files with it, and that VS Code's tasks exist.

using namespace tutor;

namespace {

/// A workspace outside of the course, with the commands for its files.
struct Editor {
  TemporaryFolder folder;
  Course course{COURSE_FOLDER};
  std::vector<Exercise> exercises = exercises_of(course);
  Workspace workspace{folder.path()};

  /// clangd's judgement of a learner's file that says this.
  Captured judge(const std::string &text) const {
    const fs::path file = workspace.file(exercises.front());
    write_file(file, text);
    write_compile_commands(course, exercises, workspace);
    return capture({CLANGD_PROGRAM, "--check=" + file.string()}, folder.path());
  }
};

const std::string program = R"(#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>
namespace cg = cooperative_groups;
__constant__ float c[4];
__device__ float helper(float x) { return sqrtf(x) + __expf(x) + fmaxf(x, 1.0f); }
template <int N> __global__ void kernel(float *p, int n) {
  extern __shared__ float s[];
  auto block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);
  const float4 v = reinterpret_cast<float4 *>(p)[i];
  s[threadIdx.x] = helper(v.x) + c[0] + __shfl_down_sync(0xffffffffu, v.y, N);
  block.sync();
  __syncthreads();
  printf("%d\\n", i);
  atomicAdd(p, s[0] + __half2float(__float2half(1.0f)) + min(i, n));
}
int main() {
  std::vector<float> v(3);
  float *p = nullptr;
  cudaMalloc(&p, 4);
  cudaMemcpyToSymbol(c, v.data(), 12);
  kernel<4><<<1, 32, 128>>>(p, 3);
  return cudaDeviceSynchronize();
}
)";

} // namespace

TEST_CASE_FIXTURE(Editor, "clangd reads CUDA against the emulator's headers") {
  expect(judge(program), 0, {" 0 errors"});
}

TEST_CASE_FIXTURE(Editor, "clangd sees what is wrong, kernels and launches included") {
  std::string wrong = program;
  for (const auto &[from, to] : {std::pair("atomicAdd(p, s[0]", "atomicAdd(p, sum"),
                                 std::pair("<<<1, 32, 128>>>(p, 3)", "<<<1, 32, 128>>>(p, other)"),
                                 std::pair("helper(v.x)", "helper(v.q)")}) {
    wrong.replace(wrong.find(from), std::string(from).size(), to);
  }
  const Captured result = judge(wrong);
  CAPTURE(result.output);
  CHECK(result.exit_code != 0);
  for (const char *what : {"undeclared identifier 'sum'",
                           "undeclared identifier 'other'",
                           "no member named 'q' in 'float4'"}) {
    CHECK(holds(result.output, what));
  }
}

TEST_CASE_FIXTURE(Editor, "VS Code's tasks are commands of the tutor") {
  const auto file =
      nlohmann::json::parse(read_file(fs::path(COURSE_FOLDER) / ".vscode/tasks.json"));
  for (const auto &task : file.at("tasks")) {
    CAPTURE(task.dump());
    CHECK(task.at("command") == "./tutor");
    CHECK(tutor_on(COURSE_FOLDER, {task.at("args").at(0).get<std::string>(), "--help"}).exit_code ==
          0);
  }
}
