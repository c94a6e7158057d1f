// The ladder from outside: a small chapter whose steps are wrong in the ways that matter.
#include "ladder/chapter.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

// "Copy n bytes": what kernels would do, done by cudaMemcpy.
struct Copy {
  explicit Copy(const lab::Case &c) : n(c.n), block(c.block), h_in(c.n), d_in(c.n), d_out(c.n) {
    for (std::size_t i = 0; i < n; ++i)
      h_in[i] = static_cast<int>(lab::random_u32(c.seed, i));
    d_in.upload(h_in);
  }
  void prepare() { lab::poison(d_out); }
  lab::Verdict check() { return lab::compare(d_out.download(), h_in); }

  std::size_t n;
  int block;
  std::vector<int> h_in;
  lab::DeviceBuffer<int> d_in, d_out;
};

void copy_elements(Copy &p, std::size_t n) {
  LAB_CHECK(
      cudaMemcpyAsync(p.d_out.data(), p.d_in.data(), n * sizeof(int), cudaMemcpyDeviceToDevice));
}

void right(Copy &p) { copy_elements(p, p.n); }
void does_nothing(Copy &) {}
void drops_the_tail(Copy &p) { copy_elements(p, p.n / 32 * 32); }
void wrong_for_512_threads(Copy &p) { copy_elements(p, p.block == 512 ? p.n / 2 : p.n); }
void fails(Copy &) { LAB_CHECK(cudaErrorInvalidConfiguration); }

void good_demo(lab::Demo &demo) {
  demo.value("answer", 42.0);
  demo.expect(true, "holds");
}
void bad_demo(lab::Demo &demo) { demo.expect(false, "does not hold"); }

lab::Ladder<Copy> chapter() {
  lab::Ladder<Copy> ladder("test", "copies, in a test of the ladder");
  ladder.sizes({.emulator = 1000, .gpu = 1000, .check = {0, 1, 33, 1024}, .largest = 1 << 20});
  ladder.blocks({.check = {32, 512}, .timed = 32});
  ladder.moves([](const Copy &p) { return 8.0 * static_cast<double>(p.n); }, lab::Ceiling::none);
  return ladder;
}

template <class Problem> int run(lab::Ladder<Problem> &ladder, std::vector<std::string> arguments) {
  std::vector<char *> argv = {const_cast<char *>("program")};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  return ladder.main(static_cast<int>(argv.size()), argv.data());
}

/// What it writes with --json, in a run that ends in `exit_code`.
template <class Problem>
nlohmann::ordered_json
json_of(lab::Ladder<Problem> &ladder, std::vector<std::string> arguments, int exit_code = 0) {
  const std::string file = "ladder_test.json";
  arguments.insert(arguments.end(), {"--json", file});
  CHECK(run(ladder, arguments) == exit_code);
  const auto json = nlohmann::ordered_json::parse(std::ifstream(file));
  std::remove(file.c_str());
  return json;
}

int run_one(void (*step)(Copy &), std::vector<std::string> arguments = {"--check-only"}) {
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0_step", step);
  return run(ladder, std::move(arguments));
}

} // namespace

TEST_CASE("right steps end in 0, wrong ones in 1") {
  CHECK(run_one(right) == 0);
  CHECK(run_one(right, {}) == 0);
  CHECK(run_one(does_nothing) == 1);
  CHECK(run_one(drops_the_tail) == 1);
  CHECK(run_one(wrong_for_512_threads) == 1);
  CHECK(run_one(fails) == 1);
}

TEST_CASE("what checks is the sizes: a full warp hides a dropped tail") {
  CHECK(run_one(drops_the_tail, {"--check-only", "--n", "64"}) == 0);
  CHECK(run_one(drops_the_tail, {"--check-only", "--n", "65"}) == 1);
  CHECK(run_one(wrong_for_512_threads, {"--check-only", "--block", "32"}) == 0);
}

TEST_CASE("wrong usage ends in 2") {
  CHECK(run_one(right, {"--n", "-5"}) == 2);
  CHECK(run_one(right, {"--n", "1048577"}) == 2);
  CHECK(run_one(right, {"--only", "v9"}) == 2);
  CHECK(run_one(right, {"--max-noise", "much"}) == 2);
  CHECK(run_one(right, {"--help"}) == 0);
  CHECK(run_one(right, {"--list"}) == 0);
}

