#include "demos/demos.hpp"
#include "demos/vec3_layouts.cuh"

namespace {

using namespace vec3_layouts;

/// n vectors, their doubles, and room on the device for any way to store them.
struct Vectors {
  Vectors(size_t count, std::uint64_t seed)
      : n(count), h_in(3 * count), d_in(4 * count), d_out(4 * count) {
    lab::fill_random(h_in.data(), h_in.size(), seed);
  }
  size_t n;
  std::vector<float> h_in; // x, y, z of the first, x, y, z of the second, …
  lab::DeviceBuffer<float> d_in, d_out;
};

/// One way to store vectors.
struct Layout {
  const char *name, *key;
  size_t words; ///< per vector
  size_t (*place)(size_t i, size_t part, size_t n); ///< where part 0, 1, 2 of vector i stands
  void (*run)(const float *in, float *out, size_t n);
  unsigned requests; ///< to read the vectors of a warp
  size_t bytes, stride; ///< of one lane in such a request, and from lane to lane
};

size_t place_in_structure(size_t i, size_t part, size_t) { return 3 * i + part; }
size_t place_in_float4(size_t i, size_t part, size_t) { return 4 * i + part; }
size_t place_in_arrays(size_t i, size_t part, size_t n) { return part * n + i; }

void run_structures(const float *in, float *out, size_t n) {
  scale_structures<<<blocks_for(n, BLOCK), BLOCK>>>(
      reinterpret_cast<const Vec3 *>(in), reinterpret_cast<Vec3 *>(out), n);
  LAB_CHECK_LAUNCH();
}
void run_aligned(const float *in, float *out, size_t n) {
  scale_aligned<<<blocks_for(n, BLOCK), BLOCK>>>(
      reinterpret_cast<const float4 *>(in), reinterpret_cast<float4 *>(out), n);
  LAB_CHECK_LAUNCH();
}
void run_arrays(const float *in, float *out, size_t n) {
  scale_arrays<<<blocks_for(n, BLOCK), BLOCK>>>(in, out, n);
  LAB_CHECK_LAUNCH();
}
void run_staged(const float *in, float *out, size_t n) {
  scale_staged<<<blocks_for(n, BLOCK), BLOCK>>>(in, out, n);
  LAB_CHECK_LAUNCH();
}

constexpr Layout layouts[] = {
    {"array of structures", "aos", 3, place_in_structure, run_structures, 3, 4, 12},
    {"array of aligned structures", "aligned_aos", 4, place_in_float4, run_aligned, 1, 16, 16},
    {"structure of arrays", "soa", 3, place_in_arrays, run_arrays, 3, 4, 4},
    {"array of structures, staged", "staged", 3, place_in_structure, run_staged, 3, 4, 4},
};

lab::Verdict run_and_check(const Layout &layout, Vectors &v) {
  std::vector<float> stored(layout.words * v.n, 0.0f);
  for (size_t i = 0; i < v.n; ++i)
    for (size_t part = 0; part < 3; ++part)
      stored[layout.place(i, part, v.n)] = v.h_in[3 * i + part];
  v.d_in.upload(stored);
  lab::poison(v.d_out);
  layout.run(v.d_in.data(), v.d_out.data(), v.n);

  const std::vector<float> out = v.d_out.download();
  std::vector<float> doubled(3 * v.n), expected(3 * v.n);
  for (size_t i = 0; i < v.n; ++i)
    for (size_t part = 0; part < 3; ++part) {
      doubled[3 * i + part] = out[layout.place(i, part, v.n)];
      expected[3 * i + part] = 2.0f * v.h_in[3 * i + part];
    }
  return lab::compare(doubled, expected, lab::exact(), 3);
}

void show(lab::Demo &demo, const Layout &layout, Vectors &v) {
  demo.expect(run_and_check(layout, v));
  const unsigned sectors = sectors_of_request(layout.bytes, layout.stride, 0);
  // Of 16 bytes that are read, the vector's are 12.
  const double used = percent_used(layout.bytes, sectors) * 3.0 / static_cast<double>(layout.words);
  demo.say("  %-28s %8u %8u %6.0f %%", layout.name, layout.requests, sectors, used);
  const std::string key = layout.key;
  demo.value(key + "_requests", layout.requests);
  demo.value(key + "_sectors", sectors);
  const auto gbps = [&] {
    const auto run = [&] { layout.run(v.d_in.data(), v.d_out.data(), v.n); };
    return 24.0 * static_cast<double>(v.n) / lab::measure(run, {.cold_l2 = true}).median_ms * 1e-6;
  };
  demo.say_timed(key + "_gbps", " %8.0f\n", gbps, "\n");
}

} // namespace

void show_structures(lab::Demo &demo) {
  Vectors v(demo.n_or(demo.quick() ? 1025 : lab::on_emulator() ? 100000 : 50000000), demo.seed());
  demo.say("%zu vectors of three floats are doubled\n\n", v.n);
  demo.say("  %-28s %8s %8s %8s%s\n",
           "stored as",
           "requests",
           "sectors",
           "used",
           lab::on_emulator() ? "" : "     GB/s");
  for (const Layout &layout : layouts)
    show(demo, layout, v);
  demo.say("\nrequests: to read the vectors of a warp · sectors: for each of them · used: of\n"
           "the bytes in those sectors%s\n",
           lab::on_emulator() ? "" : " · GB/s: 12 bytes read and 12 written per vector");
}
