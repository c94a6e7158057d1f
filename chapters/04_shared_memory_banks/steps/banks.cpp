#include "steps/banks.hpp"

#include <numeric>
#include <set>

Request strided(unsigned stride) {
  Request request;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.index[lane] = lane * stride;
  return request;
}

// Of the `count` lanes from `first` on: the most different words that one bank has to give.
unsigned busiest_bank(const Request &request, unsigned first, unsigned count, unsigned words) {
  std::set<unsigned> of_bank[banks]; // a set: a word that many lanes want counts once
  for (unsigned lane = first; lane < first + count; ++lane)
    if (request.index[lane] != Request::idle)
      for (unsigned i = 0; i < words; ++i) {
        const unsigned word = request.index[lane] * words + i;
        of_bank[word % banks].insert(word);
      }
  std::size_t most = 0;
  for (const std::set<unsigned> &wanted : of_bank)
    most = wanted.size() > most ? wanted.size() : most;
  return static_cast<unsigned>(most);
}

// Do each two of these lanes whose numbers differ in this bit, 1 or 2, want the same element?
bool alike_in_pairs(const Request &request, unsigned first, unsigned count, unsigned bit) {
  for (unsigned lane = first; lane < first + count; ++lane) {
    const unsigned mine = request.index[lane], others = request.index[lane ^ bit];
    if (mine != Request::idle && others != Request::idle && mine != others)
      return false;
  }
  return true;
}

unsigned rounds(const Request &request, unsigned element_bytes) {
  const unsigned words = element_bytes / 4; // of an element
  const unsigned group = 32 / words; // lanes served at a time
  unsigned total = 0;
  for (unsigned first = 0; first < 32; first += group) {
    const bool pairs = words > 1 && first % (2 * group) == 0 &&
                       (alike_in_pairs(request, first, 2 * group, 1) ||
                        alike_in_pairs(request, first, 2 * group, 2));
    if (pairs && busiest_bank(request, first, 2 * group, words) == 1) {
      total += 1; // two groups in one round
      first += group;
    } else
      total += busiest_bank(request, first, group, words);
  }
  return total;
}

unsigned rounds_of_stride(unsigned stride, unsigned element_bytes) {
  const unsigned words = element_bytes / 4;
  return words * std::gcd(stride, 32 / words);
}
