#include "base/files.hpp"
#include "exercises/answers.hpp"
#include "exercises/own_numbers.hpp"
#include "exercises/solution.hpp"

#include <cstdio>
#include <exception>
#include <string>

/// \file
/// apply_answer STUB SOLUTION.diff OUT ANSWERS.toml NAME: writes a stored answer's file, for builds that have no tutor,
/// and beside it, as OUT.numbers, what its checker is told of it (own_numbers.hpp).

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: apply_answer STUB SOLUTION.diff OUT ANSWERS.toml NAME\n");
    return 2;
  }
  try {
    tutor::Ground ground{.stub = tutor::read_file(argv[1]), .stub_file = argv[1], .solved = ""};
    ground.solved = tutor::apply_solution(tutor::read_solution(argv[2]), ground.stub, argv[2]);
    for (const tutor::StoredAnswer &answer : tutor::read_answers(argv[4])) {
      if (answer.name == argv[5]) {
        const std::string text = tutor::written_out(answer, ground, argv[4]);
        tutor::write_file(argv[3], text);
        tutor::write_file(std::string(argv[3]) + ".numbers",
                          tutor::own_numbers_text(text, ground.stub));
        return 0;
      }
    }
    std::fprintf(stderr, "apply_answer: %s has no answer %s\n", argv[4], argv[5]);
    return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "apply_answer: %s\n", error.what());
    return 1;
  }
}
