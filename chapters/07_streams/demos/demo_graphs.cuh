#pragma once

#include "demos/demos.hpp"
#include "steps/advance.cuh"
#include "steps/span.hpp"

namespace demo_graphs {

constexpr unsigned kernels = 200;
constexpr size_t n = block; // words: there is next to nothing to do

// Many tiny kernels, each of which needs the result of the one before.
inline void launch_all(Word *words, unsigned steps, cudaStream_t stream) {
  for (unsigned k = 0; k < kernels; ++k)
    advance<<<1, block, 0, stream>>>(words, words, n, steps);
  LAB_CHECK_LAUNCH();
}

// The same, written down: the stream runs nothing while it is being captured.
inline cudaGraph_t write_down(Word *words, unsigned steps, cudaStream_t stream) {
  cudaGraph_t graph;
  LAB_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_all(words, steps, stream);
  LAB_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

// Made ready to be launched.
inline cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  LAB_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

// Other arguments, the same nodes and edges: what is ready is changed, and not made anew.
inline void update(cudaGraphExec_t exec, cudaGraph_t changed) {
  cudaGraphExecUpdateResultInfo why;
  LAB_CHECK(cudaGraphExecUpdate(exec, changed, &why));
}

// What the host needs to ask for it, in microseconds: the median of five.
template <class Work> double asking_us(Work &&work) {
  const double us = lab::median_of(5, 0, [&] {
    LAB_CHECK(cudaDeviceSynchronize());
    return 1e3 * lab::host_ms(work);
  });
  LAB_CHECK(cudaDeviceSynchronize());
  return us;
}

inline void show(lab::Demo &demo, Word *words, cudaStream_t stream, cudaGraphExec_t exec) {
  const auto launches = [&] { launch_all(words, 1, stream); };
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

// Microseconds for writing it down, for making it ready, and for changing what is ready.
inline void show_prices(lab::Demo &demo, Word *words, cudaStream_t stream, cudaGraphExec_t exec) {
  std::vector<double> written, made, updated;
  for (unsigned turn = 0; turn < 7; ++turn) {
    const lab::HostTimer writing;
    const cudaGraph_t graph = write_down(words, 1 + turn % 2, stream);
    written.push_back(1e3 * writing.ms());
    const lab::HostTimer making;
    const cudaGraphExec_t other = instantiate(graph);
    made.push_back(1e3 * making.ms());
    const lab::HostTimer updating;
    update(exec, graph);
    updated.push_back(1e3 * updating.ms());
    LAB_CHECK(cudaGraphExecDestroy(other));
    LAB_CHECK(cudaGraphDestroy(graph));
  }
  const auto say = [&](const char *what, const char *key, const std::vector<double> &times) {
    const double us = lab::summarize(times).median_ms;
    demo.say("%-36s %8.0f\n", what, us);
    demo.value(key, us);
  };
  say("µs to write it down", "writing_us", written);
  say("µs to make it ready", "making_us", made);
  say("µs to change what is ready", "updating_us", updated);
}

inline void run(lab::Demo &demo) {
  lab::DeviceBuffer<Word> words(n);
  LAB_CHECK(cudaMemset(words.data(), 0, words.bytes()));
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  LAB_CHECK(cudaDeviceSynchronize()); // that stream would not wait for the memset
  const cudaGraph_t one_step = write_down(words.data(), 1, stream);
  const cudaGraph_t three_steps = write_down(words.data(), 3, stream);
  const cudaGraphExec_t exec = instantiate(one_step);
  launch_all(words.data(), 1, stream);
  LAB_CHECK(cudaGraphLaunch(exec, stream));
  LAB_CHECK(cudaGraphLaunch(exec, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  demo.expect(words.at(n - 1) == jump(0, 3 * kernels), "capturing runs nothing, launching does");
  update(exec, three_steps);
  LAB_CHECK(cudaGraphLaunch(exec, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  demo.expect(words.at(n - 1) == jump(0, 6 * kernels), "an update takes effect");
  update(exec, one_step);
  if (can_tell_spans())
    show(demo, words.data(), stream, exec);
  else
    say_who_tells(demo, "graphs");
  if (!lab::on_emulator())
    show_prices(demo, words.data(), stream, exec);
  LAB_CHECK(cudaGraphExecDestroy(exec));
  for (cudaGraph_t graph : {one_step, three_steps})
    LAB_CHECK(cudaGraphDestroy(graph));
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_graphs
