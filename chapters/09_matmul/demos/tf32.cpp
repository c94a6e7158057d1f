#include "demos/demos.hpp"
#include "demos/precision.hpp"
#include "steps/steps.hpp"

#include <cstring>
#include <string>
#include <utility>

void show_cublas_modes(lab::Demo &demo) {
  demo.say("C = A B by cublasSgemm, milliseconds and TFLOP/s\n\n");
#ifdef BF_HAVE_CUBLAS
  demo.say("  %6s  %18s  %18s  %18s\n", "n", "pedantic", "default", "TF32");
  for (const int n : {1000, 2048, 4096, 8192}) {
    if (demo.quick() && n > 1000)
      break;
    Matmul p({n, n, n}, demo.seed());
    start_cublas(p);
    demo.say("  %6d", n);
    const std::pair<const char *, void (*)(Matmul &)> modes[] = {
        {"pedantic", run_cublas}, {"default", run_cublas_default}, {"tf32", run_cublas_tf32}};
    for (const auto &[key, run] : modes) {
      p.prepare();
      run(p);
      if (run != run_cublas_tf32)
        demo.expect(p.check());
      if (demo.quick())
        continue;
      const double ms = lab::measure([&] { run(p); }).median_ms;
      demo.say("  %9.4f %8.1f", ms, p.flops() / ms * 1e-9);
      demo.value(std::string(key) + "_" + std::to_string(n), p.flops() / ms * 1e-9);
    }
    demo.say("\n");
  }
#else
  demo.say("  on a GPU with cuBLAS only\n");
#endif
}

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
  make_turns(p);
  const Errors v18 = line("v18", "v18_equal_shares", last_steps().back().run);
  demo.expect(v18.max_relative <= product_tolerance(n), "v18 keeps its bound");
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
             std::strcmp(key, "v18") == 0 ? "\n" : "",
             name,
             timing.median_ms,
             flops / timing.median_ms * 1e-9);
    demo.value(std::string(key) + "_tflops", flops / timing.median_ms * 1e-9);
  };
  if (!demo.quick()) {
    time("v18", "v18_equal_shares", last_steps().back().run);
    time("cublas", "cuBLAS, float", run_cublas);
    time("cublas_tf32", "cuBLAS, TF32 on tensor cores", run_cublas_tf32);
  }
#else
  demo.say("\n  cuBLAS on the tensor cores: on a GPU only\n");
#endif
}
