#include "base/files.hpp"
#include "loop/state.hpp"
#include "support.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace tutor;

namespace {

/// The learner's commands on the small course, some of whose exercises have a state.
struct Commands : CourseWithExercises {
  void judge(const std::string &id, Verdict verdict, const std::string &diagnosis = "") {
    Result result;
    result.id = id;
    result.verdict = verdict;
    result.diagnosis = diagnosis;
    result.counters["barriers"] = 11;
    StateFile(root / "workspace").change([&](LearnerState &state) {
      const std::string name = id.substr(id.find('/') + 1);
      record(state, result, "a stub that is not this one: " + name);
    });
  }
};

} // namespace

TEST_CASE_FIXTURE(Commands, "a bare tutor without a terminal gives help and the next step") {
  const Captured bare = run("");
  CHECK(bare.exit_code == 0);
  CHECK(bare.output.starts_with(run("--help").output));
  CHECK(holds(bare.output, "\nNext: 01.1 The apple. Read: ./tutor lesson 01.1; edit "));
  CHECK(holds(bare.output, "./tutor check 01.1\n"));
  CHECK(tutor_on(root, {}, {"TERM=dumb"}).output == bare.output);
  const Captured learn = run("learn");
  CHECK(learn.exit_code == 2);
  CHECK(learn.output == "tutor: learn needs a terminal; without one: ./tutor check ID, and with "
                        "--task what is asked\n");
  CHECK_FALSE(fs::exists(root / "workspace")); // nothing is left behind
}

TEST_CASE_FIXTURE(Commands, "lesson lists sections, and prints one in 80 columns of plain text") {
  write_lesson(root);
  write_file(root / "chapters/01_hello_threads/more/deep.md", "# Deep water\n\nDown.\n");
  judge("01_hello_threads/apple", Verdict::pass);
  judge("01_hello_threads/berry", Verdict::pass);
  CHECK(run("lesson 01").output ==
        "Threads\n   1  v2_plain: one thing at a time\nx  2  Steps\n        01.1 The apple, 5 "
        "minutes\n"
        "        01.2 The berry, 5 minutes\n\nmore/deep.md\n   3  Deep water\n\n"
        "One of them: ./tutor lesson 01 1\n");
  const fs::path golden = fs::path(SCREENS_FOLDER) / "16_lesson_printed.txt";
  const std::string page = run("lesson 01 1 --all").output;
  if (std::getenv("RECORD_SCREENS") != nullptr) {
    write_file(golden, page);
  }
  CHECK(page == text_of(golden));
  CHECK(run("lesson 01 plain ONE thing --all").output != page); // words stand together
  CHECK(run("lesson 01 ONE thing --all").output == page);
  const std::string steps = run("lesson 01 2").output;
  for (const char *words : {"01 Steps", "01 01.1", "01.2", "berry", "hello_threads step"}) {
    CHECK(run(std::string("lesson ") + words).output == steps);
  }
  refused(run("lesson 01 stesp"), "no section 'stesp'; did you mean Steps?");
  refused(run("lesson 01 4"),
          "no section '4'; there are: v2_plain: one thing at a time, Steps, Deep");
  refused(run("lesson 01.7"), "no exercise '01.7'");
  refused(run("lesson 77"), "no chapter '77'");
  refused(run("lessons --check"),
          "read with ./tutor lesson 05, and filled with ./tutor author lessons");
}

TEST_CASE_FIXTURE(Commands, "list shows the exercises and their state") {
  judge("01_hello_threads/apple", Verdict::pass);
  judge("01_hello_threads/berry", Verdict::hazard, "shared_race");
  const std::string text = run("list").output;
  CHECK(holds(text, "  x 01.1  The apple   passed, but changed since\n"));
  CHECK(holds(text, "    01.2  The berry   hazard: shared race\n"));
  CHECK(holds(text, "    05.1  The cherry  -\n"));
  CHECK(holds(text, "\n1 of 3 exercises passed.\nNext: ./tutor learn 01.2, The berry\n"));

  const auto json = nlohmann::json::parse(run("list --json").output);
  const auto &berry = json["chapters"][0]["exercises"][1];
  CHECK(berry["id"] == "01_hello_threads/berry");
  CHECK(berry["number"] == "01.2");
  CHECK(berry["passed"] == false);
  CHECK(berry["verdict"] == "hazard");
  CHECK(berry["diagnosis"] == "shared_race");
  CHECK(berry["hints"] == nlohmann::json{{"shown", 0}, {"all", 3}});
  CHECK(json["chapters"][1]["exercises"].empty());
}

