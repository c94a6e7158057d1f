#include "demos/demos.hpp"
#include "steps/steps.hpp"

#include <string>

// M, N, K and the gaps behind the rows of A, B and C.
static const Shape3 shapes[] = {{0, 0, 0},
                                {1, 1, 1},
                                {1, 1, 0},
                                {3, 5, 0},
                                {0, 7, 3},
                                {7, 0, 3},
                                {1, 1, 1023},
                                {2, 3, 5},
                                {7, 11, 13},
                                {17, 1, 31},
                                {1, 17, 31},
                                {31, 33, 32},
                                {64, 64, 7},
                                {127, 129, 65},
                                {128, 128, 24},
                                {129, 132, 25},
                                {131, 260, 97},
                                {128, 256, 64},
                                {150, 300, 129},
                                {257, 263, 269},
                                {300, 516, 70},
                                {64, 128, 48},
                                {65, 136, 49},
                                {33, 34, 35, 1, 2, 3},
                                {130, 260, 50, 3, 4, 5},
                                {130, 260, 50, 4, 4, 4},
                                {129, 256, 41, 7, 8, 0},
                                {140, 300, 200, 0, 1, 1}};

namespace {

struct Tried {
  int cases = 0, steps = 0;
};

void try_all(lab::Demo &demo, const Shape3 &s, const std::vector<Step> &steps, Tried &tried) {
  Matmul p(s, demo.seed());
  for (const Step &step : steps) {
    if (step.before)
      step.before(p);
    p.prepare();
    step.run(p);
    lab::Verdict verdict = step.check ? step.check(p) : p.check();
    if (!verdict.ok)
      verdict.message = std::string(step.name) + " at " + std::to_string(s.M) + " x " +
                        std::to_string(s.N) + " x " + std::to_string(s.K) + ", gaps " +
                        std::to_string(s.gap_a) + " " + std::to_string(s.gap_b) + " " +
                        std::to_string(s.gap_c) + ": " + verdict.message;
    demo.expect(verdict);
    ++tried.cases;
  }
}

} // namespace

void show_two_at_once(lab::Demo &demo) {
  const Shape3 cut = {257, 5892, 65}, square = {2048, 2048, 2048};
  const Shape3 &shape = demo.timed() ? square : cut;
  Matmul products[] = {Matmul(shape, demo.seed()), Matmul(shape, demo.seed() + 2)};
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) {
    LAB_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    make_turns(products[i]);
    products[i].stream = streams[i];
    products[i].prepare();
  }
  LAB_CHECK(cudaDeviceSynchronize());
  const int launches = demo.quick() ? 2 : lab::on_emulator() ? 5 : 20;
  for (int launch = 0; launch < launches; ++launch)
    for (Matmul &p : products)
      last_steps().back().run(p);
  LAB_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    demo.expect(products[i].check());
    LAB_CHECK(cudaStreamDestroy(streams[i]));
  }
  demo.say("%d launches in each of two streams, %d x %d x %d: both products are right\n",
           launches,
           shape.M,
           shape.N,
           shape.K);
}

void show_shapes(lab::Demo &demo) {
  std::vector<Step> steps;
  for (const auto &some :
       {first_steps(), register_tile_steps(), async_steps(), last_steps(), kahan_steps()})
    steps.insert(steps.end(), some.begin(), some.end());
#ifdef BF_HAVE_CUBLAS
  steps.push_back({"cublas_sgemm", run_cublas});
#endif
  Tried tried;
  for (const Shape3 &s : shapes)
    try_all(demo, s, steps, tried);
  const int count = static_cast<int>(sizeof shapes / sizeof *shapes);
  const Shape3 large[] = {{400, 1100, 200}, {257, 5892, 65}}; // the last: tiles that v18 cuts
  if (!demo.quick())
    for (const Shape3 &s : large)
      try_all(demo, s, steps, tried);
  demo.say(
      "%d products of %zu steps at %d shapes M x N x K, from 0 x 0 x 0 to %s,\nsome with gaps of "
      "1 to 8 floats between the rows\n",
      tried.cases,
      steps.size(),
      count + (demo.quick() ? 0 : 2),
      demo.quick() ? "300 x 516 x 70" : "257 x 5892 x 65");
  demo.value("cases", tried.cases);
}
