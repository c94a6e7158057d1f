// `tutor export`: a step as one file that stands alone.
#include "base/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>

using tutor::Captured;

TEST_CASE("every step of every chapter is exported with all that it includes of the course's") {
  std::size_t exported = 0;
  for (const fs::directory_entry &chapter : fs::directory_iterator(COURSE_FOLDER "/chapters")) {
    const std::string name = chapter.path().filename();
    for (const std::string &step : tutor::words_of(real_tutor("steps {}", name).output)) {
      INFO(name, " ", step);
      const Captured file = real_tutor("export {} {}", name, step);
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
  CHECK(real_tutor("export 05 v3 -o {}", file).exit_code == 0);
  const Captured again = real_tutor("export 05 v3 -o {}", file);
  CHECK(again.exit_code == 2);
  CHECK(again.output == "tutor: " + file + " is there already: name another file\n");

  std::string text = tutor::read_file(file);
  const std::string second = "sum += in[i + blockDim.x]";
  REQUIRE(holds(text, second));
  text.replace(text.find(second), second.size(), "sum += n > 5000 ? 1 : in[i + blockDim.x]");
  tutor::write_file(file, text);
  expect(real_tutor("observe {} -- 0 1000", file),
         0,
         {"n = 0          right\nn = 1000       right\n"});
  expect(real_tutor("observe {} -- 10000", file), 1, {"n = 10000      sum: "});
}

TEST_CASE("a step that is not there is refused with those that are") {
  expect(real_tutor("export 05 v99"),
         2,
         {"05_reduction has no single step 'v99'; its steps are: v0_"});
  CHECK(real_tutor("export 55 v0").exit_code == 2);
  CHECK(real_tutor("export 05").exit_code == 2);
}
