#include "problem.hpp"

#include <cstring>
#ifdef BUILD_FIRST_EMULATOR
#include <emu/schedule.hpp>
#include <observation/timeline.hpp>
#endif

namespace {

// Words: two parts, each rounded up, fit behind each other; and nothing is ever empty, so that a copy
// of no words has two ends, too.
constexpr size_t padding = 64;

} // namespace

Word jump(Word x, Word steps) {
  Word a = multiplier, c = increment; // 1, 2, 4 … steps at once: x -> a x + c
  for (; steps > 0; steps /= 2) {
    if (steps % 2 == 1)
      x = a * x + c;
    c *= a + 1; // twice as many
    a *= a;
  }
  return x;
}

Batch::Batch(const lab::Case &c)
    : n(c.n), steps(0), h_in(n + padding), h_out(n + padding), expected(n), pinned_in(n + padding),
      pinned_out(n + padding), d_in(n + padding), d_out(n + padding) {
  for (size_t i = 0; i < n; ++i)
    h_in[i] = lab::random_u64(c.seed, i);
  std::memcpy(pinned_in.data(), h_in.data(), bytes());
  // On the GPU that was measured, the kernel then takes a third longer than either copy.
  set_steps(lab::at_full_size() ? 2560 : 64);
  make_steps_long();
}

Batch::~Batch() { draw_order(0); }

void Batch::set_steps(unsigned new_steps) {
  steps = new_steps;
  const Word c = jump(0, steps), a = jump(1, steps) - c;
  for (size_t i = 0; i < n; ++i)
    expected[i] = a * h_in[i] + c;
}

void Batch::prepare() {
  draw_order(0);
  LAB_CHECK(cudaDeviceSynchronize());
  std::memset(h_out.data(), 0xCD, bytes());
  std::memset(pinned_out.data(), 0xCD, bytes());
  lab::poison(d_in); // a step that copies nothing must not find what another copied
  lab::poison(d_out);
  LAB_CHECK(cudaDeviceSynchronize());
  result = nullptr;
  static unsigned seed = 0;
  draw_order(++seed);
}

lab::Verdict Batch::check() {
  draw_order(0);
  if (n > 0 && result == nullptr)
    return lab::Verdict::wrong("the step left no result");
  return lab::compare(result, expected.data(), n);
}

size_t part_of(size_t n, size_t parts) {
  const size_t part = (n + parts - 1) / parts;
  return (part + 31) / 32 * 32;
}

void draw_order([[maybe_unused]] unsigned seed) {
#ifdef BUILD_FIRST_EMULATOR
  if (!lab::can_observe())
    emu::set_schedule(seed);
#endif
}

void make_steps_long() {
#ifdef BUILD_FIRST_EMULATOR
  emu::TimelineModel model;
  model.block_rate /= 24;
  model.sms = lab::choose_device().sm_count;
  emu::set_timeline_model(model);
#endif
}
