#pragma once

#include "advance.cuh"
#include "span.hpp"

namespace demo_graphs {

constexpr unsigned kernels = 200;
constexpr size_t n = block; // words: there is next to nothing to do

// Many tiny kernels, each of which needs the result of the one before.
inline void launch_all(Word *words, cudaStream_t stream) {
  for (unsigned k = 0; k < kernels; ++k)
    advance<<<1, block, 0, stream>>>(words, words, n, 1);
  LAB_CHECK_LAUNCH();
}

// The same, written down once: the stream runs nothing while it is being captured.
inline cudaGraphExec_t write_down(Word *words, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  LAB_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_all(words, stream);
  LAB_CHECK(cudaStreamEndCapture(stream, &graph));
  LAB_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  LAB_CHECK(cudaGraphDestroy(graph));
  return exec;
}

// What the host needs to ask for it, in microseconds: the median of five.
template <class Work> double asking_us(Work &&work) {
  std::vector<double> times;
  for (int turn = 0; turn < 5; ++turn) {
    LAB_CHECK(cudaDeviceSynchronize());
    const lab::HostTimer timer;
    work();
    times.push_back(1e3 * timer.ms());
  }
  LAB_CHECK(cudaDeviceSynchronize());
  return lab::summarize(times).median_ms;
}

inline void show(lab::Demo &demo, Word *words, cudaStream_t stream, cudaGraphExec_t exec) {
  const auto launches = [&] { launch_all(words, stream); };
  const auto graph = [&] { LAB_CHECK(cudaGraphLaunch(exec, stream)); };
  const double launches_us = span_us(launches), graph_us = span_us(graph);
  demo.say("                     %u launches    one graph\n", kernels);
  demo.say("µs a kernel             %8.2f     %8.2f\n", launches_us / kernels, graph_us / kernels);
  demo.value("launches_us", launches_us / kernels);
  demo.value("graph_us", graph_us / kernels);
  if (lab::on_emulator())
    return;
  const double asking_launches = asking_us(launches), asking_graph = asking_us(graph);
  demo.say("µs of the host, in all  %8.2f     %8.2f\n", asking_launches, asking_graph);
  demo.value("asking_launches_us", asking_launches);
  demo.value("asking_graph_us", asking_graph);
}

inline void run(lab::Demo &demo) {
  lab::DeviceBuffer<Word> words(n);
  LAB_CHECK(cudaMemset(words.data(), 0, words.bytes()));
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  LAB_CHECK(cudaDeviceSynchronize()); // that stream would not wait for the memset
  const lab::HostTimer timer;
  const cudaGraphExec_t exec = write_down(words.data(), stream);
  const double writing_us = 1e3 * timer.ms();
  launch_all(words.data(), stream);
  LAB_CHECK(cudaGraphLaunch(exec, stream));
  LAB_CHECK(cudaGraphLaunch(exec, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  demo.expect(words.at(n - 1) == jump(0, 3 * kernels), "capturing runs nothing, launching does");
  if (can_tell_spans())
    show(demo, words.data(), stream, exec);
  else
    say_who_tells(demo, "graphs");
  if (!lab::on_emulator()) {
    demo.say("µs to write it down                  %8.0f\n", writing_us);
    demo.value("writing_us", writing_us);
  }
  LAB_CHECK(cudaGraphExecDestroy(exec));
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_graphs
