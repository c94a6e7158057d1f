// Each way in which an exercise can be broken makes its proof fail, with a line that says which. The
// course is a copy of one exercise of the real one, in which one thing is changed.
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "exercises/check.hpp"
#include "exercises/proof.hpp"
#include "exercises/solution.hpp"
#include "tutor/support.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

namespace {

using tutor::read_file;
using tutor::write_file;

std::string lines(const std::vector<std::string> &faults) {
  return faults.empty() ? "" : fmt::format("{}\n", fmt::join(faults, "\n"));
}

/// With `now` in the place of the first `was`.
std::string changed(std::string text, const std::string &was, const std::string &now) {
  const std::size_t at = text.find(was);
  REQUIRE(at != std::string::npos);
  return text.replace(at, was.size(), now);
}

/// A course with the exercise 05.2, block_sum.
class OneExercise {
public:
  OneExercise() {
    setenv("BUILD_FIRST_BUILD", BUILD_FOLDER, 1);
    const fs::path course = COURSE_FOLDER;
    for (const char *folder : {"exercises", "solutions"}) {
      fs::create_directories(root() / folder / "05_reduction");
    }
    fs::create_directories(root() / "chapters" / "05_reduction");
    fs::copy(course / "exercises/05_reduction/block_sum",
             root() / "exercises/05_reduction/block_sum");
    fs::copy(course / "solutions/05_reduction/block_sum.diff", root() / "solutions/05_reduction");
    keep({"all_take_in",
          "as_in_the_lesson",
          "barrier_on_both_sides",
          "each_warp_reads_all",
          "halves_of_1024",
          "last_round_missing",
          "no_bounds_test",
          "odd_one_to_the_last",
          "padded_thread"});
  }
  fs::path root() const { return folder_.path(); }
  fs::path card() const { return root() / "exercises/05_reduction/block_sum/card.toml"; }
  fs::path stub() const { return root() / "exercises/05_reduction/block_sum/stub.cu"; }
  fs::path solution() const { return root() / "solutions/05_reduction/block_sum.diff"; }
  fs::path answers() const { return root() / "exercises/05_reduction/block_sum/answers.toml"; }

  /// Takes out all other stored answers.
  void keep(const std::set<std::string> &names) const {
    std::vector<tutor::StoredAnswer> all = tutor::read_answers(answers());
    std::erase_if(all, [&](const tutor::StoredAnswer &one) { return !names.contains(one.name); });
    write_file(answers(), tutor::to_toml(all));
  }
  tutor::StoredAnswer stored(const std::string &name) const {
    const std::vector<tutor::StoredAnswer> all = tutor::read_answers(answers());
    const auto found = std::ranges::find(all, name, &tutor::StoredAnswer::name);
    REQUIRE(found != all.end());
    return *found;
  }
  void store(const tutor::StoredAnswer &answer) const {
    std::vector<tutor::StoredAnswer> all = tutor::read_answers(answers());
    tutor::put(all, answer);
    write_file(answers(), tutor::to_toml(all));
  }

  void change(const fs::path &file, const std::string &was, const std::string &now) const {
    write_file(file, changed(read_file(file), was, now));
  }

  tutor::Course course() const { return tutor::Course(root()); }
  tutor::Exercise exercise() const { return exercises_of(course()).at(0); }

