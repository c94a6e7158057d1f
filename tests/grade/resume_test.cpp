// What is kept from run to run: journals, parts of a class, and what is graded anew.
#include "base/failure.hpp"
#include "base/files.hpp"
#include "grade/formats.hpp"
#include "grade/journal.hpp"
#include "grade/seed.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <mutex>
#include <set>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace grade_test;

namespace {

/// From here on this process is on a disk that has no hard links, as exFAT and some shared folders have
/// none: to the kernel's filter, link() is not permitted.
bool forbid_hard_links() {
  const auto refuse = [](int call) {
    return std::vector<sock_filter>{
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
  };
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : {
#ifdef SYS_link
           SYS_link,
#endif
           SYS_linkat}) {
    const std::vector<sock_filter> part = refuse(call);
    filter.insert(filter.end(), part.begin(), part.end());
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

TEST_CASE("a journal gives back what it was given, whatever happened to its end") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "grades.journal";
  Result one = result(Verdict::hazard, "shared_race");
  one.id = "05_reduction/block_sum";
  one.message = "two\nlines, \"quoted\" and \xff";
  one.where = {{"block_sum.cu", 12, {1, 2, 3}, {4, 5, 6}, "wrote"}};
  one.cases = {{"small", true, ""}, {"large", false, "no"}};
  one.cases[1].hidden = one.by_hidden = true;
  one.hidden_seconds = 1.5;
  one.counters = {{"barriers", 2.5}};
  one.seed = 99;
  {
    Journal journal(file, false);
    journal.add("first", one);
    journal.add("second", result(Verdict::pass));
  }
  fs::resize_file(file, fs::file_size(file) - 5); // cut off within the second line
  {
    Journal journal(file, false);
    CHECK(journal.size() == 1);
    CHECK(journal.damaged_lines() == 1);
    CHECK_FALSE(journal.find("second"));
    const Result kept = journal.find("first").value();
    CHECK(kept.verdict == Verdict::hazard);
    CHECK(kept.where.at(0).thread == std::array<unsigned, 3>{1, 2, 3});
    CHECK(kept.cases.at(1).message == "no");
    CHECK(kept.cases.at(1).hidden);
    CHECK(kept.by_hidden);
    CHECK(kept.hidden_seconds == 1.5);
    CHECK(kept.counters.at("barriers") == 2.5);
    CHECK(kept.seed == 99);
    journal.add("third", one);
  }
  CHECK(Journal(file, false).size() == 2); // the third did not run into the damaged line
  CHECK(Journal(file, true).size() == 0);
  CHECK_THROWS_AS(Journal(folder.path() / "no folder" / "journal", false), Failure);
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_AS(Journal(pipe, false), Failure);
  Journal kept(file, false);
  CHECK_THROWS_AS(kept.merge(pipe), Failure);
}

TEST_CASE("a journal that finds no room keeps no half line") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "grades.journal";
  Journal journal(file, false);
  on_a_full_disk([&] {
    CHECK_THROWS_WITH_AS(
        journal.add("first", result(Verdict::pass)), doctest::Contains("cannot write"), Failure);
  });
  CHECK(read_file(file).empty());
  journal.add("second", result(Verdict::pass));
  CHECK(line_count(read_file(file)) == 1);
}

TEST_CASE("a class is graded once, and what has not changed is not checked again") {
  TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) {
    write(folder.path() / "class" / ("student " + std::to_string(i)) / "block_sum.cu",
          i % 2 == 0 ? "pass" : "fail wrong_result " + std::to_string(i));
  }
  std::atomic<int> checks = 0;
  const auto graded = [&](int stop_after) {
    Report report = empty_report();
    Journal journal(folder.path() / "journal", false);
    std::stop_source stop;
    int told = 0;
    const Class all = find_submissions(folder.path() / "class", {two[0]}, false);
    grade_class(report, all, journal, counting(checks), 3, stop.get_token(), [&](const Grade &) {
      if (++told == stop_after) {
        stop.request_stop();
      }
    });
    return report;
  };
  const Report first = graded(7);
  CHECK_FALSE(first.complete());
  CHECK(first.grades.size() >= 7);
  const int before = checks;
  CHECK(before < 20);

