#pragma once

#include "base/files.hpp"
#include "exercises/exercise.hpp"
#include "exercises/solution.hpp"
#include "exercises/workspace.hpp"
#include "tutor/support.hpp"

#include <fmt/format.h>

/// \file
/// A course of three small exercises, made anew for each test.

/// What the stubs say.
inline std::string stub_text(const std::string &name) {
  return fmt::format("// {}\nint {}() {{\n  // TODO\n  return 0;\n}}\n\n// The end.\n", name, name);
}

/// What the solutions say.
inline std::string solved_text(const std::string &name) {
  return fmt::format("// {}\nint {}() {{\n  // TODO\n  return 1;\n}}\n\n// The end.\n", name, name);
}

/// Writes an exercise as an author does.
inline void write_exercise(const fs::path &root,
                           const std::string &chapter,
                           const std::string &name,
                           int number) {
  using tutor::write_file;
  const fs::path base = root / "exercises" / chapter / name;
  write_file(base / "stub.cu", stub_text(name));
  write_file(base / "check.cu", "// A checker.\n");
  write_file(
      base / "card.toml",
      fmt::format("title = \"The {0}\"\nnumber = {1}\nminutes = 5\ntask = \"\"\"\nMake {0} return\n"
                  "one.\"\"\"\nsection = \"Steps\"\n"
                  "[stub]\nverdict = \"fail\"\ndiagnosis = \"wrong_result\"\n"
                  "[[hint]]\ntext = \"Look at the return.\"\n"
                  "[[hint]]\ntext = \"Return one.\"\n"
                  "[[hint]]\nwhen = \"shared_race\"\ntext = \"Wait for each other.\"\n"
                  "[[predict]]\nquestion = \"How many barriers?\"\ncounter = \"barriers\"\nreason "
                  "= \"One for each.\"\n"
                  "[[explain]]\ntext = \"One is what was asked for.\"\n",
                  name,
                  number));
  write_file(
      root / "solutions" / chapter / (name + ".diff"),
      to_text(tutor::make_solution(chapter + "/" + name, stub_text(name), solved_text(name))));
}

/// A lesson with a bit of everything, for the chapter of two exercises.
inline void write_lesson(const fs::path &root) {
  tutor::write_file(root / "chapters/01_hello_threads/README.md", R"(# Threads

<!-- note: figures from nowhere -->

It has [two steps](#steps) and a [book](https://example.org/book), of n &lt; `2` *things*.

## v2_plain: one thing at a time

| step | time | what it is for, in so many words that a line of a terminal has no room for them |
| --- | ---: | --- |
| `v2` | 2.5 ms, which is a time | it is there to be compared with what is better than it |

<!-- snippet steps/v2_plain.cuh -->

```cuda
// # No heading
  if (threadIdx.x < blockDim.x && blockIdx.x * blockDim.x + threadIdx.x < 1000000000 * 1000000000) return;
```

<!-- /snippet -->

<details><summary>Look</summary>

An answer.

- One.
- Two, [there](http://example.org).

</details>

![A tree](figures/tree.svg)

## Steps

> **Now you: 01.1 · The apple.**

1. One.
2. Two.
)");
}

/// The course, and a workspace in it.
struct CourseWithExercises {
  TemporaryFolder folder;
  fs::path root = folder.path() / "course";
  CourseWithExercises() {
    copy_fixture(root);
    write_exercise(root, "01_hello_threads", "apple", 1);
    write_exercise(root, "01_hello_threads", "berry", 2);
    write_exercise(root, "05_reduction", "cherry", 1);
  }

  tutor::Course course() const { return tutor::Course(root); }
  std::vector<tutor::Exercise> exercises() const { return tutor::exercises_of(course()); }
  tutor::Workspace workspace() const { return tutor::Workspace(root / "workspace"); }
  fs::path file(const std::string &id) const { return root / "workspace" / (id + ".cu"); }
  template <class... Values>
  tutor::Captured run(const std::string &line, const Values &...values) const {
    return tutor_on(root, typed(line, values...));
  }
};

/// What a file holds.
inline std::string text_of(const fs::path &file) { return tutor::read_file(file); }
