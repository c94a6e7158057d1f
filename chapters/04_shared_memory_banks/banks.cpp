#include "banks.hpp"

#include <numeric>
#include <set>

Request strided(unsigned stride) {
  Request request;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.index[lane] = lane * stride;
  return request;
}

unsigned rounds(const Request &request, unsigned element_bytes) {
  const unsigned words = element_bytes / 4; // of an element
  const unsigned together = 32 / words; // lanes served at a time
  unsigned total = 0;
  for (unsigned first = 0; first < 32; first += together) {
    std::set<unsigned> of_bank[banks]; // a set: a word that many lanes want counts once
    for (unsigned lane = first; lane < first + together; ++lane)
      if (request.index[lane] != Request::idle)
        for (unsigned i = 0; i < words; ++i) {
          const unsigned word = request.index[lane] * words + i;
          of_bank[word % banks].insert(word);
        }
    std::size_t most = 0;
    for (const std::set<unsigned> &wanted : of_bank)
      most = wanted.size() > most ? wanted.size() : most;
    total += static_cast<unsigned>(most);
  }
  return total;
}

unsigned rounds_of_stride(unsigned stride, unsigned element_bytes) {
  const unsigned words = element_bytes / 4;
  return words * std::gcd(stride, 32 / words);
}