TEST_CASE_FIXTURE(Commands, "hint gives one more each time, the one for the diagnosis first") {
  judge("01_hello_threads/apple", Verdict::hazard, "shared_race");
  CHECK(run("hint apple").output == "Hint 1 of 3, for shared_race\n  Wait for each other.\n");
  CHECK(run("hint 01.1").output == "Hint 2 of 3\n  Look at the return.\n");
  CHECK(run("hint apple").output == "Hint 3 of 3\n  Return one.\n");
  const std::string again = run("hint apple").output;
  CHECK(holds(again, "Hint 1 of 3"));
  CHECK(holds(again, "These are all hints. The course's solution: ./tutor diff 01.1 --spoil"));
  CHECK(holds(run("hint berry --all").output, "Hint 2 of 2\n  Return one.\n"));
  CHECK(run("hint appel").exit_code == 2);
}

TEST_CASE_FIXTURE(Commands, "diff is for those who have passed, or say so") {
  const Captured early = run("diff apple");
  CHECK(early.exit_code == 1);
  CHECK(line_count(early.output) == 1);
  CHECK(holds(early.output, "01.1 has not passed yet: ./tutor check 01.1"));
  const std::string spoiled = run("diff apple --spoil").output;
  CHECK(holds(spoiled, "One is what was asked for.\n@@ "));
  CHECK(holds(spoiled, "-  return 0;\n+  return 1;\n"));
  judge("01_hello_threads/apple", Verdict::pass);
  write_file(file("01_hello_threads/apple"), solved_text("apple"));
  CHECK(run("diff apple").output == "Your file is the course's solution, line for line.\n");
}

TEST_CASE_FIXTURE(Commands, "reset keeps the file and forgets the state") {
  judge("01_hello_threads/apple", Verdict::pass);
  write_file(file("01_hello_threads/apple"), "mine\n");
  const Captured reset = run("reset apple");
  CHECK(reset.exit_code == 0);
  CHECK(holds(reset.output, "apple.cu.bak-1\n"));
  CHECK(text_of(file("01_hello_threads/apple").string() + ".bak-1") == "mine\n");
  CHECK_FALSE(StateFile(root / "workspace").load().of("01_hello_threads/apple").passed);
  CHECK(holds(run("reset apple").output, "there was nothing of yours in it"));
}

TEST_CASE_FIXTURE(Commands, "update says what became of each file, and exits 1 for a conflict") {
  CHECK(run("update").output == "Your files are up to date with the course.\n");
  for (const Exercise &exercise : exercises()) {
    workspace().open(exercise);
  }
  write_file(file("05_reduction/cherry"), "// mine\n");
  for (const Exercise &exercise : exercises()) {
    write_file(exercise.stub, "// New.\n");
  }
  const Captured update = run("update");
  CHECK(update.exit_code == 1);
  CHECK(holds(update.output, "apple.cu: not begun yet; it is the new stub now\n"));
  CHECK(holds(update.output, "cherry.cu: you and the course changed the same lines in 1 place"));
  CHECK(run("update").exit_code == 0);
}

TEST_CASE_FIXTURE(Commands, "predict asks before it shows, and keeps score") {
  CHECK(run("predict").exit_code == 1);
  CHECK(holds(run("predict apple").output,
              "nothing is counted until 01.1 passes on the emulator: ./tutor check 01.1 "));
  judge("01_hello_threads/apple", Verdict::pass);
  const Captured unasked = run("predict");
  CHECK(unasked.exit_code == 2);
  CHECK(holds(unasked.output, "How many barriers?"));
  CHECK(holds(unasked.output, "./tutor predict 01.1 --guess NUMBER"));
  CHECK_FALSE(holds(unasked.output, "11"));
  CHECK(run("predict apple --guess many").exit_code == 2);
  CHECK(holds(run("predict apple 11").output, "told by --guess: ./tutor predict 01.1 --guess 11"));
  const Captured missed = run("predict --guess 12");
  CHECK(holds(missed.output, "12 was not counted."));
  CHECK(holds(missed.output, "You have another one.\nYour guesses: 0 of 1 right.\n"));
  CHECK_FALSE(holds(missed.output, "One for each."));
  const Captured guessed = run("predict --guess 11");
  CHECK(guessed.exit_code == 0);
  CHECK(holds(guessed.output,
              "You guessed 11, and 11 was counted: right.\nOne for each.\nYour guesses: 1 of 1 "
              "right.\n"));
  CHECK(holds(run("predict apple").output, "nothing left to guess"));
  CHECK(holds(run("list").output, "guesses 1/1"));
}

