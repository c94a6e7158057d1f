#include "lessons/output.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

TEST_CASE("times are masked, other figures are not") {
  CHECK(mask_output("took 3.25 ms, 17 steps, n = 1024\n") == "took … ms, 17 steps, n = 1024\n");
  CHECK(mask_output("1,234 ns 5us 6 µs 0.5 s 7 steps 8 sectors\n") ==
        "… ns …us … µs … s 7 steps 8 sectors\n");
  CHECK(mask_output("CPU emulator (16 host threads)\n") == "CPU emulator (… host threads)\n");
  CHECK(mask_output("CPU emulator (2 host threads) · sm_80 · 11.8 GiB · L2 40\nMiB\n\nrest\n") ==
        "CPU emulator\n\nrest\n");
}

TEST_CASE("where the checkout lies is masked") {
  CHECK(mask_output("thread (0,0,0) at /any/folder/chapters/05_x/v0.cuh:7\n") ==
        "thread (0,0,0) at chapters/05_x/v0.cuh:7\n");
}

TEST_CASE("white space at the ends of lines and of the text is dropped") {
  CHECK(mask_output("a  \n\n b \n\n\n") == "a\n\n b\n");
}

TEST_CASE("a masked column keeps its right edge, however long the figure was") {
  CHECK(mask_output("v0     3.25 ms\n") == mask_output("v0   123.25 ms\n"));
  CHECK(mask_output("v0   123.25 ms\n") == "v0        … ms\n");
}

TEST_CASE("an output marker holds a name, arguments and whether runs vary") {
  const OutputRequest request = parse_output_request("hello args=\"--only v1 --n 8\" varies");
  CHECK(request.name == "hello");
  CHECK(request.arguments == "--only v1 --n 8");
  CHECK(request.varies);
  CHECK_FALSE(request.observe);
  CHECK(parse_output_request("races args=\"--only v1\" observe").observe);
  CHECK(thrown_by([] { parse_output_request(""); }) ==
        "marker lacks the name of a recorded output");
  CHECK(thrown_by([] { parse_output_request("a b"); }) ==
        "marker has an unexpected word 'b': remove it");
}

TEST_CASE("a program's output is recorded with stderr and its exit code") {
  const ScratchFolder folder;
  const auto program =
      folder.write("it's a program", "#!/bin/sh\necho \"got $1\"; echo bad >&2; exit 3\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  CHECK(run_for_output(program, {"x", "$HOME"}) == "got $HOME\nbad\n(exit code 3)\n");
  CHECK(thrown_by([&] {
          run_for_output(program, {"x", "", false, true});
        }).find(".observed is not built") != std::string::npos);
  CHECK(thrown_by([&] {
          run_for_output(folder.path() / "none", {"x", ""});
        }).find("is not built") != std::string::npos);
}

TEST_CASE("the observed build counts for a plain run, and runs itself where a marker says so") {
  const ScratchFolder folder;
  const auto program = folder.write("program", "#!/bin/sh\necho \"$@\"\n");
  const auto observed =
      folder.write("program.observed", "#!/bin/sh\necho \"$EMU_OBSERVE $EMU_OBSERVE_TO $1\"\n");
  for (const auto &file : {program, observed})
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  CHECK(run_for_output(program, {"x", "--n 8"}) ==
        "--counted-by " + observed.string() + " --n 8\n");
  CHECK(run_for_output(program, {"x", "--n", false, true}) == "1 stdout --n\n");
}

TEST_CASE("a lesson shows the command a learner types, and the recording") {
  const ScratchFolder folder;
  folder.write("chapters/01_hello/output/run.txt", "hello\n");
  const auto lesson = folder.path() / "chapters/01_hello/README.md";
  CHECK(show_output(lesson, {"run", "--n 8"}) ==
        "```console\n$ ./tutor run 01 -- --n 8\nhello\n```\n");
  CHECK(show_output(lesson, {"run", "--n 8", false, true}) ==
        "```console\n$ ./tutor observe 01 -- --n 8\nhello\n```\n");
  folder.write("chapters/01_hello/output/run.txt", "one\ntwo\nthree\nfour\n");
  CHECK(show_output(lesson, {"run", "", false, false, "^tw", "e$"}) ==
        "```console\n$ ./tutor run 01\n…\ntwo\nthree\n…\n```\n");
  CHECK(thrown_by([&] {
          show_output(lesson, {"run", "", false, false, "two", "one"});
        }) == "the recording has no line 'two' with 'one' after it");
  CHECK(thrown_by([] { parse_output_request("a from=\"b\""); }).find("go together") !=
        std::string::npos);
  CHECK(thrown_by([&] {
          show_output(lesson, {"none", ""});
        }).find("is not recorded yet") != std::string::npos);
}
