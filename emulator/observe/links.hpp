/// \file
/// What moves between devices, and between them and the host: copies, and kernels that reach into
/// another device's memory. Of programs with several devices only; with one, chapters 07 and 08 tell.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../src/context/devices.hpp"
#include "../src/streams/tasks.hpp"
#include "bytes.hpp"
#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

class Links : public Observer {
public:
  unsigned wants() const override { return device_count_so_far() > 1 ? accesses : nothing; }
  void start() override { moved_.clear(); }
  void part_begins(const std::string &name) override { part_ = name; }
  /// The running kernel touches memory, which may be another device's.
  void access(ObservedBlock &, const ThreadAccess &access) override {
    if (const Region *region = access.region)
      if (region->device >= 0 && region->device != running_device)
        reached(access, region->device);
  }
  /// What a copy or one of NCCL's operations has moved, or the kernel that has just run.
  void task_ends(const Task &task, TaskCost &cost) override;

  /// Looks up the lines.
  std::vector<LinkReport> take();

  using Ends = std::tuple<std::string, int, int>; // part, from, to
  struct Moved {
    LinkCounts counts;
    std::map<std::tuple<uint32_t, Operation>, uint64_t> by_line; // bytes
    void carry(Bytes &bytes) { bytes(counts, by_line); }
  };
  std::map<Ends, Moved> take_moved() { return std::exchange(moved_, {}); }
  /// What has moved later.
  void add(const std::map<Ends, Moved> &later);

private:
  Moved &between(int from, int to) { return moved_[{part_, from, to}]; }
  void reached(const ThreadAccess &access, int owner);
  void copied(int from, int to, uint64_t bytes);

  std::string part_;
  std::map<Ends, Moved> moved_;
};

} // namespace emu
