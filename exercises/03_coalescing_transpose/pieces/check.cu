// Checks pieces.cu: warps side by side, apart, shuffled and drawn, with lanes that do not read, for each size of a piece.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

struct Reads {
  unsigned long long address[32];
  int bytes[32];
};

long long bytes_delivered(const Reads &reads, int piece);

namespace {

using Number = unsigned long long;

int drawn(int low, int high) { return checker::random_values<int>(1, low, high)[0]; }

/// Lanes so far apart, from `first` on.
Reads apart(Number first, int stride, int bytes) {
  Reads reads;
  for (int lane = 0; lane < 32; ++lane) {
    reads.address[lane] = first + static_cast<Number>(lane) * stride;
    reads.bytes[lane] = bytes;
  }
  return reads;
}

/// The same reads, by other lanes.
Reads shuffled(Reads reads) {
  for (int lane = 31; lane > 0; --lane) {
    const int other = drawn(0, lane);
    std::swap(reads.address[lane], reads.address[other]);
    std::swap(reads.bytes[lane], reads.bytes[other]);
  }
  return reads;
}

/// Some lanes do not read; where they would have is somewhere else, or next to the others.
Reads with_gaps(Reads reads, int of) {
  for (int lane = 0; lane < 32; ++lane)
    if (drawn(0, of - 1) == 0) {
      reads.bytes[lane] = 0;
      reads.address[lane] += 4096 * drawn(0, 1);
    }
  return reads;
}

Reads anywhere() {
  Reads reads;
  const Number field = static_cast<Number>(drawn(1, 4000000)) * 4096;
  const int size = 1 << drawn(8, 14);
  for (int lane = 0; lane < 32; ++lane) {
    reads.address[lane] = field + drawn(0, size);
    reads.bytes[lane] = drawn(1, 48);
  }
  return reads;
}

Number first_of(const Reads &reads, int lane, int piece) { return reads.address[lane] / piece; }
Number last_of(const Reads &reads, int lane, int piece, int more = 0) {
  return (reads.address[lane] + reads.bytes[lane] - 1 + more) / piece;
}

/// Pieces from first to last, every `step`th.
struct Range {
  Number first, last, step = 1;
};

/// Bytes of the different pieces that lanes want; `range_of` says which for a lane.
template <class RangeOf> long long together(const Reads &reads, int piece, RangeOf range_of) {
  std::set<Number> pieces;
  for (int lane = 0; lane < 32; ++lane) {
    const Range range = range_of(lane);
    for (Number p = range.first; p <= range.last; p += range.step)
      pieces.insert(p);
  }
  return static_cast<long long>(pieces.size()) * piece;
}

constexpr Range none = {1, 0};

long long right(const Reads &reads, int piece) {
  return together(reads, piece, [&](int lane) {
    return reads.bytes[lane] > 0 ? Range{first_of(reads, lane, piece), last_of(reads, lane, piece)}
                                 : none;
  });
}

/// A piece is new unless the lane before has wanted it, too.
long long in_order(const Reads &reads, int piece) {
  long long pieces = 0;
  Number known = ~Number{0};
  for (int lane = 0; lane < 32; ++lane)
    if (reads.bytes[lane] > 0)
      for (Number p = first_of(reads, lane, piece); p <= last_of(reads, lane, piece); ++p)
        if (p != known) {
          ++pieces;
          known = p;
        }
  return pieces * piece;
}

/// Only pieces behind the last one so far are new.
long long rising(const Reads &reads, int piece) {
  long long pieces = 0;
  Number fresh = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (reads.bytes[lane] > 0)
      for (Number p = std::max(fresh, first_of(reads, lane, piece));
           p <= last_of(reads, lane, piece);
           ++p) {
        ++pieces;
        fresh = p + 1;
      }
  return pieces * piece;
}

long long first_bytes(const Reads &reads, int piece) {
  return together(reads, piece, [&](int lane) {
    const Number first = first_of(reads, lane, piece);
    return reads.bytes[lane] > 0 ? Range{first, first} : none;
  });
}

long long first_and_last(const Reads &reads, int piece) {
  return together(reads, piece, [&](int lane) {
    const Number first = first_of(reads, lane, piece), last = last_of(reads, lane, piece);
    return reads.bytes[lane] > 0 ? Range{first, last, std::max<Number>(last - first, 1)} : none;
  });
}

long long one_too_far(const Reads &reads, int piece) {
  return together(reads, piece, [&](int lane) {
    return reads.bytes[lane] > 0
               ? Range{first_of(reads, lane, piece), last_of(reads, lane, piece, 1)}
               : none;
  });
}

long long with_idle_lanes(const Reads &reads, int piece) {
  return together(reads, piece, [&](int lane) {
    const Number first = first_of(reads, lane, piece);
    return Range{first, reads.bytes[lane] > 0 ? last_of(reads, lane, piece) : first};
  });
}

long long all_between(const Reads &reads, int piece) {
  Number first = ~Number{0}, last = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (reads.bytes[lane] > 0) {
      first = std::min(first, first_of(reads, lane, piece));
      last = std::max(last, last_of(reads, lane, piece));
    }
  return first > last ? 0 : static_cast<long long>(last - first + 1) * piece;
}

long long per_lane(const Reads &reads, int piece, bool idle_too) {
  long long lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    lanes += reads.bytes[lane] > 0 || idle_too;
  return lanes * piece;
}

/// What each lane would get if it were alone.
long long alone(const Reads &reads, int piece) {
  long long pieces = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (reads.bytes[lane] > 0)
      pieces +=
          static_cast<long long>(last_of(reads, lane, piece) - first_of(reads, lane, piece)) + 1;
  return pieces * piece;
}

long long wanted(const Reads &reads) {
  long long bytes = 0;
  for (int lane = 0; lane < 32; ++lane)
    bytes += reads.bytes[lane];
  return bytes;
}

struct Case {
  std::string name;
  Reads reads;
  int piece;
  bool far = false; ///< apart by more than 32 bits can say
};

/// Right in all cases but in those.
bool wrong_far_apart(const std::vector<Case> &all, const std::vector<long long> &given) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((given[i] != right(all[i].reads, all[i].piece)) != all[i].far)
      return false;
  return true;
}

