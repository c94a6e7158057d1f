#include "base/merge.hpp"
#include "loop/frame.hpp"
#include "loop/keys.hpp"

#include <doctest/doctest.h>

using namespace tutor;

namespace {

const std::string base = "one\ntwo\nthree\nfour\nfive\n";

/// All keys that these bytes are.
std::vector<Key> keys_of(std::string bytes, bool complete = true) {
  std::vector<Key> keys;
  while (const std::optional<Key> key = take_key(bytes, complete)) {
    keys.push_back(*key);
  }
  return keys;
}

} // namespace

TEST_CASE("merge: what only one side changed is taken from that side") {
  CHECK(merge_texts(base, base, base).text == base);
  CHECK(merge_texts(base, "one\n2\nthree\nfour\nfive\n", base).text ==
        "one\n2\nthree\nfour\nfive\n");
  CHECK(merge_texts(base, base, "one\ntwo\nthree\nfour\n5\n").text == "one\ntwo\nthree\nfour\n5\n");
  const Merge both =
      merge_texts(base, "one\n2\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nfive\nsix\n");
  CHECK(both.text == "one\n2\nthree\nfour\nfive\nsix\n");
  CHECK(both.conflicts == 0);
}

TEST_CASE("merge: the same change on both sides is no conflict") {
  const std::string changed = "one\n2\nthree\nfour\nfive\n";
  const Merge merge = merge_texts(base, changed, changed);
  CHECK(merge.text == changed);
  CHECK(merge.conflicts == 0);
}

TEST_CASE("merge: different changes of the same lines stay side by side, nothing is lost") {
  const Merge merge =
      merge_texts(base, "one\nmine\nthree\nfour\nfive\n", "one\ntheirs\nthree\nfour\n5\n");
  CHECK(merge.conflicts == 1);
  CHECK(first_conflict(merge.text) == 2);
  CHECK(first_conflict(base) == 0);
  CHECK(merge.text ==
        "one\n"
        "<<<<<<< yours: keep what is right of both, then remove the three lines of signs\n"
        "mine\n=======\ntheirs\n"
        ">>>>>>> the course's new version\n"
        "three\nfour\n5\n");
}

TEST_CASE("merge: removed and unended lines, empty texts, Windows' line ends") {
  CHECK(merge_texts(base, "one\nthree\nfour\nfive\n", base).text == "one\nthree\nfour\nfive\n");
  CHECK(merge_texts(base, "", base).text == "");
  CHECK(merge_texts("", "mine\n", "").text == "mine\n");
  CHECK(merge_texts("", "mine", "theirs").conflicts == 1);
  CHECK(merge_texts(base, "one\r\ntwo\r\nthree\r\nfour\r\nmine\r\n", "1\ntwo\nthree\nfour\nfive\n")
            .text == "1\ntwo\nthree\nfour\nmine\n");
  const Merge unended = merge_texts("a\nb", "a\nmine", "a\ntheirs");
  CHECK(unended.conflicts == 1);
  CHECK(unended.text.find("mine\n=======\ntheirs\n>>>>>>>") != std::string::npos);
}

TEST_CASE("wrap breaks between words and keeps indentation") {
  CHECK(wrap("aa bb cc", 5) == std::vector<std::string>{"aa bb", "cc"});
  CHECK(wrap("aa bb cc", 5, 2) == std::vector<std::string>{"  aa", "  bb", "  cc"});
  CHECK(wrap("  aa bbb", 6) == std::vector<std::string>{"  aa", "  bbb"});
  CHECK(wrap("      a", 9, 2) == std::vector<std::string>{"        a"});
  CHECK(wrap("abcdefgh", 4) == std::vector<std::string>{"abcd", "efgh"});
  CHECK(wrap("a\n\nb\n", 10) == std::vector<std::string>{"a", "", "b"});
  CHECK(wrap("", 10) == std::vector<std::string>{""});
  CHECK(wrap("größer als", 6) == std::vector<std::string>{"größer", "als"});
  CHECK(wrap("anything", 0).size() == 2); // no width is too small to end
}

TEST_CASE("columns are counted in characters, and wide ones count twice") {
  CHECK(columns_of("größe") == 5);
  CHECK(columns_of("… · ×") == 5);
  CHECK(columns_of("漢字") == 4);
  CHECK(clip("漢字", 3) == "漢");
  CHECK(columns_of("\xff\xfe") <= 2); // broken UTF-8 does no harm
}

TEST_CASE("what a learner's program prints cannot command the terminal") {
  CHECK(without_controls("a\x1b[2Jb\x07\tc\r\x7f") == "ab  c");
  CHECK(without_controls("\x1b") == "");
  CHECK(without_controls("\x1b[") == "");
  CHECK(to_terminal(Line("x\x1b[31m\x1b[999;999H\ny"), 80, false) == "xy");
}

TEST_CASE("lines fit, coloured or not") {
  const Line line({{"red", Style::red}, {" and plain"}});
  CHECK(to_terminal(line, 80, false) == "red and plain");
  CHECK(to_terminal(line, 80, true) == "\x1b[31mred\x1b[0m and plain");
  CHECK(to_terminal(line, 2, true) == "\x1b[31mre\x1b[0m");
  CHECK(to_terminal(line, 0, false) == "");
  CHECK(shortened_path("/a/long/path/to/a/file.cu", 15) == "/a/lo…a/file.cu");
  CHECK(shortened_path("file.cu", 15) == "file.cu");
}

TEST_CASE("a card's lines become paragraphs") {
  CHECK(reflow("one\ntwo\n\nthree\n") == "one two\n\nthree");
  CHECK(reflow("one\n  code\n  more\ntwo\nthree") == "one\n  code\n  more\ntwo three");
}

TEST_CASE("keys: characters, names, sequences in pieces, the lone escape") {
  CHECK(keys_of("n").front().is('n'));
  CHECK(keys_of("\x1b[A\x1b[B").size() == 2);
  CHECK(keys_of("\x1bOA").front().kind == Key::Kind::up);
  CHECK(keys_of("\x1b[6~").front().kind == Key::Kind::page_down);
  CHECK(keys_of("\r").front().kind == Key::Kind::enter);
  CHECK(keys_of("\x7f").front().kind == Key::Kind::backspace);
  CHECK(keys_of("\x1b").front().kind == Key::Kind::escape);
  CHECK(keys_of("\x1b", false).empty()); // more may follow
  CHECK(keys_of("\x1b[", false).empty());
  CHECK(keys_of("\x1b[1;5Dq").size() == 1); // an unknown sequence is not read as letters
  CHECK(keys_of("\xc3\xa4q").size() == 1); // neither is ä
}
