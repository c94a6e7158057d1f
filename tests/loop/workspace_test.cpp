#include "base/failure.hpp"
#include "loop/hints.hpp"
#include "loop/state.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <thread>

using namespace tutor;

TEST_CASE_FIXTURE(CourseWithExercises, "a copy is made once, with its stub and a page") {
  const Exercise apple = exercises().front();
  CHECK(workspace().untouched(apple));
  CHECK(workspace().open(apple) == file("01_hello_threads/apple"));
  CHECK(text_of(file("01_hello_threads/apple")) == stub_text("apple"));
  CHECK(holds(text_of(root / "workspace/01_hello_threads/README.md"),
              "../../chapters/01_hello_threads/README.md"));
  CHECK(workspace().untouched(apple));
  write_file(file("01_hello_threads/apple"), "mine\n");
  CHECK_FALSE(workspace().untouched(apple));
  workspace().open(apple);
  CHECK(text_of(file("01_hello_threads/apple")) == "mine\n");
  // Whoever collects the learner's files by name finds one of each.
  std::size_t found = 0;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root / "workspace")) {
    found += entry.path().filename() == "apple.cu";
  }
  CHECK(found == 1);
}

TEST_CASE_FIXTURE(CourseWithExercises, "reset keeps what was there, each time") {
  const Exercise apple = exercises().front();
  workspace().open(apple);
  CHECK_FALSE(workspace().reset(apple)); // nothing to keep
  for (const char *version : {"first\n", "second\n"}) {
    write_file(file("01_hello_threads/apple"), version);
    const auto backup = workspace().reset(apple);
    REQUIRE(backup);
    CHECK(text_of(*backup) == version);
    CHECK(text_of(file("01_hello_threads/apple")) == stub_text("apple"));
  }
  CHECK(text_of(file("01_hello_threads/apple").string() + ".bak-1") == "first\n");
  CHECK(text_of(file("01_hello_threads/apple").string() + ".bak-2") == "second\n");
}

TEST_CASE_FIXTURE(CourseWithExercises, "update replaces, merges, or marks conflicts") {
  const std::vector<Exercise> all = exercises();
  for (const Exercise &exercise : all) {
    workspace().open(exercise);
  }
  CHECK(workspace().update(all[0]).kind == Update::Kind::current);
  write_file(file("01_hello_threads/berry"), solved_text("berry"));
  write_file(file("05_reduction/cherry"),
             "// mine\nint cherry() {\n  return 3;\n}\n\n// The end.\n");
  for (const Exercise &exercise : all) {
    write_file(exercise.stub, "// New.\n" + stub_text(exercise.name).substr(9));
  }

  const Update replaced = workspace().update(all[0]);
  CHECK(replaced.kind == Update::Kind::replaced);
  CHECK(replaced.backup.empty());
  CHECK(text_of(replaced.file) == text_of(all[0].stub));

  const Update merged = workspace().update(all[1]);
  CHECK(merged.kind == Update::Kind::merged);
  CHECK(text_of(merged.file) == "// New.\n" + solved_text("berry").substr(9));
  CHECK(text_of(merged.backup) == solved_text("berry"));

  const Update conflict = workspace().update(all[2]);
  CHECK(conflict.kind == Update::Kind::conflict);
  CHECK(conflict.conflicts == 1);
  CHECK(holds(text_of(conflict.file), "// mine"));
  CHECK(holds(text_of(conflict.file), "// New."));
  CHECK(holds(text_of(conflict.backup), "return 3;"));

  for (const Exercise &exercise : all) { // the second time there is nothing to do
    CHECK(workspace().update(exercise).kind == Update::Kind::current);
  }
}

TEST_CASE_FIXTURE(CourseWithExercises, "new words of a TODO that is done are no conflict") {
  const Exercise done = exercises()[0], begun = exercises()[1];
  const std::string old_stub =
      "// A.\nvoid f() {\n  // TODO: so\n  // far.\n  g();\n  // end of TODO\n}\n";
  const std::string new_stub =
      "// B.\nvoid f() {\n  // TODO: now\n  // more.\n  g();\n  // end of TODO\n}\n";
  for (const Exercise &exercise : {done, begun}) {
    write_file(exercise.stub, old_stub);
    workspace().open(exercise);
    write_file(exercise.stub, new_stub);
  }
  write_file(file("01_hello_threads/apple"), "// A.\nvoid f() {\n  h();\n}\n");
  CHECK(workspace().update(done).kind == Update::Kind::merged);
  CHECK(text_of(file("01_hello_threads/apple")) == "// B.\nvoid f() {\n  h();\n}\n");
  write_file(file("01_hello_threads/berry"), old_stub + "// mine\n");
  CHECK(workspace().update(begun).kind == Update::Kind::merged);
  CHECK(text_of(file("01_hello_threads/berry")) == new_stub + "// mine\n");
}

TEST_CASE_FIXTURE(CourseWithExercises, "a renamed exercise finds its file again") {
  workspace().open(exercises()[0]);
  write_file(file("01_hello_threads/apple"), "mine\n");
  const fs::path solutions = root / "solutions/01_hello_threads",
                 folder = root / "exercises/01_hello_threads";
  fs::rename(solutions / "apple.diff", solutions / "avocado.diff");
  fs::rename(folder / "apple", folder / "avocado");
  REQUIRE(exercises()[0].name == "avocado");
  CHECK(workspace().orphans(exercises()) == std::vector<std::string>{"01_hello_threads/apple"});
  CHECK_FALSE(workspace().adopt("01_hello_threads/apple", exercises()[1])); // another stub
  REQUIRE(workspace().adopt("01_hello_threads/apple", exercises()[0]));
  CHECK(text_of(file("01_hello_threads/avocado")) == "mine\n");
  CHECK(workspace().orphans(exercises()).empty());
}

