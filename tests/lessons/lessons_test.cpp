#include "lessons/lessons.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

/// A small course: one chapter with two steps, a recording, results and a front page.
struct Course {
  ScratchFolder folder;

  Course() {
    folder.write(
        "chapters/01_hello/v0_a.cuh",
        "// Was: w0\n// Now: n0\n// Watch: c0\n#pragma once\n\nint f() {\n  return 0;\n}\n");
    folder.write(
        "chapters/01_hello/v1_b.cuh",
        "// Was: w1\n// Now: n1\n// Watch: c1\n#pragma once\n\nint f() {\n  return 1;\n}\n");
    folder.write("chapters/01_hello/output/run.txt", "hello\n");
    folder.write(
        "docs/results/card.json",
        R"({"device": "Card", "n": 8, "steps": [{"name": "v0_a", "ok": true, "ms": 1.5}]})");
    folder.write("README.md", "# Course\n\n<!-- chapters -->\n<!-- /chapters -->\n");
    folder.write(
        "chapters/01_hello/README.md",
        "# Hello\n\nFirst words,\nand more.\n\n"
        "<!-- idea v1_b.cuh -->\n<!-- /idea -->\n"
        "<!-- snippet v1_b.cuh -->\n<!-- /snippet -->\n"
        "<!-- snippet v1_b.cuh from return to return -->\n<!-- /snippet -->\n"
        "<!-- snippet v1_b.cuh function f -->\n<!-- /snippet -->\n"
        "<!-- diff v0_a.cuh v1_b.cuh context=0 -->\n<!-- /diff -->\n"
        "<!-- results docs/results/card.json columns=step,ms -->\n<!-- /results -->\n"
        "<!-- output run args=\"--n 8\" -->\n<!-- /output -->\n"
        "It took <!-- value docs/results/card.json:steps/v0/ms .1f --><!-- /value --> ms.\n");
  }

  Outcome process(bool check, bool record = false) const {
    Request request;
    request.root = folder.path();
    request.programs = folder.path() / "build";
    request.check = check;
    request.record = record;
    return tutor::lessons::process(request);
  }

  std::string lesson() const { return folder.read("chapters/01_hello/README.md"); }

  /// The only error after `text` has taken the place of the chapter's lesson.
  std::string error_with(const std::string &text) const {
    folder.write("chapters/01_hello/README.md", "# Hello\n\nWords.\n\n" + text);
    const Outcome outcome = process(true);
    return outcome.errors.size() == 1 ? outcome.errors[0]
                                      : std::to_string(outcome.errors.size()) + " errors";
  }

