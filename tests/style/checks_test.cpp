#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <fstream>

// Each style check is shown to fail on the fault it is there for, and to pass without it.

namespace {

struct Folder {
  TemporaryFolder folder;

  Folder() {
    fs::copy(fs::path(COURSE_FOLDER) / ".clang-format", folder.path() / ".clang-format");
    write("good.cpp", "int main() { return 0; }\n");
  }
  void write(const std::string &name, const std::string &text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  void check(const std::string &what, int exit_code, const std::string &words = "") const {
    fs::path script = fs::path(COURSE_FOLDER) / "tests/style/check.sh";
    tutor::Captured result =
        tutor::capture({"bash", script.string(), what, folder.path().string()});
    CAPTURE(result.output);
    CHECK(result.exit_code == exit_code);
    CHECK(holds(result.output, words));
  }
};

std::string lines(int count, const std::string &line = "//\n") {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += line;
  }
  return text;
}

} // namespace

TEST_CASE_FIXTURE(Folder, "clean files pass, and what was built is not looked at") {
  write("build/long.cpp",
        lines(401) + "FIX"
                     "ME\n");
  check("words", 0);
  check("sizes", 0);
  check("spelling", 2, "no check called spelling");
}

TEST_CASE_FIXTURE(Folder, "unfinished words, private paths and carriage returns are found") {
  // Taken apart, so that the check does not find this file.
  for (std::string word : {"FIX"
                           "ME later",
                           "X"
                           "XX",
                           "a place"
                           "holder",
                           "Not "
                           "implemented"}) {
    write("chapters/a b.md", "one\n" + word + "\n");
    check("words", 1, "chapters/a b.md: says that something is unfinished: 2:" + word);
  }
  for (std::string word : {"see /wor"
                           "k/x",
                           "(/tm"
                           "p/x)",
                           "iss"
                           "ue 12",
                           "iss"
                           "ue #3"}) {
    write("chapters/a b.md", "one\n" + word + "\n");
    check("words", 1, "chapters/a b.md: names a place that readers do not have: 2:" + word);
  }
  write("chapters/a b.md",
        "src/wor"
        "k/x and the iss"
        "ue at hand\n");
  check("words", 0);
  write("chapters/a b.md", "one\r\n");
  check("words", 1, "carriage returns");
}

TEST_CASE_FIXTURE(Folder, "files that are too long are found") {
  write("chapters/05_x/steps/v0_a.cuh", lines(80));
  write("source.cpp", "int f() {\n" + lines(98, "  f();\n") + lines(9) + "}\n");
  check("sizes", 0);
  write("chapters/05_x/steps/v0_a.cuh", lines(81));
  check("sizes", 1, "v0_a.cuh: 81 lines; a step has at most 80");
  write("chapters/05_x/steps/v0_a.cuh", lines(1));
  for (int i = 1; i <= 8; ++i) {
    write("chapters/05_x/" + std::to_string(i) + ".cu", lines(1));
  }
  check("sizes", 0);
  write("chapters/05_x/README.md", lines(1));
  check("sizes", 1, "chapters/05_x: 9 files beside its rooms; a chapter has at most 8");
  fs::remove(folder.path() / "chapters/05_x/README.md");
  write("source.cpp",
        "class A {\n" + lines(120, "  int a;\n") + "};\nint f() {\n" + lines(99, "  f();\n") +
            "}\n");
  check("sizes", 1, "source.cpp:123: 101 lines; a function has at most 100");
  write("source.cpp", lines(1));
  write("tool.py", std::string(100, '#') + "\n");
  check("sizes", 0);
  write("tool.py", "\n" + std::string(101, '#') + "\n");
  check("sizes", 1, "tool.py:2: a line of Python has at most 100 columns");
  write("tool.py", lines(1));
  write("tutor", lines(61));
  check("sizes", 1, "tutor: 61 lines; a bootstrap has at most 60");
  write("tutor", lines(1));
  write("picture.svg", std::string((1 << 20) + 1, 'x'));
  check("sizes", 1, "picture.svg: 1048577 bytes");
}

TEST_CASE_FIXTURE(Folder, "an empty file is found") {
  write("chapters/a b/listing.txt", "");
  check("sizes", 1, "chapters/a b/listing.txt: is empty");
}

