#include "base/files.hpp"
#include "exercises/exercise.hpp"
#include "exercises/proof.hpp"
#include "pseudo_terminal.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>

/// \file
/// The loop as a learner has it: the real tutor on a terminal, with a real exercise and its checker.

using namespace tutor;

namespace {

/// The real course, and a workspace of this test's own.
struct LoopOnTerminal {
  TemporaryFolder folder;
  Course course{COURSE_FOLDER};
  std::vector<Exercise> exercises = exercises_of(course);
  const Exercise &exercise = find_exercise(exercises, "block_sum");
  fs::path workspace = folder.path() / "workspace";
  fs::path file = exercise.file_in(workspace);

  Command command(const Command &arguments,
                  const std::string &term = "xterm",
                  const std::string &no_color = "") const {
    Command words{"env",
                  std::string("BUILD_FIRST_ROOT=") + COURSE_FOLDER,
                  std::string("BUILD_FIRST_BUILD=") + BUILD_FOLDER,
                  "TERM=" + term,
                  "NO_COLOR=" + no_color,
                  "EDITOR=",
                  "VISUAL=",
                  TUTOR_PROGRAM};
    append(words, arguments);
    return words;
  }
  Command learn(const Command &id = {}) const {
    Command words{"learn", "--backend", "cpu", "--workspace", workspace.string()};
    append(words, id);
    return command(words);
  }
  static void leave_lesson(PseudoTerminal &terminal) {
    REQUIRE(terminal.shows("I have read it", 300));
    terminal.press("\x1b");
    REQUIRE(terminal.shows("Fill in what"));
  }
  static void is_as_it_was(PseudoTerminal &terminal) {
    CHECK(terminal.modes_restored());
    CHECK_FALSE(terminal.screen().alternate());
  }
  static void quit(PseudoTerminal &terminal, const std::string &keys = "q") {
    terminal.press(keys);
    CHECK(terminal.wait() == 0);
  }
  /// Saves an answer of the course as the learner's: the solution, or the stored one of this name.
  void save(const std::string &answer = "") const {
    write_file(file, solved_text(exercise, answer));
  }
};

const std::string control_c = "\x03", control_z = "\x1a", escape = "\x1b";

} // namespace

TEST_CASE_FIXTURE(LoopOnTerminal,
                  "wrong edit, hint, right edit, guess, next, resize, quit, resume") {
  {
    PseudoTerminal terminal(learn({"block_sum"}));
    REQUIRE(terminal.shows("What paid?", 300)); // sections come first
    terminal.press("n");
    REQUIRE(terminal.shows("v2: halve the distance"));
    terminal.press("n");
    REQUIRE(terminal.shows("Fill in what the file's TODO asks for"));
    CHECK(terminal.screen().alternate());
    CHECK_FALSE(terminal.modes_restored()); // while it runs, keys come at once
    CHECK(terminal.screen().row(0).find(exercise.card.title) != std::string::npos);
    CHECK(read_file(file) == read_file(exercise.stub));

    save("barrier_only_after_load");
    REQUIRE(terminal.shows("HAZARD: shared race"));
    CHECK(terminal.shows("block_sum.cu:")); // where
    CHECK(terminal.shows("0 of "));
    terminal.press("d");
    CHECK(terminal.shows("d is for after passing"));
    terminal.press("h");
    REQUIRE(terminal.shows("Hint 1 of "));
    terminal.press("h");
    REQUIRE(terminal.shows("Hint 2 of "));

    save();
    CHECK(terminal.shows("block_sum.cu: PASS")); // news, while the hint stays on the screen
    terminal.press(escape);
    REQUIRE(terminal.shows("PASS "));
    CHECK(terminal.shows("guess first: g"));
    terminal.press("g4\r");
    CHECK(terminal.shows("You guessed 4, and 4 was counted: right."));
    terminal.press("x");
    REQUIRE(terminal.shows("PASS "));
    terminal.press("d");
    CHECK(terminal.shows("Your file is the course's solution"));

    terminal.press("?");
    REQUIRE(terminal.shows("Nothing moves on by itself"));
    terminal.resize(18, 60);
    CHECK(terminal.hides(std::string(61, '-'))); // drawn anew
    CHECK(terminal.shows(std::string(60, '-')));
    CHECK(terminal.shows_in_row(17, "? help")); // the keys are in the last row

    terminal.press(escape);
    REQUIRE(terminal.shows("PASS "));
    terminal.press("n");
    const bool last = exercises.back().id() == exercise.id();
    const Exercise &next = last ? exercise : (&exercise)[1];
    CHECK(terminal.shows(next.card.title));
    quit(terminal, "qq"); // its section, and then the loop
    is_as_it_was(terminal);
  }
  PseudoTerminal again(learn());
  const bool last = exercises.back().id() == exercise.id();
  const Exercise &resumed = last ? exercises.front() : (&exercise)[1];
  CHECK(again.shows(resumed.card.title, 300));
  CHECK(again.shows("1 of "));
  quit(again, "qq");
}

