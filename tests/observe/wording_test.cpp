// One fault, told by check, the loop, a grade and observe: in the same words.
#include "base/files.hpp"
#include "exercises/proof.hpp"
#include "exercises/support.hpp"
#include "grade/formats.hpp"
#include "grade/support.hpp"
#include "loop/screens.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

/// With single spaces for line ends and indentation.
std::string unwrapped(const std::string &text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) {
    result += word + ' ';
  }
  return result;
}

} // namespace

TEST_CASE("a fault has one wording, whoever tells it") {
  const BlockSum here;
  const TemporaryFolder folder;
  const std::string kernel = tutor::solved_text(here.exercise, "no_barrier_after_load");
  tutor::write_file(here.exercise.file_in(folder.path()), kernel);
  const fs::path program = folder.path() / "with_main.cu", json = folder.path() / "result.json";
  tutor::write_file(program,
                    kernel + "int main() {\n  unsigned *in;\n  cudaMalloc(&in, 4096);\n"
                             "  cudaMemset(in, 0, 4096);\n  block_sum<<<8, 128>>>(in, 1024, in);\n"
                             "  cudaDeviceSynchronize();\n  cudaFree(in);\n}\n");

  const std::string check = unwrapped(
      real_tutor("check block_sum --workspace {} --backend cpu --json {}", folder.path(), json)
          .output);
  const std::string message =
      nlohmann::json::parse(tutor::read_file(json)).at("exercises").at(0).at("message");
  const std::size_t begin = message.find(": ") + 2, end = message.find(". Try: ");
  REQUIRE(end != std::string::npos); // "1024 elements in blocks of 128: WORDS. Try: ADVICE"
  const std::string words = message.substr(begin, end - begin), advice = message.substr(end + 7);
  CHECK(words ==
        "one thread writes s_data[32], which another reads, with no __syncthreads() between");
  CHECK(holds(check, message));

  const std::string observed = unwrapped(real_tutor("observe {}", program).output);
  INFO(observed);
  CHECK(holds(observed, words + ' '));
  CHECK(holds(observed, "try: " + advice + ' '));

  tutor::Result result = grade_test::result(tutor::Verdict::hazard, "shared_race");
  result.message = message;
  std::string loop;
  for (const auto &line : tutor::result_lines(here.exercise, {}, result, kernel, 80)) {
    loop += to_terminal(line, 80, false) + '\n';
  }
  CHECK(holds(unwrapped(loop), message));

  tutor::grading::Report report;
  report.exercises = {{here.exercise, "", {}}};
  report.students = {"ada"};
  report.grades.resize(1);
  report.grades[0].student = "ada";
  report.grades[0].result = result;
  CHECK(nlohmann::json::parse(to_json(report)).at("grades").at(0).at("message") == message);
}