TEST_CASE_FIXTURE(Commands, "a guess of a step's factor is scored against the time model") {
  const auto guess = [&](const char *step, const char *factor) {
    return run("predict 05 {} --guess {}", step, factor);
  };
  CHECK(guess("v1", "2").exit_code == 2);
  CHECK(holds(guess("v1", "2").output, "no times are predicted of chapter 05_reduction"));
  write_file(root / "docs/results/nvidia-h200_predictions.json", R"({"runs": [
    {"chapter": "05_reduction", "n": 9, "steps": [
      {"name": "v0_slow", "ms": 8.0, "binds": "issue slots"},
      {"name": "v1_fast", "ms": 2.0, "binds": "memory"},
      {"name": "v2_none", "refused": "its blocks wait"}]},
    {"chapter": "05_reduction", "n": 0, "rows": 5, "cols": 5, "steps": [
      {"name": "v0_slow", "ms": 90.0, "binds": "large"},
      {"name": "v1_fast", "ms": 90.0, "binds": "large"}]}]})");
  const Captured right = guess("v1", "3.5"); // at the size of the lesson's tables, the first
  CHECK(right.exit_code == 0);
  CHECK(holds(right.output, "You guessed 3.5, and the model says 4: right.\n"));
  CHECK(holds(right.output, "v0_slow takes about 8 ms (issue slots), v1_fast about 2 ms (memory)"));
  CHECK(holds(guess("v1_fast", "3").output, "the model says 4: worth a thought."));
  CHECK(holds(guess("v1", "1/4").output, "You guessed 0.25, and the model says 4: worth"));
  write_file(root / "docs/results/nvidia-h200_05_reduction.json", R"({"runs": [
    {"n": 5, "steps": [{"name": "v0_slow", "ms": 1.0}, {"name": "v1_fast", "ms": 1.0}]},
    {"n": 9, "steps": [{"name": "v0_slow", "ms": 9.0}, {"name": "v1_fast", "ms": 3.0}]}]})");
  CHECK(holds(guess("v1", "3").output, "You guessed 3, and 3 was measured: right.\n"));
  CHECK(holds(guess("v1", "4").output, "worth a thought.\nThe time model, which you have"));
  CHECK(holds(guess("v2", "1").output, "the model refuses v2_none: its blocks wait"));
  CHECK(guess("v0", "1").exit_code == 2);
}

TEST_CASE_FIXTURE(Commands, "another workspace is another learner") {
  judge("01_hello_threads/apple", Verdict::pass);
  const std::string other = (folder.path() / "other").string();
  CHECK(holds(run("list --workspace {}", other).output, "0 of 3 exercises passed"));
  CHECK(holds(run("list").output, "1 of 3 exercises passed"));
}

TEST_CASE_FIXTURE(Commands, "completion is a script that its shell accepts, with all names") {
  for (const char *shell : {"bash", "zsh", "fish"}) {
    const Captured script = run("completion {}", shell);
    CHECK(script.exit_code == 0);
    for (const char *word : {"learn", "predict", "cherry", "05_reduction"}) {
      CHECK(holds(script.output, word));
    }
    CHECK_FALSE(holds(script.output, "@"));
  }
  CHECK(run("completion tcsh").exit_code == 2);

  // bash is asked what it would offer for `./tutor hint che`.
  write_file(folder.path() / "ask.sh",
             run("completion bash").output + "COMP_WORDS=(./tutor hint che); COMP_CWORD=2\n"
                                             "_build_first_tutor; echo \"${COMPREPLY[*]}\"\n"
                                             "COMP_WORDS=(./tutor upd); COMP_CWORD=1\n"
                                             "_build_first_tutor; echo \"${COMPREPLY[*]}\"\n");
  CHECK(capture({"bash", (folder.path() / "ask.sh").string()}).output == "cherry\nupdate\n");
}

