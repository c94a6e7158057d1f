#include "cublas_rival.hpp"
#include "demos.hpp"
#include "precision.hpp"
#include "steps.hpp"

#include <cstring>
#include <string>

void show_tf32(lab::Demo &demo) {
  const int n = static_cast<int>(demo.n_or(demo.quick() ? 100 : lab::on_emulator() ? 256 : 4096));
  Matmul p({n, n, n}, demo.seed(), {0.0f, 1.0f});
  demo.say("C = A B, %d x %d, factors between 0 and 1, against sums in double\n\n", n, n);
  say_errors_head(demo);
  const auto line = [&](const char *key, const char *name, void (*run)(Matmul &)) {
    p.prepare();
    run(p);
    const Errors e = errors_of(p.plain, p.expected);
    say_errors(demo, key, name, e);
    return e;
  };
  for (const Summation &way : summations())
    if (std::strcmp(way.key, "plain") == 0 || std::strcmp(way.key, "tf32") == 0)
      line(way.key, way.name, way.run);
  const Errors v16 = line("v16", "v16_equal_shares", last_steps().back().run);
  demo.expect(v16.max_relative <= product_tolerance(n), "v16 keeps its bound");
  demo.value("n", n);
#ifdef BF_HAVE_CUBLAS
  start_cublas(p);
  line("cublas", "cuBLAS, float", run_cublas);
  const Errors tensor = line("cublas_tf32", "cuBLAS, TF32 on tensor cores", run_cublas_tf32);
  // Each factor is off by half an ULP of 11 bits, at most.
  demo.expect(tensor.max_relative <= 2.0 * 0x1p-11 + product_tolerance(n), "TF32 keeps its bound");
  const double flops = p.flops();
  const auto time = [&](const char *key, const char *name, void (*run)(Matmul &)) {
    const lab::Timing timing = lab::measure([&] { run(p); });
    demo.say("%s  %-32s %8.3f ms  %7.1f TFLOP/s\n",
             std::strcmp(key, "v16") == 0 ? "\n" : "",
             name,
             timing.median_ms,
             flops / timing.median_ms * 1e-9);
    demo.value((std::string(key) + "_tflops").c_str(), flops / timing.median_ms * 1e-9);
  };
  if (!demo.quick()) {
    time("v16", "v16_equal_shares", last_steps().back().run);
    time("cublas", "cuBLAS, float", run_cublas);
    time("cublas_tf32", "cuBLAS, TF32 on tensor cores", run_cublas_tf32);
  }
#else
  demo.say("\n  cuBLAS on the tensor cores: on a GPU only\n");
#endif
}
