#pragma once

#include "steps/advance.cuh"

namespace demo_asynchronous {

inline void nothing(void *) {}

// The host's own work: moves words on step by step.
inline void advance_on_host(std::vector<Word> &words, unsigned steps) {
  for (Word &word : words)
    for (unsigned step = 0; step < steps; ++step)
      word = multiplier * word + increment;
}

struct Work {
  Batch batch;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;

  explicit Work(size_t n) : batch({.n = n}) {
    LAB_CHECK(cudaStreamCreate(&stream));
    LAB_CHECK(cudaEventCreate(&event));
    const cudaMemcpyKind in = cudaMemcpyHostToDevice;
    LAB_CHECK(cudaMemcpy(batch.d_in.data(), batch.h_in.data(), batch.bytes(), in));
  }
  ~Work() {
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  void launch() {
    advance<<<blocks_for(batch.n), block, 0, stream>>>(
        batch.d_in.data(), batch.d_out.data(), batch.n, batch.steps);
    LAB_CHECK_LAUNCH();
  }
  void copy_back(Word *to, cudaStream_t s) {
    const cudaMemcpyKind out = cudaMemcpyDeviceToHost;
    LAB_CHECK(cudaMemcpyAsync(to, batch.d_out.data(), batch.bytes(), out, s));
  }
};

// One of the calls that ask a stream for something.
struct Call {
  const char *name;
  bool waits; // returns when all is done
  void (*make)(Work &);
};

constexpr Call calls[] = {
    {"kernel<<<...>>>", false, [](Work &w) { w.launch(); }},
    {"cudaMemcpyAsync, page-locked memory",
     false,
     [](Work &w) { w.copy_back(w.batch.pinned_out.data(), w.stream); }},
    {"cudaMemcpyAsync, to pageable memory",
     true,
     [](Work &w) { w.copy_back(w.batch.h_out.data(), w.stream); }},
    {"cudaMemcpy",
     true,
     [](Work &w) {
       LAB_CHECK(cudaMemcpy(
           w.batch.h_out.data(), w.batch.d_out.data(), w.batch.bytes(), cudaMemcpyDeviceToHost));
     }},
    {"cudaMemsetAsync",
     false,
     [](Work &w) {
       LAB_CHECK(cudaMemsetAsync(w.batch.d_out.data(), 0, w.batch.bytes(), w.stream));
     }},
    {"cudaEventRecord", false, [](Work &w) { LAB_CHECK(cudaEventRecord(w.event, w.stream)); }},
    {"cudaLaunchHostFunc",
     false,
     [](Work &w) { LAB_CHECK(cudaLaunchHostFunc(w.stream, nothing, nullptr)); }},
    {"cudaStreamSynchronize", true, [](Work &w) { LAB_CHECK(cudaStreamSynchronize(w.stream)); }},
};

inline void show_calls(lab::Demo &demo, Work &work) {
  demo.say("A kernel is at work in a stream. Then the host calls …\n\n");
  for (const Call &call : calls) {
    draw_order(3); // the emulator runs nothing before it must
    for (int i = 0; i < 8; ++i)
      work.launch();
    call.make(work);
    const bool busy = cudaStreamQuery(work.stream) == cudaErrorNotReady;
    LAB_CHECK(cudaDeviceSynchronize());
    draw_order(0);
    demo.say(
        "  %-38s %s\n", call.name, busy ? "returns at once" : "returns when the kernel is done");
    demo.expect(busy != call.waits, call.name);
  }
}

// Milliseconds until `work` returns, the median of five.
template <class Action> double host_ms(Action &&action) {
  return lab::median_of(5, 0, [&] {
    LAB_CHECK(cudaDeviceSynchronize());
    return lab::host_ms(action);
  });
}

inline void show_times(lab::Demo &demo, Work &work, const std::vector<Word> &words) {
  std::vector<Word> mine = words;
  const double launch = host_ms([&] { work.launch(); });
  const double kernel = host_ms([&] {
    work.launch();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  const double host = host_ms([&] { advance_on_host(mine, work.batch.steps); });
  const double both = host_ms([&] {
    work.launch();
    advance_on_host(mine, work.batch.steps);
    LAB_CHECK(cudaDeviceSynchronize());
  });
  demo.say("\nthe launch          %8.4f ms\n", launch);
  demo.say("the kernel          %8.4f ms\n", kernel);
  demo.say("the host's own work %8.4f ms\n", host);
  demo.say("both                %8.4f ms\n", both);
  demo.value("launch_us", 1e3 * launch);
  demo.value("kernel_ms", kernel);
  demo.value("host_ms", host);
  demo.value("both_ms", both);
}

inline void run(lab::Demo &demo) {
  Work work(demo.timed() ? size_t{1} << 24 : 4096);
  std::vector<Word> words(demo.timed() ? 1024 : 64);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = work.batch.h_in[i];
  show_calls(demo, work);
  if (demo.timed())
    show_times(demo, work, words);
  work.launch();
  advance_on_host(words, work.batch.steps);
  LAB_CHECK(cudaDeviceSynchronize());
  bool same = true; // jump() is checked against the steps that it leaves out
  for (size_t i = 0; i < words.size(); ++i)
    same = same && words[i] == jump(work.batch.h_in[i], work.batch.steps);
  demo.expect(same, "many steps on the host are one jump");
  work.copy_back(work.batch.pinned_out.data(), work.stream);
  LAB_CHECK(cudaStreamSynchronize(work.stream));
  work.batch.result = work.batch.pinned_out.data();
  demo.expect(work.batch.check());
}

} // namespace demo_asynchronous
