/// \file
/// The names of the running program's functions and variables, from its symbol table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace model {

class ProgramSymbols {
public:
  ProgramSymbols();

  std::string name_of(const void *function) const;
  uint64_t address_of(const std::string &name) const; // 0: there is none
  /// The variable that lies there: first byte and the one behind it; 0, 0: none.
  std::pair<uint64_t, uint64_t> data_at(uint64_t address) const;

private:
  std::unordered_map<uint64_t, std::string> functions_;
  std::unordered_map<std::string, uint64_t> addresses_;
  std::map<uint64_t, uint64_t> data_; // ends, by begin
};

} // namespace model
