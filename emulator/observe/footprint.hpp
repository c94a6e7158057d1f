/// \file
/// Which bytes a task touches, and how: exact, so that neighbouring parts of a buffer stay apart.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace emu {

/// How a byte is touched. Reads of volatile variables and atomics are meant to meet others.
enum class Way : uint8_t { read, write, atomic, polled_read, count };
constexpr size_t ways = static_cast<size_t>(Way::count);

struct Span {
  uint64_t begin, end; // bytes
};

/// The spans of each way, in order, none of them touching the next.
using Touched = std::array<std::vector<Span>, ways>;

/// Whether both have bytes in common; `common` gets the first ones.
bool meet(const std::vector<Span> &a, const std::vector<Span> &b, Span &common);

/// The first bytes that two tasks touch in ways that do not go together.
struct Conflict {
  uint64_t address;
  uint64_t bytes;
  Way first, second; // how the one and the other touch them
};
/// \return whether there are any
bool find_conflict(const Touched &one, const Touched &other, Conflict &found);
/// The same for one access. \param second  is left alone unless there is a conflict
bool find_conflict(const Touched &one, Span span, Way way, Conflict &found);
uint64_t bytes_of(const Touched &touched);

/// Collects accesses.
class Footprint {
public:
  void add(const void *address, size_t bytes, Way way) {
    auto at = reinterpret_cast<uint64_t>(address);
    while (bytes > 0) {
      const size_t offset = at % page_bytes, here = std::min(bytes, page_bytes - offset);
      mark(page(at / page_bytes).bits[static_cast<size_t>(way)], offset, here);
      at += here;
      bytes -= here;
    }
  }
  /// As if these bytes had not been touched.
  void remove(const void *address, size_t bytes);
  /// Hands over what was collected and begins anew.
  Touched take();
  bool empty() const { return pages_.empty(); }

private:
  static constexpr size_t page_bytes = 4096;
  using Bits = std::array<uint64_t, page_bytes / 64>;
  struct Page {
    std::array<Bits, ways> bits{};
  };
  struct Recent {
    uint64_t number = ~uint64_t{0};
    Page *page = nullptr;
  };

  static void mark(Bits &bits, size_t first, size_t count) {
    if (first % 64 + count < 64) { // mostly
      bits[first / 64] |= ((uint64_t{1} << count) - 1) << first % 64;
      return;
    }
    while (count > 0) {
      const size_t bit = first % 64, here = std::min(count, 64 - bit);
      bits[first / 64] |= (here == 64 ? ~uint64_t{0} : (uint64_t{1} << here) - 1) << bit;
      first += here;
      count -= here;
    }
  }
  Page &page(uint64_t number) {
    Recent &recent = recent_[number % recent_.size()];
    if (recent.number != number) {
      std::unique_ptr<Page> &place = pages_[number];
      if (!place)
        place = std::make_unique<Page>();
      recent = {number, place.get()};
    }
    return *recent.page;
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, 64> recent_;
};

} // namespace emu
