#include "lessons/arithmetic.hpp"
#include "lessons/rules.hpp"
#include "lessons/terms.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

struct Course {
  ScratchFolder folder;

  Course() {
    folder.write("chapters/01_first/terms.toml", "# sorted\n\"warp\" = \"32 threads.\"\n");
    folder.write("chapters/01_first/v0_plain.cuh", "");
    folder.write("chapters/02_second/terms.toml", "\"grid-stride loop\" = \"A loop.\"\n");
  }

  /// The messages for a lesson of the first chapter, each with its line.
  std::string breaches(const std::string &text, const std::string &chapter = "01_first") const {
    std::string all;
    for (const Breach &breach : breaches_of(folder.path(),
                                            folder.path() / "chapters" / chapter / "README.md",
                                            text,
                                            find_blocks(text)))
      all += std::to_string(breach.line) + ": " + breach.message + "\n";
    return all;
  }
  std::string of_chapter(const std::vector<std::string> &texts) const {
    std::string all;
    for (const Breach &breach : breaches_of_chapter(folder.path() / "chapters/01_first", texts))
      all += breach.message + "\n";
    return all;
  }
};

const std::string table = "<!-- results x.json -->\n\n| a |\n\n<!-- /results -->\n\n";
const std::string evidence = "<!-- evidence v0 -->\n\n| a |\n\n<!-- /evidence -->\n";

} // namespace

TEST_CASE_FIXTURE(Course, "a table of results needs its conclusion at once") {
  CHECK(breaches(table + "**What this shows.** 1 + 1.\n") == "");
  CHECK(breaches(table + "Later.\n\n**What this shows.** 1 + 1.\n")
            .starts_with("5: the paragraph after"));
  CHECK(breaches(table).starts_with("5: the paragraph after"));
}

TEST_CASE_FIXTURE(Course, "italics are terms of this chapter or an earlier one") {
  CHECK(breaches("A *warp*, two *Warps*, **bold**, 2 * 3 * 4, `*p = *q`, _emphasis_.\n") == "");
  CHECK(breaches("```\n*p\n*q*\n```\n<!-- note: *thing* -->\n") == "");
  CHECK(breaches("one\na *grid-stride\nloop*\n", "02_second") == "");
  CHECK(breaches("one\na *grid-stride\nloop*\n")
            .starts_with("2: 'grid-stride\nloop' stands in *italics*"));
  CHECK(breaches("a *lane* of a *warp*\n").starts_with("1: 'lane'"));
}

TEST_CASE_FIXTURE(Course, "a link's text stands on one line") {
  CHECK(breaches("See\n[chapter 05](../05/README.md),\nor [1] and\n[2].\n") == "");
  CHECK(
      breaches("one\nSee [chapter\n05](../05/README.md).\n").starts_with("2: the text of a link"));
}

TEST_CASE_FIXTURE(Course, "a lesson is not too long, and says itself how long it may be") {
  std::string text;
  for (int line = 0; line < 1201; ++line)
    text += "x\n";
  CHECK(breaches(text) == "1201: 1201 lines; a lesson has at most 1200\n");
  CHECK(breaches("<!-- note: at most 1500 lines -->\n" + text) == "");
}

TEST_CASE_FIXTURE(Course, "a figure that was measured is shown by something generated") {
  const std::string shown = "<!-- output x -->\n\nv1 13.09 of 55.34\n\n<!-- /output -->\n";
  CHECK(breaches("13.1 ms\n").starts_with("1: '13.1 ms' is shown by nothing generated"));
  CHECK(breaches("some 670 cycles\n").starts_with("1: '670 cycles'"));
  CHECK(breaches(shown + "It takes 13.09 ms, or 13.1 ms, at 55 GB/s.\n") == "");
  CHECK(breaches(shown + "It takes 13.2 ms.\n").starts_with("6: '13.2 ms'"));
  CHECK(breaches("It is <!-- value x.json:a -->7.3<!-- /value --> ms, and 7.3 times so.\n") == "");
  CHECK(breaches(shown + "Between 13.1 and 14.5 ms.\n").starts_with("6: '14.5 ms'"));
  CHECK(breaches(shown + "It is 55 % busy.\n").starts_with("6: '55 %'")); // no share
  CHECK(breaches("<!-- output x -->\n\nbusy 55 %\n\n<!-- /output -->\nIt is 45 % idle.\n") == "");
  CHECK(breaches("<!-- snippet x -->\n\nint n = 17;\n\n<!-- /snippet -->\n17 ms\n") != "");
  CHECK(breaches("<!-- note: figures of the data sheet: 4.8 TB/s -->\nof 4.8 TB/s\n") == "");
  CHECK(breaches("`sleep 3 ms`, three times, 64 bytes, 2 x 8, v2 in 4096\n") == "");
}

