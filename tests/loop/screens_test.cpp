#include "exercises/check.hpp"
#include "loop/loop.hpp"
#include "loop/screens.hpp"
#include "support.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <vector>

/// \file
/// The loop without a terminal. Its screens are compared with the files in screens/; with the variable
/// RECORD_SCREENS set they are written anew, to be read before they are committed.

using namespace tutor;

namespace {

/// The loop on the small course, with checks that the test ends as it likes.
struct LoopOnCourse : CourseWithExercises {
  std::vector<std::string> started; ///< the ids of the checks that were begun
  std::vector<std::string> prepared;
  int stopped = 0;
  double clock = 0;
  std::unique_ptr<Loop> loop;

  LoopOnCourse() {
    fs::current_path(root); // paths are shown as a learner in the course's folder types them
    open();
  }
  ~LoopOnCourse() { fs::current_path("/"); }

  void open(const std::string &id = "") {
    LoopHands hands;
    hands.prepare = [&](const Exercise &exercise) { prepared.push_back(exercise.id()); };
    hands.start_check = [&](const Exercise &exercise) { started.push_back(exercise.id()); };
    hands.stop_check = [&] { ++stopped; };
    hands.edit = [](const fs::path &) { return std::string("no editor here"); };
    hands.now = [&] { return clock; };
    loop = std::make_unique<Loop>(exercises(), workspace(), hands);
    loop->begin(id);
  }

  void keys(const std::string &text) {
    for (char key : text) {
      loop->press(key == '\n'     ? Key{Key::Kind::enter}
                  : key == '\x1b' ? Key{Key::Kind::escape}
                                  : Key::of(key));
    }
  }
  void save(const std::string &id, const std::string &text) {
    write_file(file(id), text);
    loop->file_changed();
  }