/// What the first and the last piece of a read leave out, of a lane in one of the cases.
std::string one_in_three_pieces(const std::vector<Case> &all) {
  for (const Case &one : all)
    for (int lane = 0; lane < 32; ++lane) {
      const Number begin = one.reads.address[lane];
      const Number first = first_of(one.reads, lane, one.piece);
      if (one.reads.bytes[lane] > 0 && last_of(one.reads, lane, one.piece) == first + 2)
        return "a lane reads bytes " + std::to_string(begin) + " to " +
               std::to_string(begin + one.reads.bytes[lane] - 1) + ": pieces " +
               std::to_string(first) + ", " + std::to_string(first + 1) + " and " +
               std::to_string(first + 2) + " of " + std::to_string(one.piece) +
               " bytes. The first and the last are not all";
    }
  return {};
}

void check(const std::vector<Case> &all) {
  std::vector<long long> given;
  for (const Case &one : all)
    given.push_back(bytes_delivered(one.reads, one.piece));
  using Answer = std::function<long long(const Reads &, int)>;
  const auto mistake = [&](const char *diagnosis, const Answer &answer, const char *text) {
    bool all_alike = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      all_alike = all_alike && given[i] == answer(all[i].reads, all[i].piece);
    checker::diagnose(diagnosis, all_alike, text);
  };
  using R = const Reads &;
  for (const bool idle_too : {false, true})
    mistake(
        "a_piece_for_each_lane",
        [=](R r, int p) { return per_lane(r, p, idle_too); },
        "a piece is counted for each lane. Lanes that want something of the same piece share it");
  mistake("a_piece_for_each_lane",
          alone,
          "each lane is counted as if it were alone. Lanes that want something of the same piece "
          "share it");
  mistake(
      "wanted_bytes",
      [](R r, int) { return wanted(r); },
      "these are the bytes that are wanted. DRAM delivers whole pieces");
  mistake(
      "pieces_not_bytes",
      [](R r, int p) { return right(r, p) / p; },
      "this is the number of pieces. How many bytes have they?");
  mistake("in_order_only",
          in_order,
          "right where each lane reads behind the one before. Where lanes come in another order, a "
          "piece may have been wanted by any of the lanes before, not only by the last one");
  mistake("in_order_only",
          rising,
          "right where each lane reads behind the one before. Where lanes come in another order, a "
          "piece in front of one that is counted may still be new");
  mistake("across_a_border",
          first_bytes,
          "pieces are missing: a read of some bytes may begin in one piece and end in the next, "
          "or in the one after that");
  mistake("ends_only", first_and_last, one_in_three_pieces(all).c_str());
  const char *const too_far =
      "a piece too many where a read ends just before a border: n bytes from address a on end at "
      "byte a + n - 1";
  mistake("one_too_far", one_too_far, too_far);
  mistake("all_between",
          all_between,
          "everything from the first piece to the last is counted, also pieces that nobody wants");
  mistake("who_does_not_read",
          with_idle_lanes,
          "lanes that read 0 bytes are counted, too: nothing is delivered for them");
  for (const int size : {32, 64, 128})
    mistake(
        "piece_of_one_size",
        [=](R r, int) { return right(r, size); },
        "right for pieces of one size only: the size comes as an argument");
  checker::diagnose("cut_to_32_bits",
                    wrong_far_apart(all, given),
                    "right while all lanes read within 4 GiB. An address has 64 bits: is it put "
                    "into an int or an "
                    "unsigned anywhere, which have 32?");
  std::vector<long long> expected;
  for (const Case &one : all)
    expected.push_back(right(one.reads, one.piece));
  bool too_many = true, too_few = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    too_many = too_many && given[i] >= expected[i];
    too_few = too_few && given[i] <= expected[i];
  }
  checker::diagnose(
      "counted_again",
      too_many,
      "never too few bytes, and too many now and then: some piece is counted again, by a lane "
      "that is not the first to want it, or nobody wants it");
  checker::diagnose(
      "pieces_missing",
      too_few,
      "never too many bytes, and too few now and then: a lane wants a piece that nobody has "
      "counted, and it is taken to be there");
  std::size_t shown = 0; // the first one that is wrong, if any is
  while (shown + 1 < all.size() && given[shown] == expected[shown])
    ++shown;
  const Case &first = all[shown];
  checker::diagnose("one_too_far", // and another mistake, later on
                    given[shown] == one_too_far(first.reads, first.piece),
                    too_far);
  checker::expect_same("bytes delivered in pieces of " + std::to_string(first.piece) + " when " +
                           first.name,
                       given[shown],
                       expected[shown]);
}

} // namespace

