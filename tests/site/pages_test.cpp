#include "base/highlight.hpp"
#include "site/finished.hpp"
#include "site/page.hpp"

#include "base/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <regex>

using namespace tutor;
using namespace tutor::site;

namespace {

/// A small course on disk.
struct SmallCourse {
  TemporaryFolder folder;

  SmallCourse() {
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
    tutor::write_file(folder.path() / file, text);
  }
  /// Chapter 01's page when its lesson holds `text`, without what leads to other pages.
  Rewritten chapter(const std::string &text) const {
    write("chapters/01_a/README.md", text);
    return page(1);
  }
  Rewritten page(std::size_t number) const {
    Rewriter site(folder.path());
    Rewritten rewritten = site.rewrite(site.pages().at(number));
    rewritten.text =
        std::regex_replace(rewritten.text, std::regex("\n@htmlonly\\[block\\]<nav[^\n]*\n"), "");
    return rewritten;
  }
};

const std::string page_start = "@htmlonly[block]", page_end = "@endhtmlonly\n";

} // namespace

TEST_CASE_FIXTURE(SmallCourse,
                  "pages are found in the order of the site, with names of their own") {
  std::vector<std::string> ids;
  for (const Page &page : find_pages(folder.path())) {
    ids.push_back(page.id);
  }
  CHECK(ids ==
        std::vector<std::string>{
            "mainpage", "chapters_01_a", "chapters_02_b", "chapters_02_b_further", "docs_results"});
}

TEST_CASE_FIXTURE(SmallCourse, "headings get labels that are unique on the site") {
  CHECK(chapter("# 01 · A\n\n## Run it\n## Then & now\n## Run it\n#define\n").text ==
        "# 01 · A {#chapters_01_a}\n\n## Run it {#chapters_01_a-run-it}\n"
        "## Then & now {#chapters_01_a-then--now}\n## Run it {#chapters_01_a-run-it-1}\n#define\n");
}

TEST_CASE_FIXTURE(SmallCourse, "a lesson's second part is a page, and both link to each other") {
  write("chapters/02_b/further.md", "# Further\n\n[first](README.md#one)\n");
  write("chapters/02_b/README.md", "# 02 · B\n\n## One\n\n[second](further.md)\n");
  CHECK(page(3).errors.empty());
  CHECK(page(3).text == "# Further {#chapters_02_b_further}\n\n[first](@ref chapters_02_b-one)\n");
  CHECK(page(2).text.ends_with("[second](@ref chapters_02_b_further)\n"));
}

TEST_CASE_FIXTURE(SmallCourse, "the first page's sections get no label") {
  write("README.md", "# Course\n## Begin\n");
  CHECK(page(0).text == "# Course {#mainpage}\n## Begin\n");
}

TEST_CASE_FIXTURE(SmallCourse, "a page says where it stands, what is on it, and where to go on") {
  write("chapters/02_b/README.md", "# 02 · B\n\n## One_a\n## Two\n");
  Rewriter site(folder.path());
  const std::string text = site.rewrite(site.pages().at(2)).text;
  CHECK(holds(text, "<p>Chapter 2 of 2</p>"));
  CHECK(holds(text, "<a href=\"#chapters_02_b-one_a\">One_<wbr>a</a>"));
  CHECK(holds(text, "<a rel=\"prev\" href=\"chapters_01_a.html\"><span>Before</span> 01 · A</a>"));
  CHECK(holds(text, "<a rel=\"next\" href=\"chapters_02_b_further.html\">"));
}

TEST_CASE_FIXTURE(SmallCourse, "pages, sections and the glossary's terms can be searched for") {
  write("docs/glossary.md",
        "# Glossary\n\n| term | means | in |\n| --- | --- | --- |\n"
        "| bank conflict | Lanes *wait*. | [01](../chapters/01_a/README.md) |\n");
  const Rewritten glossary = page(4);
  CHECK(holds(glossary.text, "| @anchor docs_glossary-term-bank-conflict bank conflict | Lanes"));
  REQUIRE(glossary.entries.size() == 2);
  CHECK(glossary.entries[1].title == "bank conflict");
  CHECK(glossary.entries[1].detail == "Lanes wait.");
  CHECK(
      search_script(glossary.entries) ==
      "(window.searchable ||= []).push(\n[\"Glossary\", \"docs_glossary.html\", \"page\", \"\"],\n"
      "[\"bank conflict\", \"docs_glossary.html#docs_glossary-term-bank-conflict\", \"term\", "
      "\"Lanes wait.\"],\n);\n");
}

TEST_CASE_FIXTURE(SmallCourse,
                  "an explorable picture brings its recording, and keeps the still one") {
  write("chapters/01_a/explore/x.json", "{\"kind\": \"paths\"}");
  const std::string text =
      "<!-- explore explore/x.json -->\n![g](figures/grid.svg)\n<!-- /explore -->\n";
  CHECK(chapter(text).errors ==
        std::vector<std::string>{
            "chapters/01_a/README.md:1: there is no "
            "chapters/01_a/explore/x.recorded.json: run ./tutor lessons --record"});
  write("chapters/01_a/explore/x.recorded.json", "[1]");
  const Rewritten page = chapter(text);
  CHECK(page.errors.empty());
  CHECK(
      holds(page.text, "<figure class=\"explore\" id=\"explore-01_a-x\" data-explore=\"01_a-x\">"));
  CHECK(holds(page.text, "<img src=\"files/chapters/01_a/figures/grid.svg\" alt=\"g\">"));
  CHECK(page.made.at("explore/01_a-x.js") ==
        "(window.explorables ||= {})[\"01_a-x\"] = {\n\"about\": {\"kind\": \"paths\"},\n"
        "\"recorded\": [1]};\n");
}