TEST_CASE_FIXTURE(Folder, "a layer that includes one above it is found") {
  write("course/tutor/loop/loop.cpp",
        "#include \"base/files.hpp\"\n#include \"exercises/card.hpp\"\n");
  write("course/tutor/commands/all.cpp",
        "#include \"loop/loop.hpp\"\n#include \"site/page.hpp\"\n");
  check("layers", 0);
  write("course/tutor/base/files.cpp", "#include <string>\n#include \"loop/loop.hpp\"\n");
  check("layers",
        1,
        "course/tutor/base/files.cpp:2:#include \"loop/loop.hpp\": base stands before it");
  write("course/tutor/base/files.cpp", "");
  write("course/tutor/site/main.py", "import sys\nsys.path.append(\"../lessons\")\n");
  check("layers", 1, "course/tutor/site/main.py:2:sys.path");
  write("course/tutor/site/main.py", "");
  write("emulator/src/streams/streams.hpp", "");
  write("emulator/src/streams/streams.cpp",
        "#include \"engine/block.hpp\"\n#include \"streams/streams.hpp\"\n");
  write("emulator/src/engine/block.hpp", "#include \"emu/runtime/streams.hpp\"\n");
  check("layers", 0);
  write("emulator/src/engine/block.cpp",
        "#include \"engine/block.hpp\"\n#include \"streams/streams.hpp\"\n");
  check("layers",
        1,
        "block.cpp:2:#include \"streams/streams.hpp\": emulator/src/engine stands before it");
  write("emulator/src/engine/block.cpp", "#include \"../../observe/recorder.hpp\"\n");
  check("layers", 1, "observe/recorder.hpp\": emulator/src/engine stands before it");
  write("emulator/src/engine/block.cpp", "#include \"engine/block.hpp\"\n");
  write("emulator/include/emu/engine/fiber.hpp", "#include \"emu/language/types.hpp\"\n");
  write("emulator/include/emu/cub/cub_sort.hpp", "#include \"emu/thrust/thrust_memory.hpp\"\n");
  check("layers", 0);
  write("emulator/include/emu/engine/fiber.hpp", "#include \"emu/cub/cub_sort.hpp\"\n");
  check("layers", 1, "fiber.hpp:1:#include \"emu/cub/cub_sort.hpp\": emulator/include/emu/engine");
  write("emulator/include/emu/engine/fiber.hpp", "");
  write("emulator/src/streams/graphs.hpp", "");
  write("emulator/src/streams/graphs.cpp", "#include \"streams/streams.hpp\"\n");
  write("emulator/src/streams/streams_more.cpp", "#include \"streams/graphs.hpp\"\n");
  check("layers",
        1,
        "emulator/src/streams/graphs emulator/src/streams/streams: they include each other in a "
        "circle");
  write("emulator/src/streams/graphs.cpp", "");
  write("course/ladder/chapter.hpp", "#include <emu/types.hpp>\n");
  check("layers",
        1,
        "course/ladder/chapter.hpp:1:#include <emu/types.hpp>: the course and the emulator meet");
}

#ifdef CLANG_FORMAT_FOUND
TEST_CASE_FIXTURE(Folder, "unformatted sources are found") {
  check("format", 0);
  write("bad.cuh", "int   x;\n");
  check("format", 1, "bad.cuh: not formatted");
}
#endif

TEST_CASE("a check that saw no file fails") {
  TemporaryFolder folder;
  fs::path script = fs::path(COURSE_FOLDER) / "tests/style/check.sh";
  for (const char *what : {"format", "words", "sizes", "layers"}) {
    CHECK(tutor::capture({"bash", script.string(), what, folder.path().string()}).exit_code == 1);
  }
}

TEST_CASE_FIXTURE(Folder, "a record of JSON that takes several lines is found, and a broken one") {
  if (tutor::capture({"python3", "-c", "import tomllib"}).exit_code != 0) {
    MESSAGE("skipped: there is no Python 3.11");
    return;
  }
  write("docs/a.json",
        "{\n  \"steps\": [\n   {\"name\": \"v0\", \"ms\": 1.50},\n   {\"name\": \"v1\"}]\n}\n");
  write("CMakePresets.json", "{\"version\":\n6}\n");
  check("json", 0);
  write("docs/b.json", "{\n  \"steps\": [\n    {\n      \"name\": \"v0\"\n    }\n  ]\n}\n");
  check("json", 1, "docs/b.json: a record stands on no line of its own");
  write("docs/b.json", "{\n");
  check("json", 1, "docs/b.json");
}
