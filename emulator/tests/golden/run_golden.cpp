// Runs every golden kernel once, in order, and prints the names: what a profiler looks at.
#include <cstdio>

#include "golden.hpp"

int main() {
  const golden::Memory memory = golden::fresh_memory();
  for (const golden::Case *c : golden::cases()) {
    golden::run(*c, memory);
    std::printf("%s\n", c->name);
  }
  golden::release(memory);
  return 0;
}
