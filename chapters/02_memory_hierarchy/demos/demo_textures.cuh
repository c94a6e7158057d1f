#pragma once

#include "demos/textures.hpp"

#include <set>
#include <string>
#include <vector>

namespace demo_textures {

constexpr unsigned tile = 32; // a block reads tile x tile words of the image, four each thread
constexpr unsigned threads = 256;

enum class Lanes { side_by_side, one_below_the_other, in_blocks };

struct Place {
  unsigned col, row; // both: [0, tile)
};

// Where read number i of a block goes, i: [0, 1024). A warp's lanes are 32 neighbours in i.
template <Lanes lanes> __host__ __device__ Place place_of(unsigned i) {
  const unsigned lane = i % 32, line = i / 32;
  if (lanes == Lanes::side_by_side)
    return {lane, line};
  if (lanes == Lanes::one_below_the_other)
    return {line, lane};
  return {line % 4 * 8 + lane % 8, line / 4 * 4 + lane / 8}; // 8 wide and 4 high
}

struct Load { // from plain memory
  const unsigned *in;
  size_t width;
  __device__ unsigned operator()(unsigned col, unsigned row) const { return in[row * width + col]; }
};

struct Fetch { // through a texture, whatever memory lies behind it
  cudaTextureObject_t texture;
  __device__ unsigned operator()(unsigned col, unsigned row) const {
    return tex2D<unsigned>(texture, col + 0.5f, row + 0.5f); // an element's middle
  }
};

// `result` gets the xor of each tile. In timed runs it is null, which the compiler cannot know.
template <Lanes lanes, class Read> __global__ void read_tiles(Read read, unsigned *result) {
  unsigned bits = 0;
#pragma unroll
  for (unsigned i = threadIdx.x; i < tile * tile; i += threads) {
    const Place at = place_of<lanes>(i);
    bits ^= read(blockIdx.x * tile + at.col, blockIdx.y * tile + at.row);
  }
  if (result)
    atomicXor(&result[blockIdx.y * gridDim.x + blockIdx.x], bits);
}

/// Sectors that a warp's loads from plain memory touch.
template <Lanes lanes> unsigned sectors(unsigned width) {
  std::set<unsigned> touched;
  for (unsigned i = 0; i < 32; ++i)
    touched.insert((place_of<lanes>(i).row * width + place_of<lanes>(i).col) / 8);
  return static_cast<unsigned>(touched.size());
}

inline std::vector<unsigned> tiles_on_host(const std::vector<unsigned> &image, unsigned n) {
  std::vector<unsigned> tiles((n / tile) * (n / tile));
  for (unsigned row = 0; row < n; ++row)
    for (unsigned col = 0; col < n; ++col)
      tiles[row / tile * (n / tile) + col / tile] ^= image[static_cast<size_t>(row) * n + col];
  return tiles;
}

/// An n x n image, in plain memory and in an array, and what its tiles come to.
struct Image {
  Image(unsigned n, std::vector<unsigned> words)
      : n(n), d_words(words.size()), array(words, n), rows(rows_of(d_words, n), sampler()),
        blocks(array.resource(), sampler()), tiles(tiles_on_host(words, n)),
        d_result(tiles.size()) {
    d_words.upload(words);
  }
  unsigned n;
  lab::DeviceBuffer<unsigned> d_words;
  Array array;
  Texture rows, blocks;
  std::vector<unsigned> tiles;
  lab::DeviceBuffer<unsigned> d_result;
};

template <Lanes lanes, class Read>
void one_way(lab::Demo &demo, const Image &image, const std::string &key, Read read) {
  const dim3 grid(image.n / tile, image.n / tile);
  LAB_CHECK(cudaMemset(image.d_result.data(), 0, image.d_result.bytes()));
  read_tiles<lanes><<<grid, threads>>>(read, image.d_result.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(image.d_result.download(), image.tiles));
  const auto gbps = [&] {
    const auto launch = [&] { read_tiles<lanes><<<grid, threads>>>(read, nullptr); };
    return static_cast<double>(image.d_words.bytes()) /
           lab::measure(launch, {.cold_l2 = true}).median_ms * 1e-6;
  };
  demo.say_timed(key + "_gbps", "%11.0f", gbps, "");
}

template <Lanes lanes> void row(lab::Demo &demo, const Image &image, const char *what) {
  demo.say("%-22s%8u", what, sectors<lanes>(image.n));
  const std::string key = std::string(what).substr(0, std::string(what).find(' '));
  demo.value(key + "_sectors", sectors<lanes>(image.n));
  one_way<lanes>(demo, image, key + "_loads", Load{image.d_words.data(), image.n});
  one_way<lanes>(demo, image, key + "_texture_of_rows", Fetch{image.rows.get()});
  one_way<lanes>(demo, image, key + "_texture_of_array", Fetch{image.blocks.get()});
  demo.say(lab::on_emulator() ? "   right\n" : "\n");
}

inline void run(lab::Demo &demo) {
  const unsigned n = demo.timed() ? 8192 : 256; // a multiple of `tile`
  std::vector<unsigned> words(static_cast<size_t>(n) * n);
  lab::fill_random(words.data(), words.size(), demo.seed());
  const Image image(n, words);
  demo.say("%u x %u words, read once, in tiles of 32 x 32\n\n", n, n);
  demo.say("%-22s%8s", "a warp's lanes", "sectors");
  if (lab::on_emulator())
    demo.say("   three ways\n");
  else
    demo.say("%11s%11s%11s\n", "loads", "tex, rows", "tex, array");
  row<Lanes::side_by_side>(demo, image, "side by side");
  row<Lanes::one_below_the_other>(demo, image, "one below the other");
  row<Lanes::in_blocks>(demo, image, "eight wide, four high");
  demo.say("\nsectors: that the loads from plain memory touch%s\n",
           lab::on_emulator() ? "" : " · then GB/s, for loads and for textures");
  if (lab::on_emulator())
    demo.say("Three ways: loads, a texture of the same rows, a texture of an array. The emulator\n"
             "finds the same words by each; what they cost, only a GPU can tell.\n");
}

} // namespace demo_textures