TEST_CASE("one wrong step among right ones is found, and the others are still timed") {
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0_right", right);
  ladder.step("v1_wrong", drops_the_tail);
  ladder.rival("rival", right);
  const auto json = json_of(ladder, {"--reps", "3"}, 1);
  CHECK(json["n"] == 1000);
  CHECK(json["steps"][0]["ok"] == true);
  CHECK(json["steps"][0]["cases"] == 2 * 5);
  CHECK(json["steps"][0]["ms"].is_number());
  CHECK(json["steps"][0]["reps"] == 3);
  CHECK(json["steps"][1]["ok"] == false);
  CHECK(json["steps"][1]["ms"].is_null());
  CHECK(json["steps"][1]["failure"].get<std::string>().find("n = 1, 32") == 0);
  CHECK(json["steps"][2]["kind"] == "rival");
}

TEST_CASE("a file that cannot be written is an error") {
  CHECK(run_one(right, {"--check-only", "--json", "/nowhere/at/all.json"}) == 1);
}

TEST_CASE("a trap that says nothing of what exposes it is refused in a line") {
  lab::Ladder<Copy> ladder = chapter();
  ladder.trap("trap_shown", drops_the_tail, "the tail").exposed_by({.n = 33, .block = 32});
  ladder.trap("trap_forgotten", drops_the_tail, "the tail");
  CHECK(run(ladder, {"--check-only"}) == 1); // before anybody has asked for it
  CHECK(run(ladder, {"--only", "trap_forgotten"}) == 1);
}

TEST_CASE("traps must be wrong; those that are undefined may be right") {
  lab::Ladder<Copy> ladder = chapter();
  ladder.trap("trap_shown", drops_the_tail, "the tail").exposed_by({.n = 33, .block = 32});
  ladder.trap("trap_hidden", drops_the_tail, "the tail").exposed_by({.n = 32, .block = 32});
  ladder.trap("trap_undefined", right, "luck").exposed_by({.n = 32, .block = 32}).may_be_right();
  ladder.trap("trap_refused", fails, "a launch error").exposed_by({.n = 32, .block = 32});
  CHECK(run(ladder, {"--only", "trap_shown"}) == 0);
  CHECK(run(ladder, {"--only", "trap_hidden"}) == 1);
  CHECK(run(ladder, {"--only", "trap_undefined"}) == 0);
  CHECK(run(ladder, {"--only", "trap_refused"}) == 0);
  CHECK(run(ladder, {"--traps"}) == 1);
}

TEST_CASE("demos run in checks, and their claims count") {
  lab::Ladder<Copy> good = chapter();
  good.demo("demo", good_demo, "title");
  CHECK(json_of(good, {"--check-only"})["demos"][0]["values"]["answer"] == 42.0);
  lab::Ladder<Copy> bad = chapter();
  bad.demo("demo", bad_demo, "title");
  CHECK(run(bad, {"--check-only"}) == 1);
  CHECK(run(bad, {"--only", "demo"}) == 1);
}

