#include "base/failure.hpp"
#include "base/files.hpp"
#include "exercises/answers.hpp"
#include "exercises/diff.hpp"

#include <cstdio>
#include <exception>
#include <string>

/// \file
/// apply_answer STUB DIFF OUT, or STUB ANSWERS OUT NAME: writes a solved file, or a stored answer's, for builds that have
/// no tutor.

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr,
                 "usage: apply_answer STUB SOLUTION.diff OUT | STUB ANSWERS.toml OUT NAME\n");
    return 2;
  }
  try {
    const std::string stub = tutor::read_file(argv[1]);
    if (argc == 4) {
      tutor::write_file(argv[3],
                        tutor::apply_solution(tutor::read_solution(argv[2]), stub, argv[2]));
      return 0;
    }
    for (const tutor::StoredAnswer &answer : tutor::read_answers(argv[2])) {
      if (answer.name == argv[4]) {
        tutor::write_file(argv[3], tutor::written_out(answer, stub, argv[1], argv[2]));
        return 0;
      }
    }
    std::fprintf(stderr, "apply_answer: %s has no answer %s\n", argv[2], argv[4]);
    return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "apply_answer: %s\n", error.what());
    return 1;
  }
}
