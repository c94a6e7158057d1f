#pragma once

#include "exercises/proof.hpp"
#include "tutor/support.hpp"

#include <cstdlib>

/// The exercise that hostile files are handed in for, as this build has it.
struct BlockSum {
  BlockSum() : course(COURSE_FOLDER) {
    setenv("BUILD_FIRST_BUILD", BUILD_FOLDER, 1);
    exercise = find_exercise(exercises_of(course), "block_sum");
    solution = tutor::solved_text(exercise);
  }
  tutor::Course course;
  tutor::Exercise exercise;
  std::string solution;
};

/// What compiles, and is no answer.
inline const std::string wrong_kernel =
    "#include <cuda_runtime.h>\n"
    "__global__ void block_sum(const unsigned *, int, unsigned *out) { out[0] = 1; }\n";

/// Runs `code` before main() does anything. <string> alone would take as long as all the rest of the file.
inline std::string early(const std::string &code) {
  return "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <fcntl.h>\n"
         "#include <signal.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n"
         "#include <unistd.h>\n"
         "static struct Early { Early() { " +
         code + " } } early;\n";
}

/// A check of an instructor's own, with this case.
inline std::string hidden_check(const std::string &name) {
  return R"(#include "checker/checker.hpp"
__global__ void block_sum(const unsigned *in, int n, unsigned *out);
TEST_CASE(")" +
         name + R"(") {
  const auto d_in = checker::on_device(std::vector<unsigned>{41});
  const auto d_out = checker::poisoned<unsigned>(1);
  checker::observe("one", [&] { block_sum<<<1, 32>>>(d_in.data(), 1, d_out.data()); });
  checker::expect_same("the sum of one value", d_out.download()[0], 41u);
}
)";
}
