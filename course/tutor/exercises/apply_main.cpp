#include "base/failure.hpp"
#include "base/files.hpp"
#include "exercises/diff.hpp"

#include <cstdio>
#include <exception>

/// \file
/// apply_answer STUB DIFF OUT: writes a solved file, for builds that have no tutor.

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: apply_answer STUB DIFF OUT\n");
    return 2;
  }
  try {
    tutor::Answer answer = tutor::read_answer(argv[2]);
    tutor::write_file(argv[3], tutor::apply_answer(answer, tutor::read_file(argv[1]), argv[2]));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "apply_answer: %s\n", error.what());
    return 1;
  }
}