  const Report second = graded(-1);
  CHECK(second.complete());
  CHECK(checks == 20); // none of them twice
  CHECK(second.grades.size() == 20);

  write(folder.path() / "class" / "student 1" / "block_sum.cu", "pass");
  const Report third = graded(-1);
  CHECK(checks == 21); // the one that has changed
  CHECK(third.points_of("student 1") == 2);
  CHECK(third.points_of("student 3") == doctest::Approx(2.0 / 3));
}

TEST_CASE("killed five times and resumed, or in four parts: the same grades") {
  TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) {
    write(folder.path() / "class" / ("student " + std::to_string(i)) / "block_sum.cu",
          i % 20 == 7  ? "nonsense" // whoever checks it throws
          : i % 3 == 0 ? "pass"
                       : "fail wrong_result " + std::to_string(i));
  }
  const Class all = find_submissions(folder.path() / "class", {two[0]}, false);
  std::atomic<int> checks = 0;
  const auto graded = [&](const Class &part, const std::string &file, bool merged = false) {
    Report report = empty_report();
    Journal journal(folder.path() / file, false);
    for (int shard = 0; merged && shard < 4; ++shard) {
      journal.merge(folder.path() / ("part " + std::to_string(shard)));
    }
    grade_class(report, part, journal, counting(checks, 1000));
    return to_csv(report);
  };
  const auto journaled = [&] {
    const fs::path file = folder.path() / "killed";
    return fs::exists(file) ? fs::file_size(file) : 0; // bytes
  };
  const std::string whole = graded(all, "undisturbed");
  checks = 0;
  const fs::path scratch = folder.path() / "scratch"; // for copies of what is checked
  fs::create_directory(scratch);
  setenv("TMPDIR", scratch.c_str(), 1);
  std::srand(1);
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      graded(all, "killed");
      _exit(0);
    }
    // When some verdicts more are in the journal, however long that takes on a machine that is busy.
    const std::uintmax_t enough = journaled() + 1 + static_cast<std::uintmax_t>(std::rand() % 5000);
    while (journaled() < enough) {
      usleep(500);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  CHECK(graded(all, "killed") == whole);
  CHECK(checks < 200);
  unsetenv("TMPDIR");
  for (int i = 0; i < 2000 && !fs::is_empty(scratch); ++i) {
    usleep(10000);
  }
  CHECK(fs::is_empty(scratch)); // whoever was killed has left nothing
  for (int shard = 0; shard < 4; ++shard) {
    graded(shard_of(all, shard + 1, 4), "part " + std::to_string(shard));
  }
  checks = 0;
  CHECK(graded(all, "merged", true) == whole);
  CHECK(checks == 10); // what could not be checked is tried again
}

TEST_CASE("one student or one exercise is graded anew") {
  TemporaryFolder folder;
  write(folder.path() / "class" / "ada" / "block_sum.cu", "pass");
  write(folder.path() / "class" / "bob" / "block_sum.cu", "pass");
  std::atomic<int> checks = 0;
  const auto graded = [&](const std::vector<std::string> &anew) {
    Class all = find_submissions(folder.path() / "class", {two[0]}, false);
    mark_anew(all, anew);
    Report report = empty_report();
    Journal journal(folder.path() / "journal", false);
    grade_class(report, all, journal, counting(checks), 1);
  };
  graded({});
  CHECK(checks == 2);
  graded({"ada"});
  CHECK(checks == 3);
  graded({"block_sum"});
  CHECK(checks == 5);
  CHECK_THROWS_WITH_AS(graded({"eve"}), doctest::Contains("--regrade eve"), Failure);
}