TEST_CASE("the list says what is recorded, and of which entry with which options") {
  lab::Ladder<Copy> ladder = chapter();
  ladder.recorded({.timed = {"--n 2^10", "--n 2^9 --l2 cold"},
                   .counted = "--n 99 --block 32",
                   .largest_predicted = 512});
  ladder.step("v0_as_all", right);
  ladder.step("v1_alone", right).timed_with(512).recorded({.options = "--n 7"});
  ladder.step("v2_another_each_time", right).recorded({.counted = false});
  ladder.demo("equal", good_demo, "title").counted();
  ladder.demo("free", good_demo, "title").recorded({.counted = false, .initcheck = false});
  ladder.rival("vendor", right).recorded({.initcheck = false});
  const auto list = json_of(ladder, {"--list"});
  CHECK(list["timed"] == nlohmann::ordered_json{"--n 2^10", "--n 2^9 --l2 cold"});
  CHECK(list["sanitized"] == "--n 1025");
  CHECK(list["predicted_to"] == 512);
  const auto &entries = list["entries"];
  const std::string reasons = "--n " + list["n"].dump() + " --block ";
  CHECK(entries[0]["counted"] == "--n 99 --block 32");
  CHECK(entries[1]["counted"] == "--n 7");
  CHECK(entries[1]["reasons"] == reasons + "512");
  CHECK(entries[0]["reasons"] != entries[1]["reasons"]);
  CHECK(entries[2]["counted"].is_null());
  CHECK(entries[3]["counted"] == "");
  CHECK(entries[3]["reasons"].is_null());
  CHECK(entries[4]["counted"].is_null());
  CHECK_FALSE(entries[4]["initcheck"].get<bool>());
  CHECK(entries[5]["counted"].is_null());

  lab::Ladder<Copy> says_nothing = chapter(), demos_only = chapter();
  says_nothing.step("v0", right);
  says_nothing.recorded({.predicted = false});
  demos_only.demo("demo", good_demo, "title");
  CHECK(json_of(says_nothing, {"--list"})["timed"] == nlohmann::ordered_json{""});
  CHECK(json_of(says_nothing, {"--list"})["entries"][0]["counted"].is_null());
  CHECK(json_of(says_nothing, {"--list"})["predicted_to"] == 0);
  CHECK(json_of(demos_only, {"--list"})["timed"].empty());
  CHECK(run(ladder, {"--list", "--json", "/nowhere/at/all.json"}) == 1);
}

TEST_CASE("a step may bring its own check, preparation and block size") {
  static int restored = 0;
  static std::vector<int> blocks;
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0_own_check", does_nothing).check([](Copy &) { return lab::Verdict::right(); });
  ladder.step("v1_before", right).before([](Copy &) { ++restored; });
  ladder
      .step("v2_fixed",
            [](Copy &p) {
              blocks.push_back(p.block);
              right(p);
            })
      .block(128);
  CHECK(run(ladder, {"--check-only", "--n", "5"}) == 0);
  CHECK(restored == 2);
  CHECK(blocks == std::vector<int>{128});
}