  /// The faults of its files, one after the other; what its card's reader says, if it refuses it.
  std::string faults() const {
    try {
      return lines(tutor::check_files(exercise()));
    } catch (const tutor::Failure &failure) {
      return failure.what();
    }
  }
  std::string proof() const { return lines(tutor::prove(exercise(), {}).faults); }

private:
  TemporaryFolder folder_;
};

/// Makes its solution the stub; the stored answers are as before.
void hand_out_solution(const OneExercise &it) {
  const tutor::Exercise exercise = it.exercise();
  std::string stub = tutor::solved_text(exercise);
  const std::size_t at = stub.find("  s_data[tid] =");
  REQUIRE(at != std::string::npos);
  stub.insert(at, "  // TODO: nothing\n");
  stub.insert(stub.find("  if (tid == 0)"), "  // end of TODO\n");
  const std::string solution =
      to_text(tutor::make_solution(exercise.id(), stub, tutor::solved_text(exercise)));
  tutor::Ground ground = ground_of(exercise);
  ground.stub = stub;
  std::vector<tutor::StoredAnswer> answers = tutor::read_answers(it.answers());
  for (tutor::StoredAnswer &answer : answers) {
    take_from(answer, ground, tutor::solved_text(exercise, answer.name));
  }
  write_file(it.solution(), solution);
  write_file(it.answers(), tutor::to_toml(answers));
  write_file(it.stub(), stub);
  it.change(it.card(), "[[explain]]", "[[explain]]\ntext = \"and\"\n\n[[explain]]");
}

bool one_line_with(const std::string &text, const std::string &first, const std::string &second) {
  INFO(text);
  const bool one = text.find('\n') == std::string::npos || text.find('\n') + 1 == text.size();
  const bool both = holds(text, first) && holds(text, second);
  CHECK(one);
  CHECK(both);
  return one && both;
}

} // namespace

