#include "lessons/markers.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

std::string error_in(const std::string &text) {
  return thrown_by([&] { find_blocks(text); });
}

bool starts(const std::string &text, const std::string &with) { return text.starts_with(with); }

} // namespace

TEST_CASE("blocks are found with name, arguments, line and body") {
  const std::string text = "# T\n<!-- snippet a.cuh function f -->\nold\n<!-- /snippet -->\nend\n";
  const std::vector<Block> blocks = find_blocks(text);
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].name == "snippet");
  CHECK(blocks[0].arguments == "a.cuh function f");
  CHECK(blocks[0].line == 2);
  CHECK(text.substr(blocks[0].body_begin, blocks[0].body_end - blocks[0].body_begin) == "old\n");
}

TEST_CASE("values stand inside a line, several in one") {
  const std::string text =
      "a <!-- value f.json:x -->1<!-- /value --> b <!-- value f.json:y -->22<!-- /value -->\n";
  const std::vector<Block> blocks = find_blocks(text);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].in_prose);
  CHECK(text.substr(blocks[1].body_begin, blocks[1].body_end - blocks[1].body_begin) == "22");
}

TEST_CASE("fences, quoted markers and ordinary comments are passed over") {
  CHECK(find_blocks("```\n<!-- snippet a -->\n```\n").empty());
  CHECK(find_blocks("say `<!-- value f:x -->` and `<!-- /value -->`\n").empty());
  CHECK(find_blocks("<!-- note: an ordinary comment -->\n").empty());
  CHECK(find_blocks("<!--\n<!-- snippet a\n-->\n").empty());
}

TEST_CASE("a body may hold anything but markers, code fences among it") {
  const std::vector<Block> blocks =
      find_blocks("<!-- output x -->\n```\n<!-- other -->\n```\n<!-- /output -->\n");
  CHECK(blocks.size() == 1);
}

TEST_CASE("broken markers are refused with their line") {
  CHECK(error_in("a\n<!-- snippet a -->\ntext\n") ==
        "2: 'snippet' is never closed: add <!-- /snippet -->");
  CHECK(error_in("<!-- snippet a -->\n<!-- idea b -->\n<!-- /idea -->\n<!-- /snippet -->\n") ==
        "1: 'snippet' is never closed: add <!-- /snippet -->");
  CHECK(starts(error_in("<!-- snipet a -->\n<!-- /snipet -->\n"), "1: unknown marker 'snipet'"));
  CHECK(starts(error_in("a\n\n<!-- /diff -->\n"), "3: '/diff' closes nothing"));
  CHECK(starts(error_in("a <!-- /value -->\n"), "1: '/value' closes nothing"));
  CHECK(
      starts(error_in("a <!-- value f:x --> 3\n<!-- /value -->\n"), "1: 'value' is never closed"));
  CHECK(starts(error_in("  <!-- diff a b -->\n<!-- /diff -->\n"),
               "1: marker 'diff' must stand alone"));
  CHECK(starts(error_in("<!-- diff a b --> x\n<!-- /diff -->\n"),
               "1: marker 'diff' must stand alone"));
  CHECK(starts(error_in("<!-- half a comment\n"), "1: comment is never closed"));
  CHECK(starts(error_in("```\ncode\n"), "1: code fence is never closed"));
  CHECK(starts(error_in("one\ntwo\r\n"), "2: carriage return"));
}

TEST_CASE("arguments: words, options and quotes") {
  Arguments arguments(R"(a.cuh from "int tid" to "\s\"x\"" args="--n 33" run=n=1024)");
  CHECK(arguments.take("file") == "a.cuh");
  CHECK(arguments.take_if("from"));
  CHECK(arguments.take("from") == "int tid");
  CHECK_FALSE(arguments.take_if("until"));
  CHECK(arguments.take("to") == "to");
  CHECK(arguments.take("to") == R"(\s"x")");
  CHECK(arguments.option("args", "") == "--n 33");
  CHECK(arguments.option("run", "") == "n=1024");
  CHECK(arguments.option("run", "none") == "none");
  arguments.expect_end();
}

TEST_CASE("arguments nobody asked for, missing ones and open quotes are errors") {
  CHECK(thrown_by([] { Arguments("a b").expect_end(); }) ==
        "marker has an unexpected word 'a': remove it");
  CHECK(thrown_by([] { Arguments("colour=red").expect_end(); }) ==
        "marker has an unknown option 'colour=': remove it");
  CHECK(thrown_by([] { Arguments("").take("a file"); }) == "marker lacks a file");
  CHECK(thrown_by([] { Arguments("").required_option("published"); }) ==
        "marker lacks published=…");
  CHECK(starts(thrown_by([] { Arguments("from \"x"); }), "a quote is not closed"));
}