TEST_CASE("of one grade in two journals the later one counts") {
  TemporaryFolder folder;
  const fs::path part = folder.path() / "part", whole = folder.path() / "whole";
  const auto keep = [](const fs::path &file, const std::string &key, const Result &one) {
    Journal(file, false).add(key, one);
  };
  const auto merged = [&](const std::string &key) {
    Journal journal(whole, false);
    journal.merge(part);
    return journal.find(key).value().verdict;
  };
  for (const char *student : {"ada", "bob"}) {
    keep(part, student, result(Verdict::fail, "wrong_result"));
  }
  CHECK(merged("ada") == Verdict::fail);
  keep(whole, "ada", result(Verdict::pass)); // graded anew by the whole
  CHECK(merged("ada") == Verdict::pass);
  keep(part, "bob", result(Verdict::pass)); // by the part
  CHECK(merged("bob") == Verdict::pass);
  CHECK(Journal(whole, false).find("bob").value().verdict == Verdict::pass); // for good
}

TEST_CASE("a seed is drawn on disks without hard links, too, and kept") {
  TemporaryFolder folder;
  for (const bool with_links : {true, false}) {
    CAPTURE(with_links);
    const fs::path file = folder.path() / (with_links ? "linked.seed" : "plain.seed");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        _exit(((with_links || forbid_hard_links()) && stored_seed(file) < (1u << 31)) ? 0 : 1);
      } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(2);
      }
    }
    int status = 1;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
    const std::uint64_t seed = stored_seed(file);
    CHECK(stored_seed(file) == seed);
    CHECK(read_file(file) == std::to_string(seed) + "\n");
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2); // nothing else is left
  write(folder.path() / "odd.seed", "seven\n");
  CHECK_THROWS_WITH_AS(
      stored_seed(folder.path() / "odd.seed"), doctest::Contains("holds no seed"), Failure);
  CHECK_THROWS_WITH_AS(stored_seed(folder.path() / "no folder" / "a.seed"),
                       doctest::Contains("cannot write"),
                       Failure);
}

TEST_CASE("all that write one report take one seed, however many begin at once") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "grades.seed";
  std::vector<std::uint64_t> seeds(16);
  std::vector<std::jthread> threads;
  for (std::uint64_t &seed : seeds) {
    threads.emplace_back([&] { seed = stored_seed(file); });
  }
  threads.clear();
  CHECK(std::set(seeds.begin(), seeds.end()).size() == 1);
}

TEST_CASE(
    "who was killed beside others is checked once more, alone, and who ran out of time is not") {
  TemporaryFolder folder;
  for (const char *student : {"ada", "bob", "cid"}) {
    write(folder.path() / "class" / student / "block_sum.cu",
          student == std::string("bob") ? "fail crash" : "timeout time_limit");
  }
  Report report = empty_report();
  Journal journal(folder.path() / "journal", false);
  std::map<std::uint64_t, int> times;
  std::mutex counting;
  const auto check = [&](const Assigned &a, const fs::path &file, std::uint64_t seed) {
    const std::lock_guard lock(counting);
    Result result = read_verdict(a, file, seed);
    result.ended_from_outside = result.diagnosis == "crash"; // killed where memory runs out
    if (++times[seed] == 2 && seed == seed_of(7, "bob")) {
      result.verdict = Verdict::pass;
      std::ranges::for_each(result.cases, [](CaseResult &c) { c.passed = true; });
    }
    return result;
  };
  write(folder.path() / "class" / "eve" / "block_sum.cu", "fail crash");
  grade_class(report, find_submissions(folder.path() / "class", {two[0]}, false), journal, check);
  REQUIRE(report.grades.size() == 4);
  CHECK(times[seed_of(7, "eve")] == 2);
  CHECK(report.grades[0].result.verdict == Verdict::timeout);
  CHECK(report.grades[1].result.verdict == Verdict::pass);
  CHECK(times[seed_of(7, "ada")] == 1);
}

TEST_CASE("what is hashed is what is checked, whatever becomes of the file meanwhile") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "class" / "ada" / "block_sum.cu";
  write(file, "fail wrong_result");
  Report report = empty_report();
  Journal journal(folder.path() / "journal", false);
  const auto check = [&](const Assigned &a, const fs::path &read, std::uint64_t seed) {
    write(file, "pass");
    return read_verdict(a, read, seed);
  };
  grade_class(
      report, find_submissions(folder.path() / "class", {two[0]}, false), journal, check, 1);
  CHECK(report.grades.at(0).result.verdict == Verdict::fail);
}
