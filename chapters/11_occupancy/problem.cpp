#include "problem.hpp"

namespace {

// As a program on the host would do it: no table, no threads.
std::vector<float> values_of(const std::vector<unsigned> &readings) {
  std::vector<float> values;
  values.reserve(readings.size());
  for (unsigned reading : readings)
    values.push_back(static_cast<float>(entry(reading & code_mask)) * scale);
  return values;
}

} // namespace

Readings::Readings(const lab::Case &c)
    : n(c.n), d_in(c.n), d_table(entries), d_table16(entries), d_out(c.n), d_tickets(1) {
  std::vector<unsigned> readings(n);
  lab::fill_random(readings.data(), n, c.seed);
  expected = values_of(readings);
  d_in.upload(readings);
  std::vector<float> table(entries);
  std::vector<unsigned short> table16(entries);
  for (unsigned code = 0; code < entries; ++code) {
    table16[code] = entry(code);
    table[code] = static_cast<float>(entry(code)) * scale;
  }
  d_table.upload(table);
  d_table16.upload(table16);
}

void Readings::prepare() {
  lab::poison(d_out);
  lab::poison(d_tickets);
}

lab::Verdict Readings::check() { return lab::compare(d_out.download(), expected); }

int blocks_per_sm(const Plan &plan) {
  int most = 0, blocks = 0; // most: bytes of shared memory that a block may have
  LAB_CHECK(cudaDeviceGetAttribute(
      &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, lab::choose_device().id));
  if (plan.shared > static_cast<size_t>(most))
    throw lab::EnvironmentError("a block of this step does not fit on a multiprocessor of this "
                                "device: it needs 64 KB of shared memory");
  LAB_CHECK(cudaFuncSetAttribute(
      plan.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(plan.shared)));
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, plan.kernel, plan.threads, plan.shared));
  return blocks;
}

unsigned grid_for(const Plan &plan, size_t n, unsigned per_thread) {
  const size_t of_block = static_cast<size_t>(plan.threads) * per_thread;
  const size_t useful = (n + of_block - 1) / of_block;
  int sms = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, lab::choose_device().id));
  const size_t fit = static_cast<size_t>(blocks_per_sm(plan)) * static_cast<size_t>(sms);
  return static_cast<unsigned>(useful < 1 ? 1 : useful < fit ? useful : fit);
}
