#include "exercises/check.hpp"

#include "failure.hpp"

#include <fmt/format.h>

namespace tutor {

void prepare_checks(const Course &, const std::vector<Exercise> &, const CheckOptions &) {}

Result check(const Course &,
             const Exercise &exercise,
             const std::filesystem::path &source,
             const CheckOptions &options) {
  Result result;
  result.id = exercise.id();
  result.seed = options.seed;
  if (!std::filesystem::is_regular_file(source)) {
    result.diagnosis = "missing_file";
    result.message = fmt::format("there is no file {}", source.string());
    return result;
  }
  throw Failure(Exit::environment, "this build of the tutor cannot check yet");
}

} // namespace tutor