  std::string screen(Size size = {80, 24}) {
    std::string text;
    const Lines lines = loop->draw(size);
    CHECK(lines.size() == size.rows);
    for (const Line &line : lines) {
      const std::string row = to_terminal(line, size.columns, false);
      CHECK(columns_of(row) <= size.columns);
      text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }
  void check_screen(const std::string &name, Size size = {80, 24}) {
    CAPTURE(name);
    const fs::path golden = fs::path(SCREENS_FOLDER) / (name + ".txt");
    const std::string now = screen(size);
    if (std::getenv("RECORD_SCREENS") != nullptr) {
      write_file(golden, now);
    }
    CHECK(now == text_of(golden));
  }
};

Result result_of(const std::string &id, Verdict verdict) {
  Result result;
  result.id = id;
  result.verdict = verdict;
  result.seconds = 0.9;
  result.seed = 2026;
  return result;
}

Result race(const std::string &id) {
  Result result = result_of(id, Verdict::hazard);
  result.diagnosis = "shared_race";
  result.message =
      "1024 elements in blocks of 128: one thread writes what another reads, in one warp, "
      "with no __syncwarp() between";
  result.where = {{"apple.cu", 4, {1, 0, 0}, {0, 0, 0}, "reads"},
                  {"apple.cu", 2, {0, 3, 0}, {7, 0, 0}, ""}};
  result.cases = {{"every size", false, result.message},
                  {"one barrier per round", false, std::string("2048 elements: ") + result.message},
                  {"an easy one", true, ""}};
  result.log = "it prints this\nand \x1b[2Jthat\n";
  return result;
}

Result pass(const std::string &id) {
  Result result = result_of(id, Verdict::pass);
  result.cases = {{"every size", true, ""}};
  result.counters = {{"barriers", 11}, {"shared_load.wavefronts_per_request", 1}};
  return result;
}

const std::string apple = "01_hello_threads/apple", berry = "01_hello_threads/berry",
                  cherry = "05_reduction/cherry";

} // namespace

TEST_CASE_FIXTURE(LoopOnCourse,
                  "of other cases that failed only those that tell of another mistake") {
  save(apple, solved_text("apple"));
  Result result = race(apple);
  result.cases = {{"a", false, "9 numbers: first", "wrong_result"},
                  {"b", false, "9 numbers: second", "misplaced"},
                  {"c", false, "cudaErrorIllegalAddress: third", "cuda_error"},
                  {"d", false, "9 numbers: fourth", "shared_race"},
                  {"e", false, "9 numbers: fifth", "too_many_barriers"},
                  {"f", false, "9 numbers: sixth", "last_block_missing", true}};
  loop->judged(result);
  const std::string all = screen({80, 60});
  CHECK(holds(all, "also: 9 numbers: fifth"));
  for (const char *no : {"first", "second", "third", "fourth", "sixth"})
    CHECK_FALSE(holds(all, std::string(": ") + no));
}

TEST_CASE_FIXTURE(LoopOnCourse, "of another case's words as many sentences as there is room for") {
  save(apple, solved_text("apple"));
  Result result = race(apple);
  const std::string sentence = ". This sentence takes as many columns as half of a line has, or so";
  result.cases = {
      {"a", false, "9 numbers: nine" + sentence + sentence + sentence + sentence, "odd_one_lost"},
      {"b",
       false,
       "9 numbers: ten (one" + sentence + sentence + sentence + sentence + ")",
       "lost"}};
  loop->judged(result);
  const std::string all = screen({80, 60});
  const std::size_t nine = all.find(": nine"), ten = all.find(": ten");
  REQUIRE(ten < all.size());
  REQUIRE(nine < ten);
  CHECK_FALSE(holds(all.substr(nine, ten - nine), "…"));
  CHECK(holds(all.substr(nine, ten - nine), "or so\n"));
  CHECK(holds(all.substr(ten), " …"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "an exercise from its task to its pass") {
  check_screen("01_task");
  CHECK(prepared == std::vector<std::string>{apple}); // while the learner reads
  CHECK(started.empty()); // an untouched stub needs no check

  save(apple, "// apple\nint apple() {\n  // TODO\n  return 0\n}\n");
  CHECK(started == std::vector<std::string>{apple});
  loop->phase("compiling");
  clock = 2.4;
  check_screen("02_checking");

  Result broken = result_of(apple, Verdict::build_error);
  broken.diagnosis = "compile_error";
  broken.message = "apple.cu:4: expected ‘;’ before ‘}’ token";
  broken.where = {{"apple.cu", 4, {}, {}, broken.message}};
  broken.log = "apple.cu:4:11: error: expected ‘;’ before ‘}’ token\n    4 |   return 0\n";
  loop->judged(broken);
  check_screen("03_build_error");

  save(apple, solved_text("apple"));
  loop->judged(race(apple));
  check_screen("04_hazard");
  keys("h");
  check_screen("05_hint");
  keys("hh");
  check_screen("06_all_hints");
  keys("d");
  CHECK(holds(screen(), "d is for after passing"));

  save(apple, "// apple, mine\nint apple() {\n  // TODO\n  return 2 - 1;\n}\n\n// The end.\n");
  loop->judged(pass(apple));
  keys("\x1b");
  check_screen("07_pass");
  CHECK_FALSE(holds(screen(), " 11")); // not before the guess
  keys("g1x\n");
  CHECK(holds(screen(), "A guess is a number"));
  keys("\x1bg");
  check_screen("08_guess");
  keys("12\n");
  CHECK(holds(screen(), "12 was not counted."));
  CHECK_FALSE(holds(screen(), " 11"));
  keys(" g11\n");
  check_screen("09_guessed");
  keys(" d");
  check_screen("10_compare");
  CHECK(holds(screen({20, 24}), "One is what was\nasked for.\n"));
  keys("l");
  check_screen("11_list");
  keys("?");
  check_screen("12_help");
}

TEST_CASE_FIXTURE(LoopOnCourse, "nothing moves on by itself; n, p, N and the list do") {
  save(apple, solved_text("apple"));
  loop->judged(pass(apple));
  CHECK(loop->watched() == file(apple));
  keys("p");
  CHECK(holds(screen(), "This is the first exercise"));
  keys("nn");
  CHECK(loop->watched() == file(cherry));
  keys("n");
  CHECK(holds(screen(), "05.1") == true);
  CHECK(holds(screen(), "01.2 has not passed yet: N goes there"));
  keys("N");
  CHECK(loop->watched() == file(berry));
  keys("ljj\n");
  CHECK(loop->watched() == file(cherry));
  keys("lkkk\n");
  CHECK(loop->watched() == file(apple));
  CHECK(started.back() == apple); // a begun file is checked as soon as one comes to it
}

TEST_CASE_FIXTURE(LoopOnCourse,
                  "what is to be read comes before the exercise, each section until it is read") {
  write_lesson(root);
  open();
  check_screen("14_lesson");
  keys("u");
  loop->press({Key::Kind::end});
  CHECK(holds(screen(), "An answer."));
  keys("n");
  check_screen("15_its_section");
  keys("n");
  CHECK(holds(screen(), "Fill in what the file's TODO asks for"));
  keys("s");
  CHECK(holds(screen(), "Steps"));
  keys("\x1bn"); // both stand in one section, which is read
  CHECK(holds(screen(), "Make berry return"));
  keys("u");
  CHECK(holds(screen(), "u does nothing"));
  open(); // the sections that are read stay so
  CHECK(holds(screen(), "Make berry return"));
  keys("ljj\ns");
  CHECK(holds(screen(), "The card names no section"));
  write_file(root / "chapters/05_reduction/README.md", "# Sums\n\n## Steps\n");
  const fs::path first = root / "chapters/01_hello_threads/README.md";
  write_file(first, text_of(first) + "\n## Last words\n");
  open(cherry); // first what is left of the chapter before
  CHECK(holds(screen(), "Before 05.1  The cherry, section 1 of 2\n"));
  CHECK(holds(screen(), "Last words\n"));
  keys("n");
  CHECK(holds(screen(), "Sums\n"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "a saved file of another exercise is named") {
  loop->saved_elsewhere(apple);
  CHECK_FALSE(holds(screen(), "saved"));
  loop->saved_elsewhere(cherry);
  CHECK(
      holds(screen(), "cherry.cu was saved: that is 05.1, and this is 01.1. l and Enter go there"));
  keys("l\n");
  CHECK(loop->watched() == file(cherry));
}

TEST_CASE_FIXTURE(LoopOnCourse, "there is nothing to guess at before it was counted") {
  keys("g");
  CHECK(holds(screen(), "g is for after passing"));
  Result on_gpu = pass(apple);
  on_gpu.counters.clear();
  save(apple, "mine\n");
  loop->judged(on_gpu);
  CHECK_FALSE(holds(screen(), "How many barriers?"));
  keys("g");
  CHECK(holds(screen(), "A GPU does not count that; ./tutor check 01.1 --backend cpu does"));
  loop->judged(pass(apple));
  loop->judged(on_gpu); // what the emulator counted stays known
  keys("g11\n");
  CHECK(holds(screen(), "You guessed 11, and 11 was counted: right."));
  CHECK(holds(screen(), "One for each."));
  keys("xg");
  CHECK(holds(screen(), "There is nothing left to guess here"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "who has guessed wrong twice is told") {
  save(apple, "mine\n");
  loop->judged(pass(apple));
  keys("g12\n");
  CHECK(holds(screen(), "12 was not counted."));
  CHECK_FALSE(holds(screen(), "11"));
  keys("xg13\n");
  CHECK(holds(screen(), "You guessed 13, and 11 was counted."));
  CHECK(holds(screen(), "One for each."));
}

TEST_CASE_FIXTURE(LoopOnCourse, "what the host did is no thread's doing") {
  save(apple, solved_text("apple"));
  Result result = race(apple);
  result.where[0].by = Doer::host;
  result.where[0].what.clear();
  loop->judged(result);
  CHECK(holds(screen(), "  apple.cu:4  in host code\n"));
  CHECK(holds(screen(), "  apple.cu:2  thread (0, 3) of block 7\n"));
}

TEST_CASE_FIXTURE(LoopOnCourse,
                  "a kernel's line that costs too much stands with its picture, and no thread") {
  save(apple, solved_text("apple"));
  Result result = race(apple);
  result.where.resize(1);
  result.where[0].by = Doer::kernel;
  result.where[0].what.clear();
  result.picture = "  sector  +0\n       0  [ 1 ]\n";
  loop->judged(result);
  CHECK(holds(screen(), "  apple.cu:4\n     4 |   return 1;\n\n    sector  +0\n"));
  CHECK(holds(screen(), "As an image: ./tutor check 01.1 --picture writes apple.svg"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "quit, and resume where one was") {
  keys("n");
  save(berry, "mine\n");
  keys("lq");
  CHECK_FALSE(loop->over()); // back from the list
  keys("q");
  CHECK(loop->over());
  open();
  CHECK(loop->watched() == file(berry));
  CHECK(started.back() == berry);
  loop->judged(pass(berry));
  open();
  CHECK(loop->watched() == file(apple)); // what has passed is not begun with
  open(cherry);
  CHECK(loop->watched() == file(cherry));
}

TEST_CASE_FIXTURE(LoopOnCourse, "a save during a check begins a new one; moving on gives it up") {
  save(apple, "one\n");
  save(apple, "two\n");
  CHECK(started.size() == 2);
  CHECK(loop->checking());
  keys("n");
  CHECK_FALSE(loop->checking());
  CHECK(stopped >= 1);
}

TEST_CASE_FIXTURE(LoopOnCourse,
                  "a check that cannot be made, a file that is gone, a damaged state") {
  loop->trouble("the emulator does not build");
  CHECK(holds(screen(), "The check could not be made"));
  CHECK(holds(screen(), "the emulator does not build"));
  fs::remove(file(apple));
  loop->file_changed();
  CHECK(holds(screen(), "apple.cu is gone; r brings the stub back"));
  keys("r");
  CHECK(text_of(file(apple)) == stub_text("apple"));
  CHECK(started.back() == apple);

  write_file(root / "workspace/.state.json", "{");
  open();
  CHECK(holds(screen(), "kept as .state.json.damaged-1"));
  keys("x");
  CHECK_FALSE(holds(screen(), "damaged"));
}

TEST_CASE_FIXTURE(LoopOnCourse,
                  "of an untouched file the task is shown first, and then what is wrong") {
  const Result stub = race(apple);
  loop->judged(stub);
  CHECK(holds(screen(), "Fill in what the file's TODO asks for"));
  CHECK(holds(screen(), "apple.cu is untouched: hazard; r says what is wrong"));
  CHECK_FALSE(holds(screen({80, 60}), "__syncwarp()"));
  loop->judged(stub);
  CHECK(holds(screen(), "__syncwarp()"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "the course's changes are announced") {
  write_file(exercises()[0].stub, "// New.\n");
  open();
  CHECK(holds(screen(), "changed 1 of these exercises: ./tutor update"));
}

TEST_CASE_FIXTURE(LoopOnCourse, "every screen fits every terminal, and scrolls to its end") {
  save(apple, solved_text("apple"));
  loop->judged(race(apple));
  for (const char *mode : {"", "?", "l", "h", "c"}) {
    keys(mode);
    for (Size size :
         {Size{80, 24}, Size{40, 12}, Size{20, 6}, Size{5, 3}, Size{1, 1}, Size{300, 90}}) {
      screen(size);
    }
    keys("\x1b");
  }
  check_screen("13_small", {50, 16});
  CHECK_FALSE(holds(screen({50, 16}), "and that"));
  loop->press({Key::Kind::end});
  CHECK(holds(screen({50, 16}), "and that"));
  CHECK(holds(screen({50, 16}), "\n0 more lines below"));
  loop->press({Key::Kind::home});
  CHECK(holds(screen({50, 16}), "HAZARD"));
}

TEST_CASE("of other cases only other mistakes are told") {
  Result result = result_of("05_reduction/cherry", Verdict::fail);
  const auto told =
      [&](const std::string &diagnosis, const std::string &message, CaseResult other) {
        result.judge(Verdict::fail, diagnosis, message);
        result.cases = {{"every size", false, message}, std::move(other)};
        return !other_failures(result, 100).empty();
      };
  CHECK(told(
      "first_only", "3 rows: the first row alone (row 1: 2)", {"a", false, "no rows: a crash"}));
  // The same of other inputs.
  CHECK_FALSE(told("first_only",
                   "3 rows: 1 element is read (row 1: 2)",
                   {"a", false, "9 rows: 8 elements is read (row 4: 7)"}));
  // What the numbers look like follows from what has a name.
  CHECK_FALSE(told("first_only",
                   "3 rows: the first row alone",
                   {"a", false, "9 rows: turned round", "misplaced"}));
  CHECK(told(
      "wrong_result", "3 rows: 4 of 9 wrong", {"a", false, "9 rows: turned round", "misplaced"}));
}

TEST_CASE_FIXTURE(LoopOnCourse,
                  "the line that writes the results is shown where it is the learner's") {
  const std::string source =
      "int apple() {\n  // TODO\n  int x = 1;\n  // end of TODO\n  return x;\n}\n";
  const Exercise exercise = exercises()[0];
  write_file(exercise.stub, source);
  Result result = result_of(exercise.id(), Verdict::fail);
  const auto stays = [&](int line, const std::string &what) {
    result.where = {{exercise.file_name(), line, {}, {}, what}};
    leave_out_given_lines(exercise, source, result);
    return !result.where.empty();
  };
  CHECK(stays(3, "writes the results"));
  CHECK_FALSE(stays(5, "writes the results"));
  CHECK(stays(5, "reads"));
}
