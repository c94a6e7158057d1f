#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

/// \file
/// Work that is independent, on all cores.

namespace tutor {

/// Calls `work(i)` once for each i < count, several at a time.
/// \throws the first exception that one of them has thrown, when all threads have ended
template <class Work> void in_parallel(std::size_t count, const Work &work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto thread = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        work(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = thrown ? thrown : std::current_exception();
    }
  };
  {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(cores, count); ++i) {
      threads.emplace_back(thread);
    }
    thread();
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

} // namespace tutor
