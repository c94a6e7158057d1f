/// \file
/// Looks for what a program leaves behind: device memory, streams, events, graphs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "observer.hpp"

namespace emu {

class Leaks : public Observer {
public:
  /// What is made from here on has to be gone before the end.
  void start() override { observes_ = true; }
  /// Reports what is not, though it may have been made while somebody observed before. A warning: all of it
  /// goes when the program ends.
  void stop(HazardSink &sink);
  /// What was made until now is another process's to look after.
  void forget() { alive_.clear(); }

  void memory_allocated(const Allocation &allocation) override;
  void memory_freed(char *base) override { alive_.erase(base); }
  void handle_made(const void *handle, const char *destroyed_by) override;
  void handle_gone(const void *handle) override { alive_.erase(handle); }

private:
  struct Made {
    std::string message;
    std::vector<uint32_t> callers; // the innermost first: instructions of the program
  };
  void made(const void *what, const std::string &message);

  bool observes_ = false;
  std::map<const void *, Made> alive_;
};

} // namespace emu
