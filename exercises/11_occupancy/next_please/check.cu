// Checks next_please.cu: every job done, once, and a ticket drawn for every four jobs, and one for each block.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void run_jobs(const unsigned *in, const int *begin, int jobs, int *next, unsigned *out);

namespace {

constexpr int threads = 64, of_ticket = 4; // of a block; jobs

/// Jobs before the one called `first` are not to be done.
/// @return the number of tickets drawn
int check(int jobs, int blocks, int longest, int first = 0) {
  if (jobs > 0)
    checker::unless_failed_before(); // who draws shows without a job, before what comes of it
  auto h_begin = checker::random_values<int>(jobs + 1, 0, longest);
  for (int j = 1; j <= jobs; j += 2)
    h_begin[j] /= 16; // every other job is short
  h_begin[0] = 0;
  for (int j = 1; j <= jobs; ++j)
    h_begin[j] += h_begin[j - 1];
  const auto h_in = checker::extreme_values<unsigned>(h_begin[jobs]);
  constexpr unsigned poison = 0xCDCDCDCD;
  std::vector<unsigned> expected(jobs, 0);
  std::fill_n(expected.begin(), first, poison);
  for (int j = first; j < jobs; ++j)
    for (int i = h_begin[j]; i < h_begin[j + 1]; ++i)
      expected[j] += h_in[i];
  const auto d_in = checker::on_device(h_in);
  const auto d_begin = checker::on_device(h_begin);
  const auto d_next = checker::on_device(std::vector<int>{first});
  const auto d_out = checker::poisoned<unsigned>(jobs);
  const std::string what =
      (first ? "jobs from number " + std::to_string(first) + " to " : "jobs: ") +
      std::to_string(jobs) + ", blocks: " + std::to_string(blocks);
  const auto seen = checker::launch(what, [&] {
    run_jobs<<<blocks, threads>>>(d_in.data(), d_begin.data(), jobs, d_next.data(), d_out.data());
  });
  const auto got = d_out.download();
  const int moved = d_next.download()[0] - first;
  const int drawn = (moved + of_ticket - 1) / of_ticket;
  const int with_jobs = (jobs - first + of_ticket - 1) / of_ticket, to_draw = with_jobs + blocks;
  int left_out = 0, wrong = 0, done_before = 0;
  for (int j = 0; j < jobs; ++j)
    if (j < first)
      done_before += got[j] != poison;
    else if (got[j] == poison)
      ++left_out;
    else if (got[j] != expected[j])
      ++wrong;
  const std::string tickets = std::to_string(drawn) + " tickets were drawn";
  const std::string for_all = what + ": " + tickets +
                              ". A block needs one for all its threads: one draws, and the others "
                              "have to hear of it";
  checker::diagnose("all_threads_draw", drawn > 2 * to_draw, for_all);
  checker::diagnose("jobs_left_out",
                    left_out > 0 && wrong + done_before == 0,
                    what + ": nobody has done " + std::to_string(left_out) +
                        " of the jobs. A block that is done draws again, until no job is left");
  checker::diagnose("not_to_be_done",
                    done_before > 0,
                    what + ": " + std::to_string(done_before) +
                        " jobs before the first one were done. What ticket was drawn for them?");
  checker::expect_same("sums, " + what, got, expected);
  checker::expect(drawn <= 2 * to_draw, "all_threads_draw", for_all);
  checker::expect(drawn > 0 || jobs == 0,
                  "nobody_draws",
                  what + ": all is right, but no ticket was drawn: which block does which job was "
                         "fixed before anybody knew how long they take");
  checker::diagnose("one_job_a_ticket",
                    moved == jobs - first + blocks,
                    what + ": `next` was moved on by " + std::to_string(moved) +
                        ", one for each job and each block. A ticket is for four jobs");
  checker::diagnose("counted_in_tickets",
                    moved == to_draw,
                    what + ": `next` was moved on by " + std::to_string(moved) +
                        ", one for each ticket. It is the number of a job, the first one not given "
                        "out, and may begin above 0: each ticket moves it on by four jobs");
  checker::diagnose("first_not_drawn",
                    drawn == with_jobs,
                    what + ": " + tickets + ". The first job of a block is drawn, too");
  if (jobs > 0 || drawn > to_draw)
    checker::expect_same("what `next` was moved on by, " + what, moved, of_ticket * to_draw);
  if (seen)
    checker::expect(!seen->find("same_value_race"),
                    "done_twice",
                    what + ": all is right, but a job was done by more than one block, and its sum "
                           "written twice");
  if (seen && blocks <= 8) { // all are counted
    const double atomics =
        static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes);
    checker::expect_at_most("atomics_per_ticket",
                            atomics / to_draw,
                            1.0,
                            "drawn_in_two_steps",
                            what +
                                ": a ticket takes more than one atomic operation. Each of them "
                                "is atomic, the two together are not: between them another block "
                                "may draw the same number");
    if (longest >= 200 && jobs > 1)
      checker::expect_lanes(*seen,
                            emu::Access::global_load,
                            4.0,
                            what + ": a job is for all 64 threads of a block",
                            0.17); // the emulator's first block draws every ticket
  }
  return drawn;
}

} // namespace

TEST_CASE("no job at all") { check(0, 1, 0); }

TEST_CASE("long jobs and short ones") { check(40, 4, 200); }

TEST_CASE("a ticket for four jobs") {
  check(100, 8, 100);
  checker::record("tickets_for_50_jobs", check(50, 5, 100));
}

TEST_CASE("one block, one job") {
  check(9, 1, 100);
  check(1, 3, 1000);
}

TEST_CASE("more blocks than jobs") { check(5, 20, 100); }

TEST_CASE("more blocks than anybody has counted") {
  checker::unobserved([] { check(40, 1031, 20); });
}

TEST_CASE("whichever block comes in between") {
  checker::in_drawn_orders([] { check(30, 6, 20); });
}

TEST_CASE("jobs from number 10 on") { check(30, 4, 100, 10); }

TEST_CASE("a skyline") {
  constexpr int jobs = 74, rows = 24;
  checker::unless_failed_before();
  const auto towers = checker::random_values<int>(jobs, 2, rows - 2);
  std::vector<int> h_begin = {0};
  for (int j = 0; j < jobs; ++j) // houses of 3 to 6 columns, with a gap or none between
    h_begin.push_back(h_begin.back() + (j % 9 == 8 ? 0 : towers[j / 9 * 9 + (j % 9 > 4 ? 5 : 0)]));
  checker::unobserved([&] {
    const auto d_in = checker::on_device(std::vector<unsigned>(h_begin.back(), 1));
    const auto d_begin = checker::on_device(h_begin), d_next = checker::on_device(std::vector{0});
    const auto d_out = checker::poisoned<unsigned>(jobs);
    run_jobs<<<4, threads>>>(d_in.data(), d_begin.data(), jobs, d_next.data(), d_out.data());
    const auto height = d_out.download();
    std::vector<bool> cells;
    for (unsigned row = rows; row-- > 0;)
      for (int j = 0; j < jobs; ++j)
        cells.push_back(row < height[j]);
    checker::note("74 jobs are the floors of a city, which four blocks of yours have counted:" +
                  checker::picture(cells, jobs));
  });
}
