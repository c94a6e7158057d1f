"""The course's Markdown as pages for Doxygen, and the reading of the finished site."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(COURSE / "course/tutor/site"))

from chrome import header_html  # noqa: E402
from finished import read_site  # noqa: E402
from highlight import code_block, highlighted  # noqa: E402
from page import find_pages, search_script  # noqa: E402
from rewriter import Rewritten  # noqa: E402

GRID = "files/chapters/01_a/figures/grid.svg"
NOWHERE = "is neither a page nor a file of the course"


class FolderTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="site-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)


class SmallCourse(FolderTest):
    def setUp(self):
        super().setUp()
        for name, text in {
            "README.md": "# Course\n",
            "chapters/01_a/README.md": "# 01 · A\n",
            "chapters/01_a/figures/grid.svg": "<svg/>",
            "chapters/01_a/v0_x.cuh": "int x;\n",
            "chapters/02_b/README.md": "# 02 · B\n",
            "chapters/02_b/more/further.md": "# Further\n",
            "docs/results/h200.json": "{}",
            "docs/results.md": "# Results\n",
        }.items():
            self.write(name, text)

    def page(self, number):
        pages = find_pages(self.folder)
        return Rewritten(self.folder, pages, pages[number])

    def text(self, number):
        """A page without what leads to other pages."""
        return re.sub("\n@htmlonly\\[block\\]<nav[^\n]*\n", "", self.page(number).text)

    def chapter(self, text):
        """Chapter 01's page when its lesson holds `text`."""
        self.write("chapters/01_a/README.md", text)
        return self.page(1)

    def becomes(self, text, rewritten):
        self.chapter(text)
        self.assertEqual(self.text(1), rewritten)

    def test_pages_are_found_in_the_order_of_the_site_with_names_of_their_own(self):
        ids = "mainpage chapters_01_a chapters_02_b chapters_02_b_further docs_results"
        self.assertEqual([page.id for page in find_pages(self.folder)], ids.split())

    def test_headings_get_labels_that_are_unique_on_the_site(self):
        self.becomes(
            "# 01 · A\n\n## Run it\n## Then & now\n## Run it\n#define\n",
            "# 01 · A {#chapters_01_a}\n\n## Run it {#chapters_01_a-run-it}\n"
            "## Then & now {#chapters_01_a-then--now}\n"
            "## Run it {#chapters_01_a-run-it-1}\n#define\n",
        )

    def test_a_lessons_second_part_is_a_page_and_both_link_to_each_other(self):
        self.write("chapters/02_b/more/further.md", "# Further\n\n[first](../README.md#one)\n")
        self.write("chapters/02_b/README.md", "# 02 · B\n\n## One\n\n[second](more/further.md)\n")
        self.assertEqual(self.page(3).errors, [])
        further = "# Further {#chapters_02_b_further}\n\n[first](@ref chapters_02_b-one)\n"
        self.assertEqual(self.text(3), further)
        self.assertTrue(self.text(2).endswith("[second](@ref chapters_02_b_further)\n"))

    def test_the_first_pages_sections_get_no_label(self):
        self.write("README.md", "# Course\n## Begin\n")
        self.assertEqual(self.text(0), "# Course {#mainpage}\n## Begin\n")

    def test_a_page_says_where_it_stands_what_is_on_it_and_where_to_go_on(self):
        self.write("chapters/02_b/README.md", "# 02 · B\n\n## One_a\n## Two\n")
        before = '<a rel="prev" href="chapters_01_a.html"><span>Before</span> 01 · A</a>'
        for words in (
            "<p>Chapter 2 of 2</p>",
            'data-chapter="chapters_02_b" aria-current="true"',
            '<a href="#chapters_02_b-one_a">One_<wbr>a</a>',
            before,
            '<a rel="next" href="chapters_02_b_further.html">',
        ):
            self.assertIn(words, self.page(2).text)
        self.assertIn('data-chapter="chapters_02_b" aria-current="true"', self.page(3).text)

    def test_the_header_lists_all_pages_in_groups(self):
        self.write("docs/teaching.md", "# Teach\n")
        pages = find_pages(self.folder)
        header = header_html(pages, dark=True)
        link = '<a href="$relpath^{}.html">{}</a></li>\n'
        for words in (
            "<h2>Chapters</h2>\n<ul>\n<li>" + link.format("chapters_01_a", "<span>01</span>01 · A"),
            '<li class="part">' + link.format("chapters_02_b_further", "Further"),
            f"<h2>Look up</h2>\n<ul>\n<li>{link.format('docs_results', 'Results')}</ul>",
            f"<h2>Teaching</h2>\n<ul>\n<li>{link.format('docs_teaching', 'Teach')}</ul>",
            'content="light dark"',
            'id="theme"',
        ):
            self.assertIn(words, header)
        self.assertNotIn('id="theme"', header_html(pages, dark=False))

    def test_pages_sections_and_the_glossarys_terms_can_be_searched_for(self):
        self.write(
            "docs/glossary.md",
            "# Glossary\n\n| term | means | in |\n| --- | --- | --- |\n"
            "| bank conflict | Lanes *wait*. | [01](../chapters/01_a/README.md) |\n",
        )
        glossary = self.page(4)
        place = "docs_glossary-term-bank-conflict"
        self.assertIn(f"| @anchor {place} bank conflict | Lanes", glossary.text)
        self.assertEqual(
            search_script(glossary.entries),
            '(window.searchable ||= []).push(\n["Glossary", "docs_glossary.html", "page", ""],\n'
            f'["bank conflict", "docs_glossary.html#{place}", "term", "Lanes wait."],\n);\n',
        )

    def test_an_explorable_picture_brings_its_recording_and_keeps_the_still_one(self):
        self.write("chapters/01_a/explore/x.json", '{"kind": "paths"}')
        text = "<!-- explore explore/x.json -->\n![g](figures/grid.svg)\n<!-- /explore -->\n"
        missing = "there is no chapters/01_a/explore/x.recorded.json"
        missing += ": run ./tutor author lessons --record"
        self.assertEqual(self.chapter(text).errors, [f"chapters/01_a/README.md:1: {missing}"])
        self.write("chapters/01_a/explore/x.recorded.json", "[1]")
        page = self.chapter(text)
        self.assertEqual(page.errors, [])
        figure = '<figure class="explore" id="explore-01_a-x" data-explore="01_a-x">'
        self.assertIn(figure, page.text)
        self.assertIn(f'<img src="{GRID}" alt="g">', page.text)
        self.assertEqual(
            page.made["explore/01_a-x.js"],
            '(window.explorables ||= {})["01_a-x"] = {\n"about": {"kind": "paths"},\n'
            '"recorded": [1]};\n',
        )

    def test_folded_answers_are_kept_together(self):
        self.becomes(
            "<details>\n<summary>Answers</summary>\n\n1. *Two*\n\n</details>\n",
            "@htmlonly[block]<details>@endhtmlonly\n"
            "@htmlonly[block]<summary>Answers</summary>@endhtmlonly\n\n1. *Two*\n\n"
            "@htmlonly[block]</details>@endhtmlonly\n",
        )

    def test_links_lead_to_pages_headings_copied_files_and_elsewhere(self):
        self.becomes(
            "[b](../02_b/README.md), [b](../02_b/), [t](../02_b/README.md#traps), "
            "[here](#run-it),\n[home](../../README.md), [x](v0_x.cuh), "
            "[r](../../docs/results/h200.json), [w](https://a.b)\n",
            "[b](@ref chapters_02_b), [b](@ref chapters_02_b), [t](@ref chapters_02_b-traps), "
            "[here](@ref chapters_01_a-run-it),\n[home](@ref mainpage), "
            "[x](files/chapters/01_a/v0_x.cuh.txt), [r](files/docs/results/h200.json), "
            "[w](https://a.b)\n",
        )
        page = self.page(1)
        self.assertEqual(page.errors, [])
        names = ["chapters/01_a/v0_x.cuh", "docs/results/h200.json"]
        self.assertEqual([*map(str, page.copies)], names)
        self.assertEqual(page.copies[Path(names[0])], f"files/{names[0]}.txt")

    def test_pictures_keep_their_folder_in_markdown_and_in_html(self):
        self.becomes(
            '![a grid](figures/grid.svg)\n<img alt="x" src="figures/grid.svg">\n',
            f'<a href="{GRID}"><img src="{GRID}" alt="a grid"></a>\n<img alt="x" src="{GRID}">\n',
        )
        self.assertEqual([*self.page(1).copies.values()], [GRID])

    def test_code_gets_its_colours_and_nothing_else_comments_go(self):
        self.becomes(
            "```console\n$ [x](nowhere) <!-- kept -->\n# \\no @heading\n```\n",
            '@htmlonly[block]<pre class="code console" tabindex=0>$ [x](nowhere) '
            "&lt;!-- kept --&gt;&#10;# &#92;no &#64;heading&#10;</pre>@endhtmlonly\n",
        )
        for text, rewritten in {
            "`[x](nowhere)` and ``a ` [x](no)``\n": "`[x](nowhere)` and ``a ` [x](no)``\n",
            "<!-- snippet a -->\nx <!-- one -->12<!-- two --> y\n": "x 12 y\n",
            "a\n<!-- one\ntwo [x](no) -->\n\nb\n": "a\n\nb\n",
        }.items():
            self.becomes(text, rewritten)

    def test_a_link_or_picture_that_leads_nowhere_is_an_error_with_its_line(self):
        page = self.chapter("\n[x](v9.cuh)\n![y](figures/no.svg)\n[z](figures)\n")
        targets = enumerate(("v9.cuh", "figures/no.svg", "figures"), 2)
        faults = [
            f"chapters/01_a/README.md:{line}: '{target}' {NOWHERE}" for line, target in targets
        ]
        self.assertEqual(page.errors, faults)