TEST_CASE("any warp") {
  std::vector<Case> all;
  const auto add = [&](const std::string &name, const Reads &reads) {
    for (const int piece : {32, 64, 128})
      all.push_back({name, reads, piece});
  };
  add("each lane reads 4 bytes, behind those of the lane before", apart(1 << 20, 4, 4));
  add("each lane reads 4 bytes, behind those of the lane before, from byte 4 on",
      apart((1 << 20) + 4, 4, 4));
  add("all lanes read the same 4 bytes", apart(1 << 20, 0, 4));
  for (const int stride : {8, 32, 64, 100, 128, 4096})
    add("each lane reads 8 bytes, " + std::to_string(stride) + " bytes from lane to lane",
        apart(1 << 20, stride, 8));
  add("each lane reads 12 bytes, behind those of the lane before, from byte 20 on",
      apart((1 << 20) + 20, 12, 12));
  add("each lane reads 12 bytes, side by side from byte 20 on, in any order",
      shuffled(apart((1 << 20) + 20, 12, 12)));
  add("each lane reads 48 bytes, 200 bytes from lane to lane", apart((1 << 20) + 24, 200, 48));
  add("each lane reads 4 bytes, in front of those of the lane before", apart(1 << 20, -4, 4));
  add("no lane reads", with_gaps(apart(1 << 20, 4, 4), 1));
  for (int i = 0; i < 20; ++i) {
    const Number first = (Number{1} << drawn(20, 34)) + drawn(0, 127);
    add("lanes read side by side in any order, and some do not read",
        with_gaps(shuffled(apart(first, drawn(1, 48), drawn(1, 48))), 4));
    add("lanes read anywhere", anywhere());
    add("lanes read anywhere, and some do not read", with_gaps(anywhere(), 3));
  }
  for (const int piece : {32, 64, 128}) {
    Reads far = apart(1 << 20, 4, 4);
    for (int lane = 0; lane < 32; ++lane)
      far.address[lane] += static_cast<Number>(lane % 8) << 32;
    all.push_back(
        {"each lane reads 4 bytes, 4 GiB from lane to lane, in eight places", far, piece, true});
  }
  check(all);
}

TEST_CASE("8 bytes of every 48") {
  checker::record("delivered_48_apart",
                  static_cast<double>(bytes_delivered(apart(1 << 20, 48, 8), 64)));
  checker::record("most_for_48_bytes",
                  static_cast<double>(bytes_delivered(apart((1 << 20) + 31, 4096, 48), 32)));
}

TEST_CASE("a picture in 1152 warps") {
  checker::unless_failed_before();
  constexpr int rows = 24, cols = 48;
  std::minstd_rand next(static_cast<unsigned>(drawn(1, 1 << 20)));
  std::vector<bool> cells;
  for (int i = 0; i < rows * cols; ++i) {
    const double x = i % cols - 23.5, y = i / cols - 11.5, r = 1.5 * std::hypot(x / 1.9, y);
    const bool dark = r < 18 && std::sin(2 * std::atan2(y, x / 1.9) + 6 * std::log(r + 1)) > 0;
    Reads warp;
    do
      for (int lane = 0; lane < 32; ++lane) {
        warp.address[lane] = (1 << 20) + next() % 2048;
        warp.bytes[lane] = std::max(0, static_cast<int>(next() % 12) - 5);
      }
    while (right(warp, 64) / 64 % 2 == (dark ? 0 : 1));
    cells.push_back(bytes_delivered(warp, 64) / 64 % 2 == 1);
  }
  checker::note(
      "1152 warps have read here and there, and there is a picture in it: a place is dark "
      "where by your function DRAM delivers an odd number of pieces of 64." +
      checker::picture(cells, cols));
}
