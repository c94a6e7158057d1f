#include "host_ranks.hpp"

#include <string>

#include "look.hpp"
#include "symbols.hpp"
#include "task_races.hpp"

namespace emu {

constinit thread_local int HostRanks::playing = -1;

void HostRanks::start() { writers_.clear(); }

void HostRanks::host_access(const HostAccess &access) {
  if (playing < 0 || !access.observed)
    return;
  const std::lock_guard lock(instruments_mutex());
  if (access.operation != Operation::store)
    look_whose(access);
  if (access.operation == Operation::load)
    return;
  if (access.pc != 0)
    call_wrote(access.address, access.bytes);
  else // it came in a message, and that is how ranks tell each other
    for (const char *byte = access.address; byte < access.address + access.bytes; ++byte)
      writers_.erase(byte);
}

void HostRanks::call_wrote(const char *memory, size_t bytes) {
  if (playing < 0)
    return;
  const std::lock_guard lock(instruments_mutex());
  const auto callers = std::make_shared<const std::vector<uint32_t>>(program_callers());
  for (const char *byte = memory; byte < memory + bytes; ++byte)
    writers_[byte] = {playing, callers};
}

void HostRanks::look_whose(const HostAccess &access) {
  for (const char *byte = access.address; byte < access.address + access.bytes; ++byte) {
    const auto written = writers_.find(byte);
    if (written == writers_.end() || written->second.rank == playing)
      continue;
    const auto &[rank, callers] = written->second;
    const ProgramVariable variable = variable_at(byte);
    if (variable.made_by_the_first)
      continue;
    const std::string &name = variable.name;
    const std::string mine = "rank " + std::to_string(playing) + " reads ",
                      theirs = "rank " + std::to_string(rank);
    sink_.found({"other_rank",
                 false,
                 {{}, place_of(program_callers()), {}, {}},
                 {{}, place_of(*callers), {}, {}},
                 mine + (name.empty() ? "what" : name + ", which") + ' ' + theirs +
                     " has written: a rank is a process, and sees no other one's variables",
                 {},
                 mine + name,
                 theirs + " writes " + name});
    return;
  }
}

} // namespace emu
