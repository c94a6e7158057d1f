/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Batch> &ladder);

/// So many streams, while it lives.
struct Streams {
  explicit Streams(size_t count, unsigned flags = cudaStreamNonBlocking) : all(count) {
    for (cudaStream_t &stream : all)
      LAB_CHECK(cudaStreamCreateWithFlags(&stream, flags));
  }
  ~Streams() {
    for (cudaStream_t stream : all)
      cudaStreamDestroy(stream);
  }
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;
  std::vector<cudaStream_t> all;
};

/// What a demo says where nothing can tell times.
inline void say_who_tells(lab::Demo &demo, const char *name) {
  demo.say("Times on a GPU; by the emulator's model: ./tutor observe 07 -- --only %s\n", name);
}