TEST_CASE_FIXTURE(Course, "arithmetic in a lesson comes out") {
  const std::string mib = "<!-- note: figures of the chapter before: 55.3 GB/s -->\n";
  CHECK(breaches(mib + "A copy takes 268 MB / 55.3 GB/s\n= 4.85 ms, so 4.85 ms in all.\n") == "");
  CHECK(breaches(mib + "A copy takes 268 MB / 55.3 GB/s = 5.1 ms.\n")
            .starts_with("2: 268 MB / 55.3 GB/s = 5.1 ms does not come out"));
  CHECK(breaches("On 2 devices 3 + 4 = 8 of them, n = 7, x == 3.\n")
            .starts_with("1: 3 + 4 = 8 does not come out"));
  const auto about = [](const char *text, double value) {
    const auto found = value_of(text);
    return found && found->low <= value * (1 + 1e-12) && value <= found->high * (1 + 1e-12);
  };
  CHECK(about("(16.4 - 13.1) ms / 512", 3.3e-3 / 512));
  CHECK(about("8192² / 32 requests x 32 lines / 132 SMs / 1.98 GHz", 67108864 / 132. / 1.98e9));
  CHECK(about("2^21 x 20 / 2.73 per nanosecond", 41943040 / 2.73e9));
  CHECK(about("the square root of 19.4 ms / 9.9 µs", 44.27));
  CHECK(about("1 / (1/55 + 1/55)", 27.5));
  CHECK(about("64 KiB / 50 GB/s", 65536 / 50e9));
  for (const char *text : {"", "ms", "3 +", "(3", "3 4 / 2 = 1", "1 / 0", "2^"})
    CHECK_FALSE(value_of(text));
}

TEST_CASE_FIXTURE(Course, "evidence is there for each step, and recorded") {
  CHECK(of_chapter({"a *warp*\n" + evidence}) == "");
  CHECK(of_chapter({"a *warp*\n", evidence}) == "");
  CHECK(of_chapter({"a *warp*\n"}) == "v0_plain has no evidence: add <!-- evidence v0 -->\n");
  CHECK(of_chapter({evidence}) == "'warp' of terms.toml stands nowhere in *italics*\n");
  CHECK(breaches("<!-- evidence v0 -->\n\n| not recorded |\n\n<!-- /evidence -->\n")
            .starts_with("1: evidence is not recorded"));
  CHECK(breaches("<!-- note: evidence is not recorded, because it takes two GPUs -->\n"
                 "<!-- evidence v0 -->\n\n| not recorded |\n\n<!-- /evidence -->\n") == "");
}

TEST_CASE_FIXTURE(Course, "what stands outside the chapters owes nothing") {
  const std::string text = table + "a *lane*\n";
  CHECK(breaches_of(folder.path(), folder.path() / "docs/results.md", text, find_blocks(text))
            .empty());
}

TEST_CASE_FIXTURE(Course, "the glossary has all terms from A to Z, with links") {
  CHECK(glossary(folder.path(), folder.path() / "docs/glossary.md") ==
        "| term             | what it means | chapter                               |\n"
        "| ---------------- | ------------- | ------------------------------------- |\n"
        "| grid-stride loop | A loop.       | [02](../chapters/02_second/README.md) |\n"
        "| warp             | 32 threads.   | [01](../chapters/01_first/README.md)  |\n");
  folder.write("chapters/02_second/terms.toml", "\"Warps\" = \"Again.\"\n");
  CHECK(thrown_by([&] { read_terms(folder.path()); }).starts_with("the term 'Warps' stands in"));
  folder.write("chapters/02_second/terms.toml", "lane: one of 32\n");
  CHECK(thrown_by([&] { read_terms(folder.path()); }).find("terms.toml:1: write") !=
        std::string::npos);
}
