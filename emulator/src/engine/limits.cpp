#include "engine/limits.hpp"

#include "engine/surroundings.hpp"

namespace emu {

int sm_count() { return number_from_environment("EMU_SMS", 1, 10000, usual_sm_count); }

size_t block_shared_limit() {
  constexpr int most = shared_per_block_optin / 1024;
  return static_cast<size_t>(number_from_environment("EMU_SHARED_KB", 48, most, most)) * 1024;
}

StackSize stack_kb() {
  constexpr int not_given = 0;
  static const int given = number_from_environment("EMU_STACK_KB", 16, 1 << 20, not_given);
  return given == not_given ? StackSize{512, 48} : StackSize{given, given};
}

} // namespace emu
