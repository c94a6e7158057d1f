/// @file
/// Chapter 12, a process for each GPU: `./tutor run 12 -- --ranks 2`.

#include "ranks/demos.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// Rank 0 speaks for all; the others write no file. Without a choice, what can be seen in a moment is shown.
std::vector<char *> arguments_of_rank(int argc, char **argv) {
  static char only[] = "--only", names[][9] = {"ranks", "sums", "plate"};
  std::vector<char *> kept = {argv[0]};
  bool chosen = false;
  for (int i = 1; i < argc; ++i) {
    const bool json = std::strncmp(argv[i], "--json", 6) == 0;
    for (const char *choice : {"--only", "--list", "--check-only", "--help", "-h", "--traps"})
      chosen = chosen || std::strncmp(argv[i], choice, std::strlen(choice)) == 0;
    if (json && world().rank() > 0)
      i += std::strcmp(argv[i], "--json") == 0; // its value, too
    else
      kept.push_back(argv[i]);
  }
  if (!chosen)
    for (char *name : names)
      kept.insert(kept.end(), {only, name});
  return kept;
}

} // namespace

int main(int argc, char **argv) {
  World all(&argc, &argv);
  // All ranks are there now: who does nothing for two seconds has nothing to do.
  setenv("EMU_NCCL_PATIENCE_MS", "2000", 0);
  lab::want_devices(all.size() < 4 ? 4 : all.size());
  if (all.rank() > 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
    return all.finish(1);
  lab::Ladder<Vectors> ladder("12_ranks", "a process for each device");
  ladder.demo("ranks", show_ranks, "who takes part, and with which device");
  ladder.demo("sums", show_sums, "one sum on all ranks, in all ways");
  ladder.demo("plate", show_plate, "a plate of which each rank has a band");
  ladder.demo("abort", show_abort, "a rank fails, and the others go on without it");
  ladder.demo("mistakes", show_mistakes, "what the emulator says to mistakes");
  ladder.demo("stuck", show_stuck, "what MPI's calls say that wait for ever");
  const int code = lab::guarded_main(
      [](int, char **) {
        static_cast<void>(lab::choose_device(own_device()));
        return 0;
      },
      argc,
      argv);
  std::vector<char *> arguments = arguments_of_rank(argc, argv);
  return all.finish(code != 0 ? code
                              : ladder.main(static_cast<int>(arguments.size()), arguments.data()));
}
