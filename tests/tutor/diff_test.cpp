#include "base/diff.hpp"
#include "base/highlight.hpp"

#include <doctest/doctest.h>
#include <random>

using tutor::Diff;
using tutor::diff_texts;
using tutor::DiffLine;
using tutor::LineChange;

namespace {

/// The old or the new text, read back out of a difference.
std::string side(const Diff &diff, LineChange other) {
  std::string text;
  for (const DiffLine &line : diff)
    if (line.change != other)
      text += line.text;
  return text;
}

/// Length of the longest common subsequence by the textbook table: shares no code with the search.
std::size_t common_lines(const std::vector<std::string> &a, const std::vector<std::string> &b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
  return table[a.size()][b.size()];
}

} // namespace

TEST_CASE("a changed line is shown as removed, then added, with its context") {
  CHECK(to_unified(diff_texts("a\nb\nc\n", "a\nB\nc\n"), {"old", "new"}) ==
        "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
}

TEST_CASE("equal texts give no difference and no header") {
  CHECK(to_unified(diff_texts("a\n", "a\n"), {"old", "new"}) == "");
  CHECK(to_unified(diff_texts("", ""), {"old", "new"}) == "");
}

TEST_CASE("an empty side names the line before it, as diff -u does") {
  CHECK(to_unified(diff_texts("", "a\n"), {}) == "@@ -0,0 +1 @@\n+a\n");
  CHECK(to_unified(diff_texts("a\n", ""), {}) == "@@ -1 +0,0 @@\n-a\n");
  CHECK(to_unified(diff_texts("a\nb\n", "a\nx\nb\n"), {"", "", 0}) == "@@ -1,0 +2 @@\n+x\n");
}

TEST_CASE("a missing last newline is a difference and is said") {
  CHECK(to_unified(diff_texts("a", "a\n"), {}) ==
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST_CASE("changes far apart get hunks of their own, near ones share one") {
  const std::string old_text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const auto hunks = [](const std::string &unified) {
    std::size_t count = 0;
    for (const std::string &line : tutor::split_lines(unified))
      count += line.starts_with("@@");
    return count;
  };
  const Diff diff = diff_texts(old_text, "x\n2\n3\n4\n5\n6\n7\n8\ny\n");
  CHECK(hunks(to_unified(diff, {"", "", 3})) == 2);
  CHECK(hunks(to_unified(diff, {"", "", 4})) == 1);
}

TEST_CASE("random texts: both sides are kept exactly and the difference is the shortest") {
  std::mt19937 random(20240611);
  for (int round = 0; round < 300; ++round) {
    const auto text = [&] {
      std::string lines;
      for (auto left = random() % 25; left > 0; --left)
        lines += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      return lines;
    };
    const std::string old_text = text(), new_text = text();
    const Diff diff = diff_texts(old_text, new_text);
    CHECK(side(diff, LineChange::added) == old_text);
    CHECK(side(diff, LineChange::removed) == new_text);
    const auto old_lines = tutor::split_lines(old_text), new_lines = tutor::split_lines(new_text);
    CHECK(diff.size() == old_lines.size() + new_lines.size() - common_lines(old_lines, new_lines));
  }
}

TEST_CASE("CUDA's words, numbers, texts and comments are told apart") {
  using Lines = std::vector<std::string>;
  CHECK(tutor::highlighted("#include <a>\n__global__ void k() { // <b>\n") ==
        Lines{"<b class=directive>#include</b> &lt;a&gt;",
              "<b class=cuda>__global__</b> <b class=type>void</b> k() { "
              "<b class=comment>// &lt;b&gt;</b>"});
  CHECK(tutor::highlighted("/* one\ntwo */ \"a\\\"b\" 1'000 'x'\n\"open\nx 1.5e-3f") ==
        Lines{"<b class=comment>/* one</b>",
              "<b class=comment>two */</b> <b class=string>&quot;a\\&quot;b&quot;</b> "
              "<b class=number>1'000</b> <b class=string>'x'</b>",
              "<b class=string>&quot;open</b>",
              "x <b class=number>1.5e-3f</b>"});
}