  void program(const std::string &text) const {
    const auto file =
        folder.write("build/chapters/01_hello/01_hello", "#!/bin/sh\necho '" + text + "' $*\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE_FIXTURE(Course, "what a tool printed is shown as it is") {
  folder.write("chapters/01_hello/sass/tool.txt", "// begin\n  @P0 EXIT\n  end\n");
  folder.write("chapters/01_hello/README.md",
               "# Hello\n\nWords.\n\n<!-- snippet sass/tool.txt -->\n<!-- /snippet -->\n");
  CHECK(process(false).errors.empty());
  CHECK(contains(lesson(), "```console\n// begin\n  @P0 EXIT\n  end\n```"));
}

TEST_CASE_FIXTURE(Course, "of a program of one file even the includes are shown") {
  folder.write("chapters/01_hello/first.cu", "#include <cstdio>\n\nint main() {}\n");
  folder.write("chapters/01_hello/README.md",
               "# Hello\n\nWords.\n\n<!-- snippet first.cu whole -->\n<!-- /snippet -->\n");
  CHECK(process(false).errors.empty());
  CHECK(contains(lesson(), "```cuda\n#include <cstdio>\n\nint main() {}\n```"));
}

TEST_CASE_FIXTURE(Course, "every kind of block is filled") {
  const Outcome outcome = process(false);
  CHECK(outcome.errors.empty());
  CHECK(outcome.blocks == 9);
  CHECK(outcome.changed.size() == 2);
  CHECK(contains(lesson(), "- **Was:** w1\n- **Now:** n1\n- **Watch:** c1\n"));
  CHECK(contains(lesson(), "```cuda\nint f() {\n  return 1;\n}\n```\n"));
  CHECK(contains(lesson(), "```cuda\nreturn 1;\n```\n"));
  CHECK(contains(lesson(), "-  return 0;\n+  return 1;\n```\n"));
  CHECK(contains(lesson(), "| `v0_a` | 1.5000 |\n"));
  CHECK(contains(lesson(), "$ ./tutor run 01 -- --n 8\nhello\n"));
  CHECK(contains(lesson(), "-->1.5<!-- /value --> ms.\n"));
  CHECK(contains(folder.read("README.md"),
                 "| 01  | [Hello](chapters/01_hello/README.md) | First words, and more. |"));
}

TEST_CASE_FIXTURE(Course, "filling twice changes no byte, and then nothing is stale") {
  process(false);
  const std::string once = lesson();
  const Outcome twice = process(false);
  CHECK(twice.changed.empty());
  CHECK(lesson() == once);
  CHECK(process(true).stale.empty());
}

TEST_CASE_FIXTURE(Course, "check changes nothing and names each stale block") {
  const std::string before = lesson();
  CHECK(process(true).stale.size() == 9);
  CHECK(lesson() == before);
  process(false);
  folder.write(
      "chapters/01_hello/v1_b.cuh",
      "// Was: w1\n// Now: new\n// Watch: c1\n#pragma once\n\nint f() {\n  return 1;\n}\n");
  const Outcome outcome = process(true);
  REQUIRE(outcome.stale.size() == 1 + 1); // the idea, and the diff that holds its comment
  CHECK(outcome.stale[0] ==
        "chapters/01_hello/README.md:6: 'idea' is stale: regenerate it with ./tutor lessons");
}

TEST_CASE_FIXTURE(Course, "what a hand changed inside a block is put right") {
  process(false);
  const std::string right = lesson();
  std::string wrong = right;
  wrong.replace(wrong.find("return 1;"), 9, "return 7;");
  folder.write("chapters/01_hello/README.md", wrong);
  CHECK(process(true).stale.size() == 1);
  process(false);
  CHECK(lesson() == right);
}

TEST_CASE_FIXTURE(Course, "errors name file and line, and leave the lesson alone") {
  const std::string at = "chapters/01_hello/README.md:5: ";
  CHECK(
      error_with("<!-- snippet none.cuh -->\n<!-- /snippet -->\n").starts_with(at + "cannot read"));
  CHECK(error_with("<!-- snippet v0_a.cuh from f -->\n<!-- /snippet -->\n") ==
        at + "marker lacks 'to \"REGEX\"' after from");
  CHECK(error_with("<!-- snippet v0_a.cuh upto f -->\n<!-- /snippet -->\n")
            .starts_with(at + "marker has an unexpected word"));
  CHECK(error_with("<!-- diff v0_a.cuh v0_a.cuh -->\n<!-- /diff -->\n") ==
        at + "v0_a.cuh and v0_a.cuh do not differ");
  CHECK(error_with("<!-- diff v0_a.cuh v1_b.cuh context=few -->\n<!-- /diff -->\n") ==
        at + "'few' is no whole number");
  CHECK(error_with("<!-- value docs/results/card.json -->1<!-- /value -->\n")
            .starts_with(at + "'docs/results/card.json' must be FILE"));
  CHECK(error_with("<!-- output other -->\n<!-- /output -->\n").starts_with(at));
  CHECK(error_with("<!-- snippet v0_a.cuh -->\n").starts_with(at + "'snippet' is never closed"));
  CHECK(error_with("text\r\n").starts_with(at + "carriage return"));
}

TEST_CASE_FIXTURE(Course,
                  "a lesson with errors still gets its good blocks, and its bad ones stay") {
  folder.write("chapters/01_hello/README.md",
               "# Hello\n\nWords.\n<!-- idea v0_a.cuh -->\n<!-- /idea -->\n<!-- idea none "
               "-->\nkept\n<!-- /idea -->\n");
  const Outcome outcome = process(false);
  CHECK(outcome.errors.size() == 1);
  CHECK(contains(lesson(), "**Now:** n0"));
  CHECK(contains(lesson(), "<!-- idea none -->\nkept\n"));
}

TEST_CASE_FIXTURE(Course, "a diff of the code alone leaves out the opening comments") {
  folder.write(
      "chapters/01_hello/README.md",
      "# Hello\n\nWords.\n<!-- diff v0_a.cuh v1_b.cuh code context=0 -->\n<!-- /diff -->\n");
  process(false);
  CHECK(contains(lesson(), "@@ -7 +7 @@\n-  return 0;\n+  return 1;\n```\n"));
  CHECK_FALSE(contains(lesson(), "n1"));
}

TEST_CASE_FIXTURE(Course, "an idea is shown as it was written") {
  folder.write("chapters/01_hello/v1_b.cuh",
               "// Was: a * b\n// Now: f<<<1, 1>>>\n// Watch: c\nint x;\n");
  process(false);
  CHECK(contains(lesson(), "- **Was:** a \\* b\n- **Now:** f&lt;&lt;&lt;1, 1&gt;&gt;&gt;\n"));
}

TEST_CASE_FIXTURE(Course, "recording runs the program and then fills the block") {
  program("took 12.5 ms");
  CHECK(process(false, true).errors.empty());
  CHECK(folder.read("chapters/01_hello/output/run.txt") == "took … ms --n 8\n");
  CHECK(contains(lesson(), "took … ms --n 8\n"));
  CHECK(process(true, true).stale.empty());
  program("said something else");
  const Outcome outcome = process(true, true);
  REQUIRE(outcome.stale.size() == 1);
  CHECK(
      contains(outcome.stale[0], "'output' is stale: regenerate it with ./tutor lessons --record"));
}

TEST_CASE_FIXTURE(
    Course, "a recording marked as varying is not compared, a program not built is an error") {
  CHECK(process(true, true).errors.size() == 1);
  folder.write("chapters/01_hello/README.md",
               "# Hello\n\nWords.\n<!-- output run varies -->\n<!-- /output -->\n");
  program("anything");
  process(false);
  CHECK(process(true, true).stale.empty());
}

TEST_CASE_FIXTURE(Course, "exit codes: 0 fine, 1 stale, 2 wrong") {
  Request request;
  request.root = folder.path();
  request.check = true;
  CHECK(run(request) == 1);
  request.check = false;
  CHECK(run(request) == 0);
  request.check = true;
  CHECK(run(request) == 0);
  request.files = {folder.path() / "none.md"};
  CHECK(run(request) == 2);
  request.files.clear();
  request.root = folder.path() / "build";
  CHECK(run(request) == 2);
}

TEST_CASE_FIXTURE(Course, "exercises come from their cards, in the order of their numbers") {
  const auto card = [](const std::string &title, int number, const std::string &section) {
    return "title = \"" + title + "\"\nnumber = " + std::to_string(number) +
           "\nminutes = 15\ntask = \"t\"\n" +
           (section.empty() ? "" : "section = \"" + section + "\"\n") +
           "[stub]\nverdict = \"fail\"\ndiagnosis = \"d\"\n[[hint]]\ntext = \"h\"\n"
           "[[explain]]\ntext = \"e\"\n";
  };
  const auto holds = [](const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  };
  const std::string block = "<!-- exercises -->\n<!-- /exercises -->\n\n## Traps\n";
  CHECK(holds(error_with(block), "there is no exercise in exercises/01_hello"));
  folder.write("exercises/01_hello/later.toml", card("A * B", 2, "Traps"));
  folder.write("exercises/01_hello/first.toml", card("First", 1, ""));
  folder.write("chapters/01_hello/README.md", "# Hello\n\nWords.\n\n" + block);
  CHECK(process(false).errors.empty());
  CHECK(holds(lesson(), "| 01.1 | `first.cu` | First  |      15 |"));
  CHECK(holds(lesson(), "| 01.2 | `later.cu` | A \\* B |      15 |"));
  CHECK(lesson().find("01.1") < lesson().find("01.2"));
  folder.write("exercises/01_hello/first.toml", card("First", 1, "Gone"));
  CHECK(holds(error_with(block), "first.toml names the section 'Gone'"));
}