namespace {

// Stands for the observed build: leaves counts, and its arguments beside itself.
struct CountingProgram {
  std::string path = fs::absolute("ladder_test_observed.sh").string();
  CountingProgram(const std::string &counts, int exit_code) {
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" >>'" << path << ".calls'\nprintf '" << counts
                        << "' >\"$EMU_OBSERVE_COUNTS\"\nexit " << exit_code << "\n";
    fs::permissions(path, fs::perms::owner_all);
    fs::remove(path + ".calls");
    fs::remove(path + ".counts");
  }
  ~CountingProgram() {
    for (const char *what : {"", ".calls", ".counts"})
      fs::remove(path + what);
  }
  std::string calls() const {
    std::ifstream file(path + ".calls");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
};

} // namespace

TEST_CASE("the observed build counts the right steps at the same size, once") {
  const CountingProgram program("v0 things 7\\nother things 8\\nhazards 1\\n", 1);
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0", right);
  ladder.step("v1_wrong", drops_the_tail);
  const std::vector<std::string> counted = {
      "--n", "2^3", "--block", "512", "--counted-by", program.path};
  CHECK(run(ladder, counted) == 1); // v1 is wrong
  const auto json = json_of(ladder, counted, 1);
  CHECK(json["steps"][0]["counters"] == nlohmann::ordered_json{{"things", 7.0}});
  CHECK(json["steps"][1]["counters"].empty());
  CHECK(program.calls() == "--seed 2026 --n 2^3 --block 512 --only v0\n");
  CHECK(run(ladder, {"--only", "v0", "--n", "9", "--counted-by", program.path}) == 0);
  CHECK(program.calls().ends_with("--seed 2026 --n 9 --only v0\n")); // another size: counted anew
}

TEST_CASE("one program counts all steps, and shares them out itself") {
  const CountingProgram program("v0 things 7\\nhazards 1\\n", 1);
  lab::Ladder<Copy> ladder = chapter();
  for (const char *name : {"v0", "v1", "v2"})
    ladder.step(name, right);
  REQUIRE(run(ladder, {"--n", "8", "--counted-by", program.path}) == 0);
  CHECK(program.calls() == "--seed 2026 --n 8 --only v0 --only v1 --only v2\n");
}

TEST_CASE(
    "kept counts are replaced, not written over: whoever reads them meanwhile reads them whole") {
  const CountingProgram program("v0 things 7\\nhazards 0\\n", 0);
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0", right);
  REQUIRE(run(ladder, {"--n", "8", "--counted-by", program.path}) == 0);
  std::ifstream reader(program.path + ".counts");
  REQUIRE(run(ladder, {"--n", "9", "--counted-by", program.path}) == 0);
  const std::string read{std::istreambuf_iterator<char>(reader), std::istreambuf_iterator<char>()};
  CHECK(read.find("--n 8 ") != std::string::npos);
  CHECK(read.ends_with("v0 things 7\nhazards 0\n"));
  for (const fs::directory_entry &left :
       fs::directory_iterator(fs::path(program.path).parent_path()))
    CHECK_FALSE(left.path().string().starts_with(program.path + ".counts-"));
}

TEST_CASE("with another number of devices steps are counted anew") {
  const CountingProgram program("v0 things 7\\nhazards 0\\n", 0);
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0", right);
  const auto counted = [&](const char *devices) {
    setenv("EMU_DEVICES", devices, 1);
    REQUIRE(run(ladder, {"--n", "8", "--counted-by", program.path}) == 0);
    unsetenv("EMU_DEVICES");
    const std::string calls = program.calls();
    return std::count(calls.begin(), calls.end(), '\n');
  };
  CHECK(counted("1") == 1);
  CHECK(counted("1") == 1);
  CHECK(counted("2") == 2);
}

TEST_CASE("a program that cannot count is an error, not a table without counts") {
  lab::Ladder<Copy> ladder = chapter();
  ladder.step("v0", right);
  const auto counted_by = [&](const std::string &program) {
    return run(ladder, {"--n", "8", "--counted-by", program});
  };
  CHECK(counted_by("/no/such/program") == 1);
  {
    const CountingProgram crashes("v0 things 7\\nhazards 0\\n", 139);
    CHECK(counted_by(crashes.path) == 1);
  }
  {
    const CountingProgram ends_early("v0 things 7\\n", 0);
    CHECK(counted_by(ends_early.path) == 1);
  }
  {
    const CountingProgram talks("v0 has seven things\\nhazards 0\\n", 0);
    CHECK(counted_by(talks.path) == 1);
  }
}

TEST_CASE("matrices: squares and other shapes are checked, and --n takes both") {
  struct Matrix {
    explicit Matrix(const lab::Case &c) : shape(c.shape) { seen().push_back(c.shape); }
    void prepare() {}
    lab::Verdict check() { return lab::Verdict::right(); }
    static std::vector<lab::Shape> &seen() {
      static std::vector<lab::Shape> list;
      return list;
    }
    lab::Shape shape;
  };
  lab::Ladder<Matrix> ladder("test", "shapes, in a test of the ladder");
  ladder.sizes({.emulator = 8, .gpu = 8, .check = {0, 3}, .shapes = {{1, 5}}, .largest = 100});
  ladder.step("v0_right", [](Matrix &) {});
  ladder.step("v1_wrong_unless_square", [](Matrix &) {}).check([](Matrix &m) {
    return m.shape.square() ? lab::Verdict::right() : lab::Verdict::wrong("not square");
  });
  const auto run_matrix = [&](std::vector<std::string> arguments) {
    Matrix::seen().clear();
    return run(ladder, std::move(arguments));
  };
  CHECK(run_matrix({"--only", "v0", "--check-only"}) == 0);
  REQUIRE(Matrix::seen().size() == 3);
  CHECK(Matrix::seen()[1].rows == 3);
  CHECK(Matrix::seen()[2].rows == 1);
  CHECK(Matrix::seen()[2].cols == 5);
  CHECK(run_matrix({"--only", "v1", "--check-only"}) == 1);
  CHECK(run_matrix({"--only", "v1", "--check-only", "--n", "7"}) == 0);
  CHECK(run_matrix({"--only", "v1", "--check-only", "--n", "7x8"}) == 1);
  CHECK(Matrix::seen().size() == 1);
  const auto json = json_of(ladder, {"--only", "v0", "--n", "7x8"});
  CHECK(json["rows"] == 7);
  CHECK(json["cols"] == 8);
}
