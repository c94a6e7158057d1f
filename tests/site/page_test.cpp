#include "site/page.hpp"

#include "lessons/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>

using namespace tutor::site;

namespace {

/// A small course on disk.
struct Course {
  TemporaryFolder folder;

  Course() {
    write("README.md", "# Course\n");
    write("chapters/01_a/README.md", "# 01 · A\n");
    write("chapters/01_a/figures/grid.svg", "<svg/>");
    write("chapters/01_a/v0_x.cuh", "int x;\n");
    write("chapters/02_b/README.md", "# 02 · B\n");
    write("chapters/02_b/further.md", "# Further\n");
    write("docs/results/h200.json", "{}");
    write("docs/results.md", "# Results\n");
  }
  void write(const fs::path &file, const std::string &text) const {
    tutor::lessons::write_file(folder.path() / file, text);
  }
  /// Chapter 01's page when its lesson holds `text`.
  Rewritten chapter(const std::string &text) const {
    write("chapters/01_a/README.md", text);
    Rewriter site(folder.path());
    return site.rewrite(site.pages().at(1));
  }
};

} // namespace

TEST_CASE_FIXTURE(Course, "pages are found in the order of the site, with names of their own") {
  std::vector<std::string> ids;
  for (const Page &page : find_pages(folder.path())) {
    ids.push_back(page.id);
  }
  CHECK(ids ==
        std::vector<std::string>{
            "mainpage", "chapters_01_a", "chapters_02_b", "chapters_02_b_further", "docs_results"});
}

TEST_CASE_FIXTURE(Course, "headings get labels that are unique on the site") {
  CHECK(chapter("# 01 · A\n\n## Run it\n## Then & now\n## Run it\n#define\n").text ==
        "# 01 · A {#chapters_01_a}\n\n## Run it {#chapters_01_a-run-it}\n"
        "## Then & now {#chapters_01_a-then--now}\n## Run it {#chapters_01_a-run-it-1}\n#define\n");
}

TEST_CASE_FIXTURE(Course, "a lesson's second part is a page, and both link to each other") {
  write("chapters/02_b/further.md", "# Further\n\n[first](README.md#one)\n");
  write("chapters/02_b/README.md", "# 02 · B\n\n## One\n\n[second](further.md)\n");
  Rewriter site(folder.path());
  const Rewritten second = site.rewrite(site.pages().at(3));
  CHECK(second.errors.empty());
  CHECK(second.text == "# Further {#chapters_02_b_further}\n\n[first](@ref chapters_02_b-one)\n");
  CHECK(site.rewrite(site.pages().at(2)).text.ends_with("[second](@ref chapters_02_b_further)\n"));
}

TEST_CASE_FIXTURE(Course, "the first page's sections get no label") {
  write("README.md", "# Course\n## Begin\n");
  Rewriter site(folder.path());
  CHECK(site.rewrite(site.pages().at(0)).text == "# Course {#mainpage}\n## Begin\n");
}

TEST_CASE_FIXTURE(Course, "folded answers are kept together") {
  CHECK(chapter("<details>\n<summary>Answers</summary>\n\n1. *Two*\n\n</details>\n").text ==
        "@htmlonly[block]<details>@endhtmlonly\n"
        "@htmlonly[block]<summary>Answers</summary>@endhtmlonly\n\n1. *Two*\n\n"
        "@htmlonly[block]</details>@endhtmlonly\n");
}

TEST_CASE_FIXTURE(Course, "links lead to pages, headings, copied files and elsewhere") {
  Rewritten page = chapter(
      "[b](../02_b/README.md), [b](../02_b/), [t](../02_b/README.md#traps), [here](#run-it),\n"
      "[home](../../README.md), [x](v0_x.cuh), [r](../../docs/results/h200.json), "
      "[w](https://a.b)\n");
  CHECK(page.text ==
        "[b](@ref chapters_02_b), [b](@ref chapters_02_b), [t](@ref chapters_02_b-traps), "
        "[here](@ref chapters_01_a-run-it),\n[home](@ref mainpage), "
        "[x](files/chapters/01_a/v0_x.cuh.txt), [r](files/docs/results/h200.json), "
        "[w](https://a.b)\n");
  CHECK(page.errors.empty());
  CHECK(page.copies.size() == 2);
  CHECK(page.copies.at("chapters/01_a/v0_x.cuh") == "files/chapters/01_a/v0_x.cuh.txt");
}

TEST_CASE_FIXTURE(Course, "pictures keep their folder, in Markdown and in HTML") {
  Rewritten page =
      chapter("![a grid](figures/grid.svg)\n<img alt=\"x\" src=\"figures/grid.svg\">\n");
  CHECK(page.text == "<img src=\"files/chapters/01_a/figures/grid.svg\" alt=\"a grid\">\n"
                     "<img alt=\"x\" src=\"files/chapters/01_a/figures/grid.svg\">\n");
  CHECK(page.copies.size() == 1);
}

TEST_CASE_FIXTURE(Course, "code stays as it is, comments go") {
  std::string code = "```cuda\n// [x](nowhere) <!-- kept -->\n# not a heading\n```\n";
  CHECK(chapter(code).text == code);
  CHECK(chapter("`[x](nowhere)` and ``a ` [x](no)``\n").text ==
        "`[x](nowhere)` and ``a ` [x](no)``\n");
  CHECK(chapter("<!-- snippet a -->\nx <!-- value -->12<!-- /value --> y\n").text == "x 12 y\n");
  CHECK(chapter("a\n<!-- one\ntwo [x](no) -->\n\nb\n").text == "a\n\nb\n");
}

TEST_CASE_FIXTURE(Course, "a link or picture that leads nowhere is an error with its line") {
  Rewritten page = chapter("\n[x](v9.cuh)\n![y](figures/no.svg)\n[z](figures)\n");
  CHECK(
      page.errors ==
      std::vector<std::string>{
          "chapters/01_a/README.md:2: 'v9.cuh' is neither a page nor a file of the course",
          "chapters/01_a/README.md:3: 'figures/no.svg' is neither a page nor a file of the course",
          "chapters/01_a/README.md:4: 'figures' is neither a page nor a file of the course"});
}

TEST_CASE("the check of the finished site finds links and places that are not there") {
  TemporaryFolder folder;
  auto write = [&](const std::string &name, const std::string &text) {
    tutor::lessons::write_file(folder.path() / name, text);
  };
  auto check = [&](int exit_code, const std::string &words) {
    fs::path script = fs::path(COURSE_FOLDER) / "tests/docs/links.sh";
    tutor::Captured result = tutor::capture({"bash", script.string(), folder.path().string()});
    CAPTURE(result.output);
    CHECK(result.exit_code == exit_code);
    CHECK(holds(result.output, words));
  };
  check(1, "no site in");
  write("files/a.svg", "<svg/>");
  write("b.html", "<a id=\"there\"></a><a href=\"#there\"></a>");
  std::string good =
      "<a href=\"b.html#there\"></a><img src=\"files/a.svg\"><a href=\"https://a.b/#x\"></a>";
  write("index.html", good);
  check(0, "");
  write("index.html", good + "<a href=\"c.html\"></a>");
  check(1, "index.html: nothing at c.html");
  write("index.html", good + "<img src=\"files/c.svg\">");
  check(1, "index.html: nothing at files/c.svg");
  write("index.html", good + "<a href=\"b.html#nowhere\"></a>");
  check(1, "index.html: no such place: b.html#nowhere");
}
