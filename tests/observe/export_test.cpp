// `tutor export`: a step as one file that stands alone.
#include "base/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>

using tutor::Captured;

namespace {

Captured run(const tutor::Command &arguments) {
  return tutor_on(COURSE_FOLDER, arguments, {"BUILD_FIRST_BUILD=" BUILD_FOLDER});
}

/// The words of a text.
std::vector<std::string> words(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

} // namespace

TEST_CASE("every step of every chapter is exported with all that it includes of the course's") {
  std::size_t exported = 0;
  for (const fs::directory_entry &chapter : fs::directory_iterator(COURSE_FOLDER "/chapters")) {
    const std::string name = chapter.path().filename();
    for (const std::string &step : words(run({"steps", name}).output)) {
      INFO(name, " ", step);
      const Captured file = run({"export", name, step});
      CHECK(file.exit_code == 0);
      CHECK_FALSE(holds(file.output, "#include \""));
      CHECK(holds(file.output, "\nint main("));
      CHECK_FALSE(holds(file.output, "check_step<>")); // its problem, its sizes, its function
      CHECK_FALSE(holds(file.output, "sizes = {,"));
      CHECK_FALSE(holds(file.output, ", ,"));
      ++exported;
    }
  }
  CHECK(exported >= 100);
}

TEST_CASE("an exported step compiles alone, runs, and says of each size whether it is right") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "v3.cu";
  CHECK(run({"export", "05", "v3", "-o", file}).exit_code == 0);
  const Captured again = run({"export", "05", "v3", "-o", file});
  CHECK(again.exit_code == 2);
  CHECK(again.output == "tutor: " + file + " is there already: name another file\n");

  const Captured right = run({"observe", file, "--", "0", "1000"});
  INFO(right.output);
  CHECK(right.exit_code == 0);
  CHECK(holds(right.output, "n = 0          right\nn = 1000       right\n"));

  std::string text = tutor::read_file(file);
  const std::string second = "sum += in[i + blockDim.x]";
  REQUIRE(holds(text, second));
  text.replace(text.find(second), second.size(), "sum += 1");
  tutor::write_file(file, text);
  const Captured wrong = run({"observe", file, "--", "1000"});
  INFO(wrong.output);
  CHECK(wrong.exit_code == 1);
  CHECK(holds(wrong.output, "n = 1000       sum: "));
}

TEST_CASE("a step that is not there is refused with those that are") {
  const Captured unknown = run({"export", "05", "v99"});
  CHECK(unknown.exit_code == 2);
  CHECK(holds(unknown.output, "05_reduction has no single step 'v99'; its steps are: v0_"));
  CHECK(run({"export", "55", "v0"}).exit_code == 2);
  CHECK(run({"export", "05"}).exit_code == 2);
}
