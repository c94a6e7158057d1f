/// \file
/// The hazards that were found, each once, however often it was seen.
#pragma once

#include <string>
#include <vector>

#include "observer.hpp"
#include "reports.hpp"

namespace emu {

class HazardList {
public:
  /// \param kernel  the running one; empty in host code
  void add(const FoundHazard &hazard, const std::string &kernel, const std::string &part);
  void clear() { seen_.clear(); }
  /// Hands over all but those that only follow from others, causes first.
  void report(ReportBuilder &builder) const;

private:
  struct Seen {
    FoundHazard found;
    std::string kernel, part;
    uint64_t count;
    bool in_launches_of(const Seen &other) const {
      return kernel == other.kernel && part == other.part;
    }
  };
  bool follows(const Seen &seen) const;
  bool led_apart(const Seen &seen) const;
  bool is_cause(const Seen &seen) const;
  int rank(const Seen &seen) const;

  std::vector<Seen> seen_;
};

} // namespace emu
