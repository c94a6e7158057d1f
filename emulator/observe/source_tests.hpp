/// \file
/// What the program's source says around a line: which tests stand there already. Advice that asks for one of them is of
/// no use.
#pragma once

#include <string>
#include <vector>

#include <observation/observe.hpp>

namespace emu {

/// A condition that has to hold where a line is reached.
struct SourceTest {
  int line = 0;
  std::string text; ///< "i < n", as it is written
  enum class Kind { branch, loop, choice } kind = Kind::branch; ///< a choice is of ?:
  bool in_strides = false; ///< of a loop that goes on by more than one
  bool of_threads = false; ///< made of what differs from thread to thread, as far as one sees
};

/// Those that a line stands behind, inner ones first: of the ifs and loops around it, of what returns before it, and of
/// a ?: in its statement. None where the source cannot be read.
std::vector<SourceTest> tests_around(const SourceLine &where);

/// The one of these that limits the index with which the line goes to `array`: it compares a variable of which the index
/// is made. Null if there is none, and where the line has no index.
/// \param subtracted  be it one that the index is less for: a limit from above keeps that one from no end of the array
const SourceTest *test_of(const std::string &array,
                          const SourceLine &where,
                          const std::vector<SourceTest> &tests,
                          bool subtracted = true);

/// A variable that lanes tell each other by a shuffle, and that decides who leaves a loop or the kernel.
struct ToldByShuffle {
  std::string name; ///< empty: the kernel has none
  int line = 0; ///< of the shuffle
  SourceTest test;
};
/// The first one of a kernel in this file.
ToldByShuffle told_by_shuffle(const std::string &file, const std::string &kernel);

/// The lines of the same function that assign to an element of `array`.
std::vector<SourceLine> lines_that_set(const std::string &array, const SourceLine &where);

/// Where a block is, and how large it and its grid are.
struct BlockPlace {
  const unsigned (&block)[3], (&threads)[3], (&blocks)[3];
};
enum class Comes : uint8_t { unknown, yes, no };
/// Whether, by the index that a line assigns to `array` with, a thread of the block comes to this element: without a look
/// at the tests around it. It is known of indices that are made of the threads' and blocks' and of numbers.
Comes comes_to(const SourceLine &where,
               const std::string &array,
               const std::vector<long> &element,
               const BlockPlace &place);

/// Whether a line goes to `array`, by a pointer to vectors perhaps, with an index that has this value for a thread.
bool goes_with_index(const SourceLine &where,
                     const std::string &array,
                     long index,
                     const BlockPlace &place,
                     const unsigned (&thread)[3]);

/// The one array or pointer, by its name, that a line follows where it assigns something, or where it reads: "room" and
/// "records" of room[i] = records[i]. Empty if there is none, or there are several.
std::string followed_in(const SourceLine &where, bool written);

/// Whether a line has this name in it.
bool names(const SourceLine &where, const std::string &name);

} // namespace emu
