#include "trace.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <type_traits>

namespace model {
namespace {

constexpr uint64_t magic = 0x37656361727466ull; // "ftrace7"

// One function for both ways, so that they cannot differ.
template <class Stream> class Archive {
public:
  static constexpr bool writes = std::is_same_v<Stream, std::ofstream>;
  explicit Archive(Stream &stream) : stream_(stream) {}

  template <class T> void raw(T *values, size_t count) {
    const auto bytes = static_cast<std::streamsize>(count * sizeof(T));
    if constexpr (writes)
      stream_.write(reinterpret_cast<const char *>(values), bytes);
    else
      stream_.read(reinterpret_cast<char *>(values), bytes);
    if (!stream_)
      throw std::runtime_error(writes ? "cannot write a file of launches"
                                      : "a file of launches ends early");
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T &value) { raw(&value, 1); }

  template <class List> size_t size(List &list) {
    uint64_t count = list.size();
    (*this)(count);
    if constexpr (!writes) {
      if (count > (uint64_t{1} << 32))
        throw std::runtime_error("no file of launches");
      list.resize(count);
    }
    return count;
  }
  void operator()(std::string &text) {
    size(text);
    raw(text.data(), text.size());
  }
  template <class T> void operator()(std::vector<T> &list) {
    size(list);
    if constexpr (std::is_trivially_copyable_v<T>)
      raw(list.data(), list.size());
    else
      for (T &one : list)
        (*this)(one);
  }
  void operator()(Lowered &l) {
    all(l.unit,
        l.action,
        l.slots,
        l.turns,
        l.special,
        l.amount,
        l.past_l1,
        l.adds_floats,
        l.reads,
        l.writes);
  }
  void operator()(LoweredFunction &f) {
    all(f.name, f.code, f.registers, f.register_names, f.static_shared);
  }
  void operator()(BlockTrace &b) { all(b.block, b.warps, b.sectors, b.looks); }
  void operator()(LaunchTrace &t) {
    all(t.part, t.kernel, t.grid, t.block, t.dynamic_shared, t.launches, t.refused);
    all(t.function, t.blocks, t.touched);
  }
  void operator()(TaskTrace &t) {
    all(t.work, t.pageable, t.direct, t.device, t.from, t.to, t.stream, t.priority);
    all(t.graph_launch,
        t.bytes,
        t.fault_bytes,
        t.made_bytes,
        t.blocks,
        t.launch,
        t.reached,
        t.after);
  }
  void operator()(PartTrace &p) { all(p.part, p.tasks, p.host); }
  void operator()(ProgramTrace &p) { all(p.launches, p.parts); }

private:
  template <class... T> void all(T &...members) { ((*this)(members), ...); }

  Stream &stream_;
};

} // namespace

void write_traces(const std::filesystem::path &file, const ProgramTrace &traces) {
  std::ofstream stream(file, std::ios::binary);
  Archive archive(stream);
  uint64_t head = magic;
  archive(head);
  archive(const_cast<ProgramTrace &>(traces)); // it only writes
}

ProgramTrace read_traces(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  Archive archive(stream);
  uint64_t head = 0;
  archive(head);
  if (head != magic)
    throw std::runtime_error("no file of launches");
  ProgramTrace traces;
  archive(traces);
  return traces;
}

int blocks_per_sm(const LaunchTrace &launch, const Device &device) {
  return occupancy::resident(device.limits,
                             {static_cast<int>(launch.block.count()),
                              std::min(launch.function.registers, occupancy::registers_per_thread),
                              launch.function.static_shared + launch.dynamic_shared})
      .blocks;
}

std::vector<uint64_t> sampled_blocks(const Extent &grid) {
  const uint64_t all = grid.count();
  if (all <= 4) {
    std::vector<uint64_t> every(all);
    for (uint64_t b = 0; b < all; ++b)
      every[b] = b;
    return every;
  }
  std::set<uint64_t> chosen = {0};
  const uint64_t middle = all / grid.x / 2 * grid.x + grid.x / 2;
  chosen.insert(middle);
  chosen.insert(middle + 1 < all ? middle + 1 : middle - 1);
  if (grid.y > 1)
    chosen.insert(middle + grid.x < all ? middle + grid.x : middle - grid.x);
  return {chosen.begin(), chosen.end()};
}

std::vector<uint64_t> spread_blocks(const Extent &grid) {
  constexpr uint64_t count = 8;
  constexpr double golden = 0.6180339887498949; // neighbours of no other, in neither direction
  const uint64_t all = grid.count();
  std::set<uint64_t> chosen;
  for (uint64_t k = 1; k <= count && all > 4 * count; ++k)
    chosen.insert(static_cast<uint64_t>(
        static_cast<double>(all) *
        (golden * static_cast<double>(k) - std::floor(golden * static_cast<double>(k)))));
  for (uint64_t known : sampled_blocks(grid))
    chosen.erase(known);
  return {chosen.begin(), chosen.end()};
}

std::vector<const BlockTrace *> timed_blocks(const LaunchTrace &launch) {
  const std::vector<uint64_t> neighbours = sampled_blocks(launch.grid);
  const bool spread = launch.blocks.size() > 2 * neighbours.size() - 1;
  std::vector<const BlockTrace *> timed;
  for (const BlockTrace &block : launch.blocks)
    if (!spread || std::find(neighbours.begin(), neighbours.end(), block.block) == neighbours.end())
      timed.push_back(&block);
  return timed;
}

} // namespace model
