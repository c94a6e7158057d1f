// Runs every golden kernel once, in order, and prints the names: what a profiler looks at.
#include <cstdio>

#include "golden.hpp"

int main() {
  const golden::Memory memory = golden::fresh_memory();
  for (const auto &[name, c] : golden::cases()) {
    golden::run(name, c, memory);
    std::printf("%s\n", name.c_str());
  }
  golden::release(memory);
  return 0;
}
