// `check` and `author`, as they are typed.
#include "base/files.hpp"
#include "exercises/answers.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

TEST_CASE("check: from the stub to a pass, by every name; what it writes") {
  const TemporaryFolder folder;
  const std::string workspace = folder.path() / "my files";
  const fs::path json = folder.path() / "result.json";
  const fs::path mine = fs::path(workspace) / "05_reduction" / "block_sum.cu";

  tutor::Captured end =
      real_tutor("check 05.2 --workspace {} --backend cpu --json {}", workspace, json);
  INFO(end.output);
  CHECK(end.exit_code == 1);
  CHECK(holds(end.output, "0 of 3 cases passed, "));
  CHECK(holds(end.output, "  wrong_result: "));
  CHECK(holds(end.output, "block_sum.cu is untouched."));
  for (const char *telling : {"element 0", "Try: ", "hint"}) { // nobody has thought yet
    CHECK_FALSE(holds(end.output, telling));
  }
  CHECK(holds(end.output, "my files/05_reduction/block_sum.cu\nLesson  ")); // the first time
  CHECK(holds(real_tutor("check 05.2 --workspace {} --task", workspace).output, "about "));
  CHECK(tutor::read_file(mine) ==
        tutor::read_file(fs::path(COURSE_FOLDER) / "exercises/05_reduction/block_sum/stub.cu"));
  nlohmann::json result = nlohmann::json::parse(tutor::read_file(json))["exercises"][0];
  CHECK(result["id"] == "05_reduction/block_sum");
  CHECK(result["verdict"] == "fail");
  CHECK(result["cases"]["passed"] == 0);
  CHECK(result["cases"]["failed"] == 3);
  end = real_tutor("check 05.2 --workspace {} --backend cpu", workspace);
  CHECK(holds(end.output, "wrong_result: sums of 1024 elements in blocks of 128: element 0"));
  CHECK_FALSE(holds(end.output, "untouched"));

  tutor::write_file(mine, real_tutor("author block_sum").output);
  end = real_tutor("check block_sum --workspace {} --backend cpu --json - --seed 7", workspace);
  INFO(end.output);
  CHECK(end.exit_code == 0);
  result = nlohmann::json::parse(end.output.substr(end.output.find('{')))["exercises"][0];
  CHECK(result["verdict"] == "pass");
  CHECK(result["seed"] == 7);
  CHECK(result["counters"]["barriers_per_block"] == 5.0);
  CHECK(holds(real_tutor("list --json --workspace {}", workspace).output, "passed"));

  tutor::write_file(mine, real_tutor("author block_sum --wrong early_return").output);
  expect(real_tutor("check 05_reduction/block_sum --workspace {} --backend cpu", workspace),
         1,
         {"divergent_barrier: 1023 elements",
          "block_sum.cu:17  thread 127 of block 7\n    17 |   __syncthreads();"});

  // Begun as another stub, which the course has changed since then.
  const char *const update = "./tutor update";
  const fs::path stub = fs::path(workspace) / ".stubs/05_reduction/block_sum.stub";
  REQUIRE(fs::exists(stub));
  CHECK_FALSE(
      holds(real_tutor("check 05.2 --workspace {} --backend cpu", workspace).output, update));
  tutor::write_file(stub, "// What it was.\n");
  expect(real_tutor("check 05.2 --workspace {} --backend cpu", workspace), 1, {update});
}

namespace {

/// What `check` says of a stored answer.
/// @param answer  as `author` takes it: "--wrong empty_grid"
tutor::Captured
checked(const std::string &chapter, const std::string &name, const std::string &answer) {
  const TemporaryFolder folder;
  tutor::write_file(folder.path() / chapter / (name + ".cu"),
                    real_tutor("author " + name + ' ' + answer).output);
  return real_tutor("check " + name + " --workspace {} --backend cpu", folder.path());
}

} // namespace

TEST_CASE("an error of CUDA's comes with the case, the line, the call and its values") {
  const tutor::Captured end = checked("12_multi_gpu", "own_share", "--wrong empty_grid");
  INFO(end.output);
  CHECK(holds(end.output,
              "cuda_error: 1 number, in strips [0, 0), [0, 1), [1, 1): cudaErrorInvalid"));
  CHECK(holds(end.output,
              "from the call in line 48, which is <<<(0, 1, 1), (256, 1, 1), 0>>>. Try: "));
  CHECK(holds(end.output, "own_share.cu:48  in host code\n    48 |     add_up<<<"));
}