TEST_CASE_FIXTURE(LoopOnTerminal, "signals leave the terminal as it was") {
  for (int signal : {SIGTERM, SIGHUP, SIGINT, SIGSEGV}) {
    CAPTURE(signal);
    PseudoTerminal terminal(learn({"block_sum"}));
    leave_lesson(terminal);
    if (signal == SIGINT) {
      terminal.press(control_c);
    } else {
      terminal.send(signal);
    }
    const int status = terminal.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    is_as_it_was(terminal);
  }
}

TEST_CASE_FIXTURE(LoopOnTerminal, "Ctrl-Z gives the terminal to the shell, and fg draws anew") {
  PseudoTerminal terminal(learn({"block_sum"}));
  leave_lesson(terminal);
  terminal.press(control_z);
  CHECK(WIFSTOPPED(terminal.wait(WUNTRACED)));
  is_as_it_was(terminal);
  terminal.send(SIGCONT);
  CHECK(terminal.shows("Fill in what"));
  CHECK(terminal.screen().alternate());
  quit(terminal);
}

TEST_CASE_FIXTURE(LoopOnTerminal,
                  "a check that goes on for ever is given up when the learner quits") {
  PseudoTerminal terminal(learn({"block_sum"}));
  leave_lesson(terminal);
  std::string text = read_file(exercise.stub);
  text.replace(text.find("s_data[tid] = i;"), 16, "for (volatile int k = 0; k >= 0; k = k) ;");
  write_file(file, text);
  REQUIRE(terminal.shows("Checking: running"));
  terminal.press("?"); // keys are live meanwhile
  REQUIRE(terminal.shows("Nothing moves on by itself"));
  quit(terminal, "qq");
}

TEST_CASE_FIXTURE(LoopOnTerminal,
                  "a terminal that cannot be drawn on gets help and the next step") {
  PseudoTerminal dumb(command({}, "dumb"), 200, 200);
  const int status = dumb.wait();
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(dumb.screen().text().find("Next: ") != std::string::npos);
  CHECK_FALSE(dumb.screen().alternate());
}

TEST_CASE_FIXTURE(LoopOnTerminal,
                  "on a terminal the words of a report are explained once, and when asked") {
  const auto says = [&](const Command &words) {
    PseudoTerminal terminal(command(words), 60, 120);
    CHECK(WEXITSTATUS(terminal.wait()) == 0);
    return terminal.screen().text();
  };
  const fs::path seen = fs::path(BUILD_FOLDER) / "legends_seen"; // of whoever uses this build
  fs::remove(seen);
  const Command observe{"observe", "01", "--", "--only", "v1", "--n", "33"};
  const std::string explained = "how many of a warp's 32 threads";
  CHECK(says(observe).find(explained) != std::string::npos);
  const std::string again = says(observe);
  CHECK(again.find("(observe --legend explains these words)") != std::string::npos);
  CHECK(again.find(explained) == std::string::npos);
  const std::string asked = says({"observe", "--legend", "01", "--", "--only", "v1", "--n", "33"});
  CHECK(asked.find(explained) != std::string::npos);
  fs::remove(seen); // who runs tests has not read them
}

TEST_CASE_FIXTURE(LoopOnTerminal, "NO_COLOR is heeded") {
  for (const char *no_color : {"", "1"}) {
    const Command words = {"learn", "--backend", "cpu", "--workspace", workspace.string()};
    PseudoTerminal terminal(command(words, "xterm", no_color));
    leave_lesson(terminal);
    CHECK(terminal.screen().coloured() == std::string(no_color).empty());
    quit(terminal);
    Command paged = command({"lesson", "05.2"}, "xterm", no_color);
    paged.insert(paged.begin() + 1, "PAGER=tail -n 3; echo by a pager");
    PseudoTerminal page(paged);
    CHECK(page.shows("by a pager"));
    CHECK(page.screen().text().find("Next: ./tutor lesson 05 4") != std::string::npos);
    CHECK(page.screen().coloured() == std::string(no_color).empty());
    CHECK(page.wait() == 0);
  }
}

TEST_CASE_FIXTURE(LoopOnTerminal, "a damaged state is the first thing that is said") {
  write_file(workspace / ".state.json", "{");
  PseudoTerminal terminal(learn({"block_sum"}));
  REQUIRE(terminal.shows("kept as .state.json.damaged-1", 300));
  terminal.press("x");
  CHECK(terminal.shows("Fill in what"));
  quit(terminal);
}
