/// \file
/// What streams and the host do between kernels, passed on to the instruments that want to know.
#pragma once

#include "observer.hpp"

namespace emu {

class Recorder;

class RuntimeObserver final : public RuntimeWatcher {
public:
  explicit RuntimeObserver(Recorder &recorder) : recorder_(recorder) {}

  void call_failed(cudaError_t error) override;
  void error_fetched() override;
  void host_complained(const char *kind, const char *text) override;
  std::string place_of_caller() override;
  void task_made(Task &task) override;
  void task_submitted(const Task &task) override;
  void task_begins(const Task &task) override;
  void task_ends(const Task &task) override;
  void host_waited(const Task *task) override;
  bool host_knows(const Task &task) override;
  void waited_in_vain(unsigned stream) override;
  void device_waited(int device) override;
  void handed_over(
      const char *call, const void *memory, size_t bytes, bool writes, bool as_device) override;
  void memory_allocated(const Allocation &allocation) override;
  void memory_freed(void *base) override;
  void handle_made(const void *handle, const char *destroyed_by) override;
  void handle_gone(const void *handle) override;
  void memory_written(void *base, size_t bytes) override;
  void pages_prefetched(const void *memory, size_t bytes, bool to_device) override;
  void pages_discarded(const void *memory, size_t bytes) override;
  void
  pages_advised(const void *memory, size_t bytes, cudaMemoryAdvise advice, bool device) override;

private:
  Recorder &recorder_;
};

} // namespace emu