TEST_CASE_FIXTURE(CourseWithExercises, "a folder that cannot be written gives one clear line") {
  write_file(root / "workspace", "a file\n");
  CHECK_THROWS_WITH_AS(
      workspace().open(exercises()[0]), doctest::Contains("cannot write"), Failure);
}

TEST_CASE_FIXTURE(CourseWithExercises, "state: what is written comes back") {
  StateFile state(root / "workspace");
  CHECK(state.load().exercises.empty());
  CHECK_FALSE(fs::exists(root / "workspace")); // looking leaves no trace
  Result result;
  result.id = "01_hello_threads/apple";
  result.verdict = Verdict::pass;
  result.counters["barriers"] = 3;
  state.change([&](LearnerState &all) {
    record(all, result, "abc");
    all.current = result.id;
    all.exercises[result.id].hints = {0, 2};
    all.exercises[result.id].guesses = {{"barriers", 3, 3}, {"other", 1, 2}};
  });
  result.verdict = Verdict::hazard;
  result.diagnosis = "shared_race";
  state.change([&](LearnerState &all) { record(all, result, "new"); });

  const LearnerState back = StateFile(root / "workspace").load();
  const ExerciseState &apple = back.of(result.id);
  CHECK(back.current == result.id);
  CHECK(apple.passed); // once passed stays passed
  CHECK(apple.verdict == Verdict::hazard);
  CHECK(apple.diagnosis == "shared_race");
  CHECK(apple.stub_sha256 == "abc");
  CHECK(apple.hints == std::set<std::size_t>{0, 2});
  CHECK(apple.counters.at("barriers") == 3);
  CHECK(apple.guesses[0].right());
  CHECK_FALSE(apple.guesses[1].right());
  CHECK_FALSE(back.of("nobody").passed);
}

TEST_CASE_FIXTURE(CourseWithExercises, "state: a damaged file is put aside, and said so") {
  for (const char *text : {"", "{", "[]", R"({"exercises":{"a":{"passed":"yes"}}})", "\xff\xff"}) {
    CAPTURE(text);
    write_file(root / "workspace/.state.json", text);
    StateFile state(root / "workspace");
    CHECK(state.load().exercises.empty());
    CHECK(holds(state.notice(), "could not be read"));
    CHECK_FALSE(fs::exists(root / "workspace/.state.json"));
    state.change([](LearnerState &all) { all.current = "x"; });
    CHECK(StateFile(root / "workspace").load().current == "x");
  }
  CHECK(text_of(root / "workspace/.state.json.damaged-2") == "{");
}

TEST_CASE_FIXTURE(CourseWithExercises, "state: two tutors at a time lose nothing") {
  constexpr int rounds = 50;
  const auto add = [&](const std::string &name) {
    for (int i = 0; i < rounds; ++i) {
      StateFile(root / "workspace").change([&](LearnerState &all) {
        all.exercises[fmt::format("{}{}", name, i)].passed = true;
      });
    }
  };
  std::thread other(add, "a");
  add("b");
  other.join();
  CHECK(StateFile(root / "workspace").load().exercises.size() == 2 * rounds);
}

TEST_CASE_FIXTURE(CourseWithExercises, "hints: those for the diagnosis first, each one once") {
  const Exercise apple = exercises()[0];
  ExerciseState state;
  CHECK(hint_order(apple.card, "") == std::vector<std::size_t>{0, 1});
  CHECK(hint_order(apple.card, "shared_race") == std::vector<std::size_t>{2, 0, 1});
  CHECK(next_hint(apple.card, state)->place == 0);
  state.diagnosis = "shared_race";
  CHECK(next_hint(apple.card, state)->place == 2);
  state.hints = {2, 0};
  const auto last = next_hint(apple.card, state);
  CHECK(last->place == 1);
  CHECK(last->level == 3);
  CHECK(last->of == 3);
  state.hints.insert(1);
  CHECK_FALSE(next_hint(apple.card, state));
  CHECK(shown_hints(apple.card, state).size() == 3);
}

TEST_CASE_FIXTURE(CourseWithExercises, "the comparison with the solution is explained once") {
  const Exercise apple = exercises()[0];
  CHECK(compare_with_solution(apple, solved_text("apple")).empty());
  const auto one = compare_with_solution(apple, stub_text("apple"));
  REQUIRE(one.size() == 1);
  CHECK(one[0].explanations == std::vector<std::string>{"One is what was asked for."});
  CHECK(holds(one[0].text, "-  return 0;\n+  return 1;\n"));
  const auto elsewhere = compare_with_solution(apple, "// Mine.\n" + solved_text("apple"));
  REQUIRE(elsewhere.size() == 1);
  CHECK(elsewhere[0].explanations.empty()); // what the card explains is as it should be
}

TEST_CASE("guesses are numbers, or one number over another") {
  CHECK(parse_guess("4") == 4);
  CHECK(parse_guess("0.5") == 0.5);
  CHECK(parse_guess("1/32") == 1.0 / 32);
  for (const char *wrong : {"", "four", "4x", "1/", "/2", "1/0", "nan", "inf", "1/2/3"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_guess(wrong));
  }
  CHECK(count_text(11) == "11");
  CHECK(count_text(1.0 / 3) == "0.33333");
}
