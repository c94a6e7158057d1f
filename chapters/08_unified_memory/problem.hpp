/// @file
/// The chapter's problem: c = a + b with the data on the host, before and after.
#pragma once

#include "steps/places.hpp"

#include "ladder/chapter.hpp"

#include <vector>

/// Two vectors and their sum in every kind of memory that the steps compare.
struct VectorSum {
  explicit VectorSum(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t bytes() const { return n * sizeof(double); }

  size_t n;
  int block; // threads per block
  std::vector<double> h_a, h_b, h_c; // as new and malloc give it: pageable
  std::vector<double> expected;
  lab::PinnedBuffer<double> pinned_a, pinned_b, pinned_c; // page-locked
  lab::DeviceBuffer<double> d_a, d_b, d_c;
  ManagedBuffer m_a, m_b, m_c;
  const double *result = nullptr; // where the last step left c, for the host to read
};

/// c[i] = a[i] + b[i] for i in [0, n). The pointers may be of any memory that the device can reach.
void add(const double *a,
         const double *b,
         double *c,
         size_t n,
         int block,
         cudaStream_t stream = nullptr);

/// Reads one word of each page, as a host does that needs the result. Waits for nothing.
void touch_pages(const double *memory, size_t n);

/// Takes back all advice and moves the managed vectors to the host: there a timed run begins.
void bring_home(VectorSum &p);

/// Milliseconds of `work`, by events, the median of five; before(…) is not timed.
template <class Before, class Work> double median_ms(Before &&before, Work &&work) {
  return lab::median_of(5, 0, [&] {
    before();
    LAB_CHECK(cudaDeviceSynchronize());
    return lab::event_ms(work);
  });
}

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<VectorSum> &ladder);
void register_demos(lab::Ladder<VectorSum> &ladder);
