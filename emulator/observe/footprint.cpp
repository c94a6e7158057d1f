#include "footprint.hpp"

namespace emu {

namespace {

void append(std::vector<Span> &spans, uint64_t begin, uint64_t end) {
  if (!spans.empty() && spans.back().end == begin)
    spans.back().end = end;
  else
    spans.push_back({begin, end});
}

// The runs of ones in 64 bytes' bits.
void append_runs(std::vector<Span> &spans, uint64_t base, uint64_t bits) {
  for (uint64_t at = 0; bits != 0;) {
    const auto zeros = static_cast<uint64_t>(__builtin_ctzll(bits));
    at += zeros;
    bits >>= zeros;
    const auto ones = bits == ~uint64_t{0} ? 64 : static_cast<uint64_t>(__builtin_ctzll(~bits));
    append(spans, base + at, base + at + ones);
    at += ones;
    bits = ones == 64 ? 0 : bits >> ones;
  }
}

bool goes_together(Way a, Way b) {
  if (a == Way::write || b == Way::write)
    return false;
  if (a == Way::atomic || b == Way::atomic)
    return a != Way::read && b != Way::read;
  return true; // two reads
}

} // namespace

bool meet(const std::vector<Span> &a, const std::vector<Span> &b, Span &common) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const uint64_t begin = std::max(a[i].begin, b[k].begin), end = std::min(a[i].end, b[k].end);
    if (begin < end) {
      common = {begin, end};
      return true;
    }
    if (a[i].end < b[k].end)
      ++i;
    else
      ++k;
  }
  return false;
}

bool find_conflict(const Touched &one, const Touched &other, Conflict &found) {
  for (size_t a = 0; a < ways; ++a)
    for (size_t b = 0; b < ways; ++b) {
      Span common{};
      if (!goes_together(static_cast<Way>(a), static_cast<Way>(b)) &&
          meet(one[a], other[b], common)) {
        found = {common.begin, common.end - common.begin, static_cast<Way>(a), static_cast<Way>(b)};
        return true;
      }
    }
  return false;
}

bool find_conflict(const Touched &one, Span span, Way way, Conflict &found) {
  for (size_t a = 0; a < ways; ++a) {
    if (goes_together(static_cast<Way>(a), way))
      continue;
    const std::vector<Span> &spans = one[a];
    const auto after =
        std::upper_bound(spans.begin(), spans.end(), span.begin, [](uint64_t at, const Span &s) {
          return at < s.end;
        });
    if (after == spans.end() || after->begin >= span.end)
      continue;
    found = {std::max(after->begin, span.begin), span.end - span.begin, static_cast<Way>(a), way};
    return true;
  }
  return false;
}

uint64_t bytes_of(const Touched &touched) {
  uint64_t sum = 0;
  for (const std::vector<Span> &spans : touched)
    for (const Span &span : spans)
      sum += span.end - span.begin;
  return sum;
}

void Footprint::remove(const void *address, size_t bytes) {
  for (auto at = reinterpret_cast<uint64_t>(address); bytes > 0;) {
    const size_t offset = at % page_bytes, here = std::min(bytes, page_bytes - offset);
    if (const auto found = pages_.find(at / page_bytes); found != pages_.end()) {
      Bits removed{};
      mark(removed, offset, here);
      for (Bits &bits : found->second->bits)
        for (size_t word = 0; word < bits.size(); ++word)
          bits[word] &= ~removed[word];
    }
    at += here;
    bytes -= here;
  }
}

Touched Footprint::take() {
  std::vector<uint64_t> numbers;
  for (const auto &[number, page] : pages_)
    numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  Touched touched;
  for (const uint64_t number : numbers) {
    const Page &page = *pages_[number];
    for (size_t way = 0; way < ways; ++way)
      for (size_t word = 0; word < page.bits[way].size(); ++word)
        append_runs(touched[way], number * page_bytes + word * 64, page.bits[way][word]);
  }
  pages_.clear();
  recent_.fill({});
  return touched;
}

} // namespace emu