TEST_CASE("SHA-256: the examples of FIPS 180-4") {
  CHECK(tutor::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(tutor::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(tutor::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(tutor::sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("an exercise as it should be has no fault; what is not as declared is told, all of it") {
  const OneExercise it;
  const tutor::Exercise exercise = it.exercise();
  tutor::StoredAnswer style;
  style.name = "other_name";
  style.wrong = false;
  style.why = "Another name.";
  const auto store = [&](const char *eighth, const char *words) {
    take_from(style,
              ground_of(exercise),
              changed(tutor::solved_text(exercise), "(left + 7) / 8", eighth));
    it.store(style);
    tutor::StoredAnswer said = it.stored("barrier_on_both_sides");
    said.says = words;
    it.store(said);
  };
  store("left / 8 + (left % 8 != 0)", "at most 11 asked for");
  CHECK(it.faults().empty());
  CHECK(it.proof().empty());

  hand_out_solution(it); // a stub that passes is no exercise
  store("left / 8", "windmill");
  it.change(it.card(), "diagnosis = \"wrong_result\"", "diagnosis = \"crash\"");
  it.change(it.card(), "counter = \"barriers_of_96_threads\"", "counter = \"barriers\"");
  it.change(it.answers(), "hazard out_of_bounds", "hazard shared_race");
  const std::vector<std::string> faults = tutor::prove(it.exercise(), {}).faults;
  CHECK(faults.size() == 5);
  const std::string proof = lines(faults);
  INFO(proof);
  for (const char *fault :
       {"block_sum/card.toml: the stub gets 'pass', not 'fail crash'",
        "leaves nothing to do",
        "[[predict]] asks for 'barriers', which the checker does not record",
        "answers.toml: the wrong/no_bounds_test gets 'hazard out_of_bounds', not 'hazard "
        "shared_race'",
        "the right/other_name gets",
        "no right answer may be refused",
        "answers.toml: the message of wrong/barrier_on_both_sides does not say 'windmill'",
        "at most 11 asked for"}) {
    CHECK_MESSAGE(holds(proof, fault), fault);
  }
}

TEST_CASE("cards") {
  struct Case {
    const char *was, *now, *line, *complaint;
  };
  const Case cases[] = {
      {"minutes = 20", "minuts = 20", "block_sum/card.toml:3: ", "unknown key 'minuts'"},
      {"minutes = 20\n", "", "block_sum/card.toml:", "minutes is missing"},
      {"minutes = 20", "minutes = -1", "block_sum/card.toml:3: ", "1 or more"},
      {"minutes = 20", "minutes = ", "block_sum/card.toml:3: ", ""},
      {"title = \"The sum of a block\"", "title = \" \"", "block_sum/card.toml:1: ", "title"},
      {"verdict = \"fail\"", "verdict = \"pass\"", "block_sum/card.toml:", "leaves nothing to do"},
      {"verdict = \"fail\"", "verdict = \"bad\"", "block_sum/card.toml:", "no verdict 'bad'"},
      {"when = \"shared_race\"",
       "if = \"shared_race\"",
       "block_sum/card.toml:",
       "unknown key 'if'"},
      {"when = \"shared_race\"", "when = \"shared_rase\"", "'shared_rase'", ", shared_race, "},
      {"when = \"shared_race\"",
       "when = \"barriers_per_block\"",
       "block_sum/card.toml",
       "no check"},
      {"counter = \"barriers_of_96_threads\"", "", "block_sum/card.toml:", "counter is missing"},
      {"[[explain]]", "[[hint]]", "block_sum/card.toml", "0 [[explain]] for 1 hunks"},
  };
  for (const Case &c : cases) {
    const OneExercise it;
    it.change(it.card(), c.was, c.now);
    CAPTURE(c.now);
    CHECK(one_line_with(it.faults(), c.line, c.complaint));
  }
}

TEST_CASE("a number or a name that is taken, a folder that is no chapter's") {
  const OneExercise it;
  const fs::path folder = it.root() / "exercises/05_reduction";
  fs::create_directories(folder / "other");
  fs::copy(it.card(), folder / "other");
  CHECK(one_line_with(it.faults(), "other/card.toml", "number 2 is taken by block_sum"));
  fs::create_directories(it.root() / "chapters/06_atomics");
  fs::create_directories(it.root() / "exercises/06_atomics");
  fs::rename(folder / "other", it.root() / "exercises/06_atomics/block_sum");
  CHECK(one_line_with(
      it.faults(), "06_atomics/block_sum/card.toml", "the name 'block_sum' is taken by"));
  fs::remove(it.root() / "chapters/06_atomics");
  CHECK(one_line_with(it.faults(), "exercises/06_atomics", "no chapter of this name"));
}

TEST_CASE("a diagnosis that no answer gets") {
  const OneExercise it;
  it.change(it.root() / "exercises/05_reduction/block_sum/check.cu",
            "\"too_many_barriers\"",
            "barriers > 99 ? \"far_too_many\" : \"too_many_barriers\"");
  CHECK(one_line_with(it.faults(), "block_sum/check.cu", "no wrong answer gets far_too_many;"));
}

TEST_CASE("stored answers") {
  using Damage = std::function<void(const OneExercise &)>;
  struct Case {
    const char *what;
    Damage damage;
    const char *where, *complaint;
  };
  const auto change = [](const char *was, const char *now) {
    return [=](const OneExercise &it) { it.change(it.solution(), was, now); };
  };
  const Case cases[] = {
      {"missing", [](auto &it) { fs::remove(it.solution()); }, "block_sum.diff", "is missing"},
      {"CRLF",
       [](auto &it) {
         write_file(it.solution(), tutor::replaced(read_file(it.solution()), "\n", "\r\n"));
       },
       "block_sum.diff:1:",
       "CRLF"},
      {"offset",
       change("@@ -11,10 +11,15 @@", "@@ -12,10 +12,15 @@"),
       "diff:6:",
       "the stub's line 12"},
      {"fuzz",
       change("   const int tid", "   const  int tid"),
       "diff:6:",
       "the stub's line 11 is not"},
      {"lengths", change("-11,10 +11,15", "-11,10 +11,16"), "block_sum.diff", "other bytes"},
      {"other stub",
       [](auto &it) { it.change(it.stub(), "TODO: put", "TODO: Put"); },
       "block_sum.diff:2:",
       "another stub"},
      {"other bytes",
       [](auto &it) {
         it.change(it.solution(),
                   "@@ -11,10 +11,15 @@\n   const int tid = threadIdx.x;\n",
                   "@@ -12,9 +12,14 @@\n");
       },
       "block_sum.diff",
       "other bytes"},
      {"header", change("Exercise: ", "Exercize: "), "block_sum.diff:1:", "Exercise: "},
      {"exercise", change("/block_sum\n", "/other\n"), "block_sum.diff:3:", "--- other.cu"},
      {"cut off",
       change("    out[blockIdx.x] = s_data[0];\n", "    out"),
       "block_sum.diff:",
       "cut off"},
      {"wrong answer without its verdict",
       [](auto &it) { it.change(it.answers(), "verdict = \"fail too_many_barriers\"\n", ""); },
       "answers.toml:",
       "verdict is missing"},
      {"a key that nobody knows",
       [](auto &it) { it.change(it.answers(), "mistake = ", "misteak = "); },
       "answers.toml:",
       "unknown key 'misteak'"},
      {"two ways to say what it is",
       [](auto &it) {
         it.change(it.answers(),
                   "verdict = \"fail odd_one_lost\"",
                   "edits = \"\"\nverdict = \"fail odd_one_lost\"");
       },
       "answers.toml:",
       "either a body or edits"},
      {"answers in another order, or otherwise than author writes them",
       [](auto &it) { it.change(it.answers(), "mistake = ", "mistake  = "); },
       "answers.toml",
       "other bytes"},
      {"too few wrong answers",
       [](auto &it) {
         it.keep({"as_in_the_lesson", "last_round_missing"});
       },
       "block_sum/card.toml",
       "2 wrong answers"},
  };
  for (const Case &c : cases) {
    const OneExercise it;
    c.damage(it);
    CAPTURE(c.what);
    const std::string faults = it.faults();
    const std::string first = faults.substr(0, faults.find('\n'));
    CHECK(one_line_with(first, c.where, c.complaint));
  }
}

TEST_CASE("answers change nothing outside of the TODO") {
  const OneExercise it;
  const tutor::Exercise exercise = it.exercise();
  const std::string solved = tutor::solved_text(exercise), stub = read_file(it.stub());
  const auto store = [&](const char *was, const char *now) {
    const std::string other = changed(solved, was, now);
    write_file(it.solution(), to_text(tutor::make_solution(exercise.id(), stub, other)));
  };
  store("unsigned s_data[1024]", "unsigned s_data[2048]");
  CHECK(one_line_with(it.faults(), "block_sum.diff", "changes block_sum.cu:10, outside"));
  store("= s_data[0];\n", "= s_data[0];\n  out = nullptr;\n");
  CHECK(one_line_with(it.faults(), "block_sum.diff", "outside"));
  it.change(it.stub(), "end of TODO", "the end");
  CHECK(one_line_with(it.faults(), "block_sum/stub.cu:14: ", "no line 'end of TODO'"));
}

TEST_CASE(
    "an answer is the lines of the solution that it changes, or its own where these are fewer") {
  const OneExercise it;
  const tutor::Ground ground = ground_of(it.exercise());
  tutor::StoredAnswer answer = it.stored("no_bounds_test");
  CHECK(answer.edits == "-  s_data[tid] = i < n ? in[i] : 0;\n+  s_data[tid] = in[i];\n");
  std::string text = written_out(answer, ground, it.answers());
  CHECK(holds(text, "\n  s_data[tid] = in[i];\n"));
  const auto change = [&](const std::string &was, const std::string &now) {
    text = changed(text, was, now);
    take_from(answer, ground, text);
    it.store(answer);
    CHECK(it.faults().empty());
    CHECK(written_out(it.stored("no_bounds_test"), ground, it.answers()) == text);
  };
  change("s_data[1024]", "s_data[2048]"); // outside of the TODO
  CHECK(answer.bodies.empty());
  CHECK(holds(answer.edits, "\n+  __shared__ unsigned s_data[2048]"));
  it.change(
      it.answers(), "-  __shared__ unsigned s_data[1024]", "-  __shared__ unsigned s_data[1023]");
  CHECK(one_line_with(it.faults(),
                      "answers.toml: no_bounds_test: behind line 0 of the solution there is no ",
                      "'  __shared__ unsigned s_data[1023];"));
  it.store(answer);
  text = ground.stub;
  change("  s_data[tid] = i;\n", "  s_data[tid] = 0;\n"); // all else goes
  text = ground.stub;
  const std::size_t todo = text.find("  // TODO"), end = text.find("end of TODO\n") + 12;
  text.replace(todo, end - todo, "  s_data[tid] = 1;\n");
  change("= 1;", "= 2;");
  CHECK(answer.edits.empty());
  CHECK(answer.bodies == std::vector<std::string>{"  s_data[tid] = 2;\n"});
}

TEST_CASE("edits are read from the top") {
  const std::string text = "a\n\nb\na\n\nc\n";
  const auto both_ways = [&](const std::string &changed, const std::string &edits) {
    CHECK(tutor::edits_between(text, changed, "x") == edits);
    CHECK(tutor::apply_edits(edits, text, "x") == changed);
  };
  both_ways("a\n\nB\na\n\nc\n", "-b\n+B\n");
  both_ways("a\n\nb\nA\n\nc\n", " b\n-a\n+A\n");
  both_ways("A\n\nb\na\n\nc\n", "-a\n+A\n");
  both_ways("a\n\nb\na\n\nc\nd\n", " c\n+d\n");
  both_ways("a\n\nb\na\n1\n\nc\n", " b\n a\n+1\n");
  both_ways("0\na\n\nb\na\n\nC\n", "+0\n-c\n+C\n");
  both_ways("a\n\nb\n\nc\n", " b\n-a\n");
  both_ways("a\n\nB\nc\n", "-b\n-a\n-\n+B\n");
  both_ways("a\nB\n", "-\n…\n-c\n+B\n");
  both_ways("c\n", "-a\n…\n-a\n-\n");
  for (const auto &[given, complaint] :
       {std::pair("-d\n", "behind line 0 of the solution there is no 'd'"),
        {"-c\n-b\n", "behind line 6 of the solution there is no 'b'"},
        {"=c\n", "begins with ' ', '-' or '+', not as '=c'"}}) {
    const std::string edits = given;
    CAPTURE(edits);
    CHECK(failure_of([&] { tutor::apply_edits(edits, text, "x"); }).starts_with("x: "));
    CHECK(holds(failure_of([&] { tutor::apply_edits(edits, text, "x"); }), complaint));
  }
}

TEST_CASE("an answer that differs in nothing is none") {
  const OneExercise it;
  const tutor::Ground ground = ground_of(it.exercise());
  tutor::StoredAnswer answer = it.stored("no_bounds_test");
  CHECK(
      holds(failure_of([&] { take_from(answer, ground, ground.stub); }), "differs from the stub"));
  CHECK(holds(failure_of([&] { take_from(answer, ground, ground.solved); }),
              "differs from the solution"));
}

TEST_CASE("what a wrong answer gets with clang is kept beside the rest") {
  const OneExercise it;
  tutor::StoredAnswer answer = it.stored("no_bounds_test");
  answer.with_clang = tutor::judgement_named("fail uncoalesced");
  it.store(answer);
  const tutor::StoredAnswer again = it.stored("no_bounds_test");
  REQUIRE(again.with_clang.has_value());
  CHECK(again.with_clang->verdict == tutor::Verdict::fail);
  CHECK(again.with_clang->diagnosis == "uncoalesced");
  CHECK(again.verdict == answer.verdict);
  CHECK_FALSE(tutor::judgement_named("pass uncoalesced").has_value());
}

TEST_CASE("inputs at which answers break are brought, or left out with a reason") {
  const OneExercise it;
  tutor::Result result;
  result.inputs_missing = {"nan", "odd_blocks", "other_device", "other_limits"};
  const auto faults = [&] { return lines(tutor::check_inputs(it.exercise(), result)); };
  CHECK(one_line_with(
      faults(), "block_sum/card.toml: no input of the checker is 'nan'", "[left_out]"));
  it.change(it.card(), "[left_out]\n", "[left_out]\n\"nan\" = \"whole numbers\"\n");
  CHECK(faults().empty()); // its card names odd_blocks; its solution does not ask for the device
  it.change(it.card(), "\"nan\"", "\"nan nothing\"");
  CHECK(one_line_with(faults(), "[left_out] names 'nothing', which is not left out", "take out"));
}

TEST_CASE("what fails with one seed only is found, with its seed") {
  const OneExercise it;
  tutor::CheckOptions options;
  options.extra_check = it.root() / "hidden.extra.cu";
  write_file(options.extra_check,
             "#include \"checker/checker.hpp\"\n"
             "TEST_CASE(\"hidden\") {\n"
             "  checker::expect(checker::seed() != 3, \"third_seed\", \"the third seed\");\n"
             "}\n");
  const auto proofs = tutor::prove_seeds(it.exercise(), options, 4);
  REQUIRE(proofs.size() == 1);
  CHECK(proofs[0].runs == 4);
  REQUIRE(proofs[0].failed.size() == 1);
  CHECK(proofs[0].failed[0].seed == 3);
  CHECK(proofs[0].failed[0].diagnosis == "third_seed");
}

TEST_CASE("further checks count, and a hazard is told before the error that it led to") {
  const OneExercise it;
  const fs::path extra = it.root() / "hidden.extra.cu", mine = it.root() / "mine.cu";
  const auto write_extra = [&](const std::string &body) {
    write_file(
        extra,
        "#include \"checker/checker.hpp\"\n"
        "__global__ void block_sum(const unsigned *in, int n, unsigned *out);\n"
        "TEST_CASE(\"hidden\") {\n"
        "  const auto d_in = checker::on_device(checker::random_values<unsigned>(100, 0, 9));\n"
        "  auto d_out = checker::poisoned<unsigned>(1);\n" +
            body + "}\n");
  };
  write_file(mine, tutor::solved_text(it.exercise()));
  tutor::CheckOptions options;
  options.extra_check = extra;

  write_extra("  checker::expect(d_in.size() == 100, \"never\", \"\");\n");
  tutor::Result result = tutor::check(it.exercise(), mine, options);
  INFO(result.message);
  CHECK(result.verdict == tutor::Verdict::pass);
  CHECK(result.cases.size() == 4);

  write_extra("  checker::observe(\"too far\", [&] {\n"
              "    block_sum<<<1, 128>>>(d_in.data(), 5000, d_out.data());\n"
              "    LAB_CHECK(cudaDeviceSynchronize());\n"
              "    throw std::runtime_error(\"after it\");\n"
              "  });\n");
  result = tutor::check(it.exercise(), mine, options);
  INFO(result.message);
  CHECK(result.diagnosis == "out_of_bounds");
  CHECK(result.passed_cases() == 3);

  write_extra("  no C++\n");
  CHECK_THROWS_AS(tutor::check(it.exercise(), mine, options), tutor::Failure);
}

TEST_CASE("words that mean an exercise") {
  const OneExercise it;
  const std::vector<tutor::Exercise> all = exercises_of(it.course());
  for (const char *word : {"05.2", "5.2", "block_sum", "05_reduction/block_sum"}) {
    CHECK(tutor::find_exercise(all, word).id() == "05_reduction/block_sum");
  }
  CHECK_THROWS_WITH(tutor::find_exercise(all, "block_sun"),
                    "no exercise 'block_sun'; did you mean 05.2 block_sum?");
  CHECK_THROWS_WITH(tutor::find_exercise(all, "05.3"),
                    "no exercise '05.3'; there are: 05.2 block_sum");
  CHECK(tutor::find_exercises(it.course(), {"05", "block_sum"}).size() == 1);
  CHECK_THROWS_AS(tutor::find_exercises(it.course(), {"07"}), tutor::Failure);
  it.change(it.card(), "[stub]", "merged = \"old_sum\"\n\n[stub]");
  for (const char *word : {"old_sum", "05_reduction/old_sum", "06_older/old_sum"}) {
    CHECK_THROWS_WITH(
        tutor::find_exercises(it.course(), {word}),
        doctest::Contains(
            " is merged into 05.2 block_sum; if you have passed it, it stays passed"));
  }
}