TEST_CASE_FIXTURE(Commands, "editor writes commands for every CUDA file that people open") {
  const fs::path step = root / "chapters/05_reduction/steps/first_steps.cu";
  write_file(step, "#include \"problem.hpp\"\n");
  CHECK(run("editor").exit_code == 0);
  const auto commands = nlohmann::json::parse(text_of(root / "compile_commands.json"));
  std::vector<std::string> files;
  for (const auto &command : commands) {
    files.push_back(command["file"].get<std::string>());
    CHECK(command["arguments"].back() == command["file"]);
    const std::string headers = "-I" + (root / "chapters/05_reduction").string();
    const auto words = command["arguments"].get<std::vector<std::string>>();
    CHECK(std::ranges::count(words, headers) == (files.back() == step.string()));
  }
  for (const fs::path &file : {root / "exercises/05_reduction/cherry/stub.cu",
                               root / "exercises/05_reduction/cherry/check.cu",
                               step,
                               root / "workspace/05_reduction/cherry.cu"}) {
    CHECK(std::ranges::count(files, file.string()) == 1);
  }
}

TEST_CASE_FIXTURE(Commands, "an author begins a chapter, and its name is in all of it") {
  fs::create_directories(root / "tools");
  fs::copy(fs::path(COURSE_FOLDER) / "tools/new_chapter",
           root / "tools/new_chapter",
           fs::copy_options::recursive);
  const Captured made = run("author --new 13_wide_stencil");
  CAPTURE(made.output);
  REQUIRE(made.exit_code == 0);
  const fs::path folder = root / "chapters/13_wide_stencil";
  CHECK(holds(text_of(folder / "main.cu"), "ladder(\"13_wide_stencil\""));
  CHECK(text_of(folder / "README.md").starts_with("# Wide stencil\n"));
  CHECK(tutor::Course(root).find("13").steps.size() == 2);
  for (const auto &file : fs::recursive_directory_iterator(folder)) {
    const std::string text = file.is_directory() ? "" : text_of(file.path());
    CHECK_FALSE(holds(text, "NN"));
    CHECK_FALSE(holds(text, "new_chapter"));
  }
  CHECK(run("author --new 13_other").output == "tutor: there is 13_wide_stencil already\n");
  CHECK(run("author --new Stencil").exit_code == 2);
}

TEST_CASE_FIXTURE(Commands,
                  "an author begins an exercise, whole, with the next number of its chapter") {
  fs::create_directories(root / "tools");
  fs::copy(fs::path(COURSE_FOLDER) / "tools/new_exercise",
           root / "tools/new_exercise",
           fs::copy_options::recursive);
  const Captured made = run("author --new 05/any_shape");
  CAPTURE(made.output);
  REQUIRE(made.exit_code == 0);
  const fs::path folder = root / "exercises/05_reduction/any_shape";
  for (const fs::path &file : {folder / "stub.cu",
                               folder / "check.cu",
                               folder / "card.toml",
                               folder / "answers.toml",
                               root / "solutions/05_reduction/any_shape.diff"}) {
    const std::string text = text_of(file);
    CHECK(text.size() > 100);
    CHECK_FALSE(holds(text, "NN"));
    CHECK_FALSE(holds(text, "new_exercise"));
    CHECK_FALSE(holds(text, "New exercise"));
  }
  CHECK(text_of(folder / "stub.cu").starts_with("// 05.2 · Any shape\n"));
  CHECK(holds(run("author any_shape").output, "out[i] = 2 * in[i];"));
  CHECK(holds(run("author any_shape --wrong one_block").output, "i = threadIdx.x;"));
  CHECK(run("author --new 01/any_shape").output ==
        "tutor: there is 05_reduction/any_shape already\n");
  CHECK(run("author --new 05/Any").exit_code == 2);
  CHECK(run("author --new 55/any").exit_code == 2);
}

TEST_CASE_FIXTURE(Commands, "answers follow their stub") {
  const std::string stub = (root / "exercises/01_hello_threads/apple/stub.cu").string();
  for (const char *line : {"git init -q",
                           "git add .",
                           "git -c user.name=author -c user.email=author@course commit -qm All"}) {
    const Captured done = tutor::capture(typed(line), root);
    CAPTURE(done.output);
    REQUIRE(done.exit_code == 0);
  }
  write_file(stub, "// apple\nint apple() {\n  // TODO\n  return 7;\n}\n\n// The end.\n");
  expect(run("author --restub apple"), 1, {"it changes the same lines; store it anew with --from"});
  write_file(stub,
             "// A better word.\n" + stub_text("apple").substr(stub_text("apple").find('\n') + 1));
  CHECK(run("author apple").exit_code != 0);
  CHECK(run("author --restub apple").exit_code == 0);
  const std::string solved = run("author apple").output;
  CHECK(solved.starts_with("// A better word.\n"));
  CHECK(holds(solved, "return 1;"));
}