class Code(unittest.TestCase):
    def test_cudas_words_numbers_texts_and_comments_are_told_apart(self):
        for source, lines in (
            (
                "__global__ void k(float *x) { // <a>\n  x[threadIdx.x] = 1.5e-3f;\n}\n",
                [
                    "<b class=cuda>__global__</b> <b class=type>void</b> k(<b class=type>float</b> "
                    "*x) { <b class=comment>// &lt;a&gt;</b>",
                    "  x[<b class=cuda>threadIdx</b>.x] = <b class=number>1.5e-3f</b>;",
                    "}",
                ],
            ),
            (
                "#include <a>\n/* one\ntwo */ \"a\\\"b\" 1'000 'x'",
                [
                    "<b class=directive>#include</b> &lt;a&gt;",
                    "<b class=comment>/* one</b>",
                    "<b class=comment>two */</b> <b class=string>&quot;a\\&quot;b&quot;</b> "
                    "<b class=number>1'000</b> <b class=string>'x'</b>",
                ],
            ),
            ('"open\nx', ["<b class=string>&quot;open</b>", "x"]),
        ):
            self.assertEqual(highlighted(source), lines)

    def test_a_difference_shows_which_lines_came_and_went(self):
        self.assertEqual(
            code_block("diff", "--- a\n@@ -1 +1 @@\n-int a;\n+a<b;\n c\n"),
            '<pre class="code diff" tabindex=0><i class=where>--- a</i><i class=where>&#64;&#64; '
            "-1 +1 &#64;&#64;</i><del><span>-</span><b class=type>int</b> a;</del>"
            "<ins><span>+</span>a&lt;b;</ins><i class=same><span> </span>c</i></pre>",
        )


class Finished(FolderTest):
    def test_links_and_places_that_are_not_there_are_found(self):
        self.assertEqual(read_site(self.folder), ([f"no site in {self.folder}"], []))
        self.write("files/a.svg", "<svg/>")
        self.write(
            "b.html",
            '<a id="there"></a><a href="#there"></a><h2 class="memtitle"><span class="permalink">'
            '<a href="#there">&#9670;&nbsp;</a></span>f()</h2>',
        )
        good = '<a href="b.html#there"></a><img src="files/a.svg"><a href="https://a.b/#x"></a>'
        self.write("index.html", good)
        faults, (function,) = read_site(self.folder)
        self.assertEqual(faults, [])
        self.assertEqual(function[:2], ("f()", "b.html#there"))
        broken = ("href", "c.html"), ("src", "files/c.svg"), ("href", "b.html#nowhere")
        tags = "".join(f'<a {attribute}="{target}"></a>' for attribute, target in broken)
        self.write("index.html", good + tags)
        faults = "no such place: b.html#nowhere", "nothing at c.html", "nothing at files/c.svg"
        self.assertEqual(read_site(self.folder)[0], [f"index.html: {fault}" for fault in faults])


if __name__ == "__main__":
    unittest.main()