TEST_CASE("what is noted of an answer that passes is indented, and said once for all its lines") {
  const tutor::Captured end =
      checked("03_coalescing_transpose", "copy_by_four", "--right all_write_the_last");
  INFO(end.output);
  CHECK(end.exit_code == 0);
  CHECK(holds(end.output, "\n  Lines 22 and 23 come out right, by luck: "));
  CHECK(holds(end.output, "\n  orders them. Better: "));
}

TEST_CASE("build errors name the learner's own lines, and nothing else") {
  const TemporaryFolder folder;
  const fs::path mine = folder.path() / "05_reduction" / "block_sum.cu";
  tutor::write_file(mine, "#include <cuda_runtime.h>\n\nint f() { return nothing; }\n");
  const std::string check = "check block_sum --backend cpu --workspace {}";
  tutor::Captured end = real_tutor(check, folder.path());
  INFO(end.output);
  CHECK(end.exit_code == 1);
  CHECK(holds(end.output, "compile_error: block_sum.cu:3: "));
  CHECK_FALSE(holds(end.output, "rewritten"));
  tutor::write_file(mine, "#include <cuda_runtime.h>\n");
  end = real_tutor(check, folder.path());
  INFO(end.output);
  CHECK(holds(end.output,
              "link_error: block_sum() is not defined: the checker calls "
              "__global__ void block_sum(const unsigned *in, int n, unsigned *out"));
  tutor::write_file(mine,
                    "#include <cuda_runtime.h>\n\nvoid block_sum(const unsigned *, int) {}\n");
  end = real_tutor(check, folder.path());
  INFO(end.output);
  CHECK(holds(end.output,
              "block_sum() has other parameters in line 3 than what the checker calls: "
              "__global__ void block_sum(const unsigned *in, "));
  tutor::write_file(mine,
                    "#include <cuda_runtime.h>\n\ninline void block_sum(const unsigned *, int, "
                    "unsigned *) {}\n");
  end = real_tutor(check, folder.path());
  INFO(end.output);
  CHECK(holds(
      end.output,
      "block_sum() is called by the checker, from another file. Line 3 has it, but a function "
      "that is inline is one of this file alone: leave out inline"));
}

TEST_CASE("wrong usage, in one line") {
  CHECK(real_tutor("check").output ==
        "tutor: name the exercises to check, as 05.2 or block_sum, or say --all\n");
  CHECK(real_tutor("check").exit_code == 2);
  expect(real_tutor("check block_sun"),
         2,
         {"tutor: no exercise 'block_sun'; did you mean 05.2 block_sum"});
  CHECK(real_tutor("author").exit_code == 2);
  for (const char *seed : {"-1", "12.5", "99999999999999999999999"}) {
    expect(real_tutor("check 05.2 --seed {}", seed), 2, {"write a whole number from 0 on"});
  }
  CHECK(holds(real_tutor("author block_sum --wrong nothing").output, "early_return"));
}

TEST_CASE("author stores what it printed with the same bytes") {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "course", solved = folder.path() / "solved.cu";
  for (const char *part :
       {"exercises/05_reduction", "solutions/05_reduction", "chapters/05_reduction"}) {
    fs::create_directories((root / part).parent_path());
    fs::copy(fs::path(COURSE_FOLDER) / part, root / part, fs::copy_options::recursive);
  }
  const auto author = [&](const std::string &line, const auto &...values) {
    return tutor_on(root, typed("author " + line, values...));
  };
  const fs::path stored = "exercises/05_reduction/block_sum/answers.toml";
  tutor::write_file(solved, author("block_sum --wrong no_bounds_test").output);
  std::vector<tutor::StoredAnswer> answers = tutor::read_answers(root / stored);
  std::erase_if(answers,
                [](const tutor::StoredAnswer &one) { return one.name == "no_bounds_test"; });
  tutor::write_file(root / stored, tutor::to_toml(answers));
  tutor::Captured end = author("block_sum --from {} --wrong no_bounds_test", solved);
  CHECK(end.exit_code == 2);
  CHECK(holds(end.output, "a new wrong answer needs --mistake"));
  expect(author("block_sum --from {} --wrong no_bounds_test --gpu fail --verdict {} --mistake {}",
                solved,
                "hazard out_of_bounds",
                "The input is taken to fill its last block."),
         0);
  CHECK(tutor::read_file(root / stored) == tutor::read_file(fs::path(COURSE_FOLDER) / stored));
}