TEST_CASE_FIXTURE(SmallCourse, "folded answers are kept together") {
  CHECK(chapter("<details>\n<summary>Answers</summary>\n\n1. *Two*\n\n</details>\n").text ==
        "@htmlonly[block]<details>@endhtmlonly\n"
        "@htmlonly[block]<summary>Answers</summary>@endhtmlonly\n\n1. *Two*\n\n"
        "@htmlonly[block]</details>@endhtmlonly\n");
}

TEST_CASE_FIXTURE(SmallCourse, "links lead to pages, headings, copied files and elsewhere") {
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

TEST_CASE_FIXTURE(SmallCourse, "pictures keep their folder, in Markdown and in HTML") {
  Rewritten page =
      chapter("![a grid](figures/grid.svg)\n<img alt=\"x\" src=\"figures/grid.svg\">\n");
  CHECK(page.text == "<a href=\"files/chapters/01_a/figures/grid.svg\">"
                     "<img src=\"files/chapters/01_a/figures/grid.svg\" alt=\"a grid\"></a>\n"
                     "<img alt=\"x\" src=\"files/chapters/01_a/figures/grid.svg\">\n");
  CHECK(page.copies.size() == 1);
}

TEST_CASE_FIXTURE(SmallCourse, "code gets its colours and nothing else, comments go") {
  CHECK(chapter("```console\n$ [x](nowhere) <!-- kept -->\n# \\no @heading\n```\n").text ==
        page_start +
            "<pre class=\"code console\" tabindex=0>$ [x](nowhere) &lt;!-- kept --&gt;&#10;"
            "# &#92;no &#64;heading&#10;</pre>" +
            page_end);
  CHECK(chapter("`[x](nowhere)` and ``a ` [x](no)``\n").text ==
        "`[x](nowhere)` and ``a ` [x](no)``\n");
  CHECK(chapter("<!-- snippet a -->\nx <!-- value -->12<!-- /value --> y\n").text == "x 12 y\n");
  CHECK(chapter("a\n<!-- one\ntwo [x](no) -->\n\nb\n").text == "a\n\nb\n");
}

TEST_CASE("CUDA's words, numbers, texts and comments are told apart") {
  CHECK(highlighted("__global__ void k(float *x) { // <a>\n  x[threadIdx.x] = 1.5e-3f;\n}\n") ==
        std::vector<std::string>{
            "<b class=cuda>__global__</b> <b class=type>void</b> k(<b class=type>float</b> *x) { "
            "<b class=comment>// &lt;a&gt;</b>",
            "  x[<b class=cuda>threadIdx</b>.x] = <b class=number>1.5e-3f</b>;",
            "}"});
  CHECK(
      highlighted("#include <a>\n/* one\ntwo */ \"a\\\"b\" 1'000 'x'") ==
      std::vector<std::string>{"<b class=directive>#include</b> &lt;a&gt;",
                               "<b class=comment>/* one</b>",
                               "<b class=comment>two */</b> <b class=string>&quot;a\\&quot;b&quot;"
                               "</b> <b class=number>1'000</b> <b class=string>'x'</b>"});
  CHECK(highlighted("\"open\nx") ==
        std::vector<std::string>{"<b class=string>&quot;open</b>", "x"});
}

TEST_CASE("a difference shows which lines came and went") {
  CHECK(
      code_block("diff", "--- a\n@@ -1 +1 @@\n-int a;\n+a<b;\n c\n") ==
      "<pre class=\"code diff\" tabindex=0><i class=where>--- a</i><i class=where>&#64;&#64; -1 +1 "
      "&#64;&#64;</i><del><span>-</span><b class=type>int</b> a;</del><ins><span>+</span>a&lt;b;"
      "</ins><i class=same><span> </span>c</i></pre>");
}

TEST_CASE_FIXTURE(SmallCourse, "a link or picture that leads nowhere is an error with its line") {
  Rewritten page = chapter("\n[x](v9.cuh)\n![y](figures/no.svg)\n[z](figures)\n");
  CHECK(
      page.errors ==
      std::vector<std::string>{
          "chapters/01_a/README.md:2: 'v9.cuh' is neither a page nor a file of the course",
          "chapters/01_a/README.md:3: 'figures/no.svg' is neither a page nor a file of the course",
          "chapters/01_a/README.md:4: 'figures' is neither a page nor a file of the course"});
}

TEST_CASE("the reading of the finished site finds links and places that are not there") {
  TemporaryFolder folder;
  auto write = [&](const std::string &name, const std::string &text) {
    tutor::write_file(folder.path() / name, text);
  };
  auto faults = [&] { return read_site(folder.path()).faults; };
  CHECK(faults() == std::vector<std::string>{"no site in " + folder.path().string()});
  write("files/a.svg", "<svg/>");
  write("b.html",
        "<a id=\"there\"></a><a href=\"#there\"></a><h2 class=\"memtitle\"><span "
        "class=\"permalink\"><a href=\"#there\">&#9670;&nbsp;</a></span>f()</h2>");
  const std::string good = "<a href=\"b.html#there\"></a><img src=\"files/a.svg\">"
                           "<a href=\"https://a.b/#x\"></a>";
  write("index.html", good);
  CHECK(faults().empty());
  REQUIRE(read_site(folder.path()).functions.size() == 1);
  CHECK(read_site(folder.path()).functions[0].title == "f()");
  CHECK(read_site(folder.path()).functions[0].url == "b.html#there");
  write("index.html",
        good + "<a href=\"c.html\"></a><img src=\"files/c.svg\">"
               "<a href=\"b.html#nowhere\"></a>");
  CHECK(faults() == std::vector<std::string>{"index.html: no such place: b.html#nowhere",
                                             "index.html: nothing at c.html",
                                             "index.html: nothing at files/c.svg"});
}
