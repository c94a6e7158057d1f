/// \file
/// Looks for device memory that a program never frees.
#pragma once

#include <map>
#include <vector>

#include "observer.hpp"

namespace emu {

class Leaks : public Observer {
public:
  /// What is allocated from here on has to be freed before the end.
  void start() override { alive_.clear(); }
  /// Reports what was not. A warning: the memory goes back when the program ends.
  void report(HazardSink &sink) const;

  void memory_allocated(const Allocation &allocation) override;
  void memory_freed(char *base) override { alive_.erase(base); }

private:
  struct Made {
    size_t bytes;
    std::vector<uint32_t> callers; // the innermost first: instructions of the program
  };

  std::map<const char *, Made> alive_;
};

} // namespace emu
