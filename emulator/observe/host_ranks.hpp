/// \file
/// Looks for host threads that play ranks (play_rank()) and read what another one has written: processes have no
/// variables in common.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "observer.hpp"

namespace emu {

class HostRanks : public Observer {
public:
  explicit HostRanks(HazardSink &sink) : sink_(sink) {}

  unsigned wants() const override { return host_accesses; }
  void start() override;
  void host_access(const HostAccess &access) override;
  /// So has a call of the runtime's, for its caller.
  void call_wrote(const char *memory, size_t bytes);
  /// From here on the host thread plays this rank; -1: none.
  static void play(int rank) { playing = rank; }

private:
  struct Writer {
    int rank;
    std::shared_ptr<const std::vector<uint32_t>> callers; // the instructions that led there
  };
  void look_whose(const HostAccess &access);

  static constinit thread_local int playing;
  HazardSink &sink_;
  std::unordered_map<const char *, Writer> writers_; // of each byte that such threads have written
};

} // namespace emu
