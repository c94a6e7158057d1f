/// \file
/// The hazards that were found, each once, however often it was seen.
#pragma once

#include <string>
#include <vector>

#include "bytes.hpp"
#include "observer.hpp"
#include "reports.hpp"

namespace emu {

class HazardList {
public:
  /// \param kernel  the running one; empty in host code
  void add(const FoundHazard &hazard, const std::string &kernel, const std::string &part) {
    add({hazard, kernel, part, 1});
  }
  /// What was seen later.
  void add(const HazardList &later) {
    for (const Seen &seen : later.seen_)
      add(seen);
  }
  /// See HazardSink.
  void came_round(uint32_t pc);
  void came_late(const Side &read, const Side &write);
  void clear() { seen_.clear(); }
  /// Hands over all but those that only follow from others, causes first.
  void report(ReportBuilder &builder) const;
  void carry(Bytes &bytes) { bytes(seen_); }

private:
  struct Seen {
    FoundHazard found;
    std::string kernel, part;
    uint64_t count;
    bool in_launches_of(const Seen &other) const {
      return kernel == other.kernel && part == other.part;
    }
    void carry(Bytes &bytes);
  };
  void add(const Seen &added);
  bool follows(const Seen &seen) const;
  bool led_apart(const Seen &seen) const;
  bool is_cause(const Seen &seen) const;
  int rank(const Seen &seen) const;
  FoundHazard with_late_write(const Seen &seen) const;

  std::vector<Seen> seen_;
};

} // namespace emu
