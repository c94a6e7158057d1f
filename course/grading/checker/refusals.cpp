#include "checker/refusals.hpp"

#include "checker/detail.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <observation/words.hpp>

namespace checker::detail {
namespace {

[[noreturn]] void
end_at(const emu::SourceLine &where, const std::string &diagnosis, const std::string &text) {
  note_failure(diagnosis, text, where);
  DOCTEST_FAIL(text);
  std::abort(); // doctest has thrown
}

} // namespace

Refusal::Refusal(int call) { setenv("EMU_REFUSE", std::to_string(call).c_str(), 1); }
Refusal::~Refusal() { unsetenv("EMU_REFUSE"); }

bool judge_refusal(const std::string &what, const emu::Observation &seen, cudaError_t told) {
  static_cast<void>(cudaGetLastError()); // whoever peeks leaves it
  if (!seen.failed_call || seen.failed_call->error != "cudaErrorMemoryAllocation")
    return false;
  const emu::SourceLine &where = seen.failed_call->where;
  const std::string tried = what + ", and memory runs out: the call in line " +
                            std::to_string(where.line) + " fails with cudaErrorMemoryAllocation";
  const auto harm = std::find_if(
      seen.hazards.begin(), seen.hazards.end(), [](const auto &hazard) { return !hazard.warning; });
  if (harm != seen.hazards.end())
    end_at(where,
           "error_ignored",
           tried + ", and your function goes on all the same. What comes of it: " + harm->message);
  if (told == cudaSuccess)
    end_at(where, "error_ignored", tried + ", and you return cudaSuccess");
  if (told != cudaErrorMemoryAllocation)
    end_at(where,
           "not_the_first",
           tried + ". You go on, and return what a later call says, " + cudaGetErrorName(told) +
               ", where the first error is asked for");
  std::set<int> lines;
  const emu::Hazard *leak = nullptr;
  for (const emu::Hazard &hazard : seen.hazards)
    if (hazard.kind == "leak") {
      lines.insert(hazard.here.where.line);
      leak = leak ? leak : &hazard;
    }
  if (leak)
    end_at(leak->here.where,
           "left_after_error",
           tried + ". You return that error, and what " + emu::numbered("line", lines) +
               (lines.size() > 1 ? " have" : " has") + " allocated before is never freed");
  return true;
}

} // namespace checker::detail
