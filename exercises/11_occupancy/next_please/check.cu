// Checks next_please.cu: every job done, once, by tickets that get smaller, whichever block comes in between.
#include "checker/nasty.hpp"

#include <algorithm>
#include <numeric>

__global__ void
run_jobs(const unsigned *in, const int *begin, int jobs, int *next, int *ticket, unsigned *out);

namespace {

constexpr int threads = 64; // of a block

/// The first job of each job's ticket.
template <class Size> std::vector<int> tickets(int first, int jobs, Size size) {
  std::vector<int> all(jobs, -1);
  for (int next = first; next < jobs;) {
    const int end = std::min(jobs, next + std::max(1, size(jobs - next)));
    std::fill(all.begin() + next, all.begin() + end, next);
    next = end;
  }
  return all;
}

/// How many jobs each ticket is for, one after the other.
std::vector<int> sizes_of(const std::vector<int> &ticket, int first) {
  std::vector<int> sizes;
  for (int j = first, last = -1; j < static_cast<int>(ticket.size()); ++j) {
    if (ticket[j] != last)
      sizes.push_back(0);
    last = ticket[j];
    ++sizes.back();
  }
  return sizes;
}

std::string text(const std::vector<int> &sizes) {
  std::string all;
  for (std::size_t k = 0; k < std::min<std::size_t>(sizes.size(), 10); ++k)
    all += (k > 0 ? ", " : "") + std::to_string(sizes[k]);
  return all + (sizes.size() > 10 ? " …" : "");
}

struct Done {
  std::vector<int> ticket;
  std::vector<unsigned> out;
  int next = 0;
};

Done run(const std::vector<unsigned> &h_in,
         const std::vector<int> &h_begin,
         int blocks,
         int first,
         const std::string &what,
         std::optional<emu::Observation> &seen) {
  const int jobs = static_cast<int>(h_begin.size()) - 1;
  const auto d_in = checker::on_device(h_in);
  // Where nobody looks on, behind the last job there is room for more, which are empty.
  const int behind = checker::detail::DrawnOrder::here() ? 32 : 0;
  std::vector<int> all_begin = h_begin;
  all_begin.resize(h_begin.size() + behind, h_begin.back());
  const auto d_begin = checker::on_device(all_begin);
  const auto d_next = checker::on_device(std::vector<int>{first});
  const auto d_ticket = checker::on_device(std::vector<int>(jobs + behind, -1));
  const auto d_out = checker::poisoned<unsigned>(jobs + behind);
  checker::perhaps(
      "How many jobs a ticket is for goes by a look at *next, and before it is drawn "
      "others may have drawn. A draw should count only if *next is still what the look "
      "has found: which atomic does that (chapter 06)?",
      "global_race",
      "one thread reads next[0]");
  seen = checker::launch(what, [&] {
    run_jobs<<<blocks, threads>>>(
        d_in.data(), d_begin.data(), jobs, d_next.data(), d_ticket.data(), d_out.data());
  });
  Done done = {d_ticket.download(), d_out.download(), d_next.download()[0]};
  const auto beyond = std::count_if(
      done.ticket.begin() + jobs, done.ticket.end(), [](int first) { return first >= 0; });
  checker::expect(
      beyond == 0,
      "came_between",
      what + ": a block has gone on to job " + std::to_string(jobs) +
          ", and the last is one less. Others have drawn between its look at *next and its "
          "draw, and it went by what it had seen. What atomicCAS() returns tells whether it "
          "has drawn at all");
  done.ticket.resize(jobs);
  done.out.resize(jobs);
  return done;
}

void expect_tickets(const std::string &what, const Done &done, int blocks, int first) {
  const int jobs = static_cast<int>(done.ticket.size());
  const auto of_left = [=](int parts) {
    return tickets(first, jobs, [=](int left) { return (left + parts - 1) / parts; });
  };
  const auto expected = of_left(2 * blocks);
  const auto got = sizes_of(done.ticket, first), right = sizes_of(expected, first);
  const std::string are = what + ": all jobs are done, by tickets for " + text(got) + " jobs";
  checker::diagnose(
      "tickets_alike",
      got.size() > 2 && right[0] > right.back() &&
          std::all_of(got.begin(), got.end() - 1, [&](int size) { return size == got[0]; }),
      are +
          ". They are alike: a ticket is to be for a part of what is left, "
          "so that they get smaller" +
          (got[0] == 1
               ? ". Or is ticket[j] the job itself, and not the first one that its ticket brought?"
               : ""));
  checker::diagnose("whole_share",
                    done.ticket == of_left(blocks),
                    are +
                        ". That is left / blocks: the first ones to draw have an equal share each, "
                        "and who has drawn the long jobs ends last. Half of that is asked for");
  checker::diagnose(
      "rounded_down",
      done.ticket == tickets(first, jobs, [=](int left) { return (left + blocks) / (2 * blocks); }),
      are +
          ". left / (2 * blocks) is rounded to the nearest number here, and is to be rounded up: "
          "it is " +
          text(right));
  checker::diagnose(
      "rounded_down",
      done.ticket == tickets(first, jobs, [=](int left) { return left / (2 * blocks); }),
      are + ". left / (2 * blocks) is rounded down here, and is to be rounded up: it is " +
          text(right));
  checker::expect_same("first jobs of the tickets, " + what + ", which are for " + text(right) +
                           " jobs",
                       done.ticket,
                       expected);
}

/// Jobs before the one called `first` are not to be done.
/// @return the number of tickets
int check(int jobs, int blocks, int longest, int first = 0) {
  if (jobs > 0)
    checker::unless_failed_before(); // who draws shows without a job, before what comes of it
  auto h_begin = checker::random_values<int>(jobs + 1, 0, longest);
  for (int j = 1; j <= jobs; j += 2)
    h_begin[j] /= 16; // every other job is short
  h_begin[0] = 0;
  std::partial_sum(h_begin.begin(), h_begin.end(), h_begin.begin());
  const auto h_in = checker::extreme_values<unsigned>(h_begin[jobs]);
  constexpr unsigned poison = 0xCDCDCDCD;
  std::vector<unsigned> expected(jobs, poison);
  for (int j = first; j < jobs; ++j)
    expected[j] = std::accumulate(h_in.begin() + h_begin[j], h_in.begin() + h_begin[j + 1], 0u);
  const std::string what =
      (first ? "jobs from number " + std::to_string(first) + " to " : "jobs: ") +
      std::to_string(jobs) + ", blocks: " + std::to_string(blocks);
  std::optional<emu::Observation> seen;
  const Done done = run(h_in, h_begin, blocks, first, what, seen);
  if (seen && jobs == 0)
    checker::expect(checker::total(*seen, emu::Access::global_atomic).lanes < threads / 2,
                    "all_threads_draw",
                    what + ": all threads of the block have gone for a ticket. A block needs one: "
                           "one thread draws, and the others have to hear of it");
  int left_out = 0, wrong = 0, done_before = 0;
  for (int j = 0; j < jobs; ++j)
    if (j < first)
      done_before += done.out[j] != poison;
    else if (done.out[j] == poison)
      ++left_out;
    else
      wrong += done.out[j] != expected[j];
  checker::diagnose("jobs_left_out",
                    left_out > 0 && wrong + done_before == 0,
                    what + ": nobody has done " + std::to_string(left_out) +
                        " of the jobs. A block that is done draws again, until no job is left");
  checker::expect_same("sums, " + what, done.out, expected);
  if (jobs == 0)
    return 0;
  checker::expect(done.next != first,
                  "nobody_draws",
                  what + ": all is right, but no ticket was drawn: which block does which job was "
                         "fixed before anybody knew how long they take");
  expect_tickets(what, done, blocks, first);
  checker::diagnose(
      "drawn_beyond",
      done.next > jobs,
      what + ": *next is at last " + std::to_string(done.next) + ", and there are " +
          std::to_string(jobs) +
          " jobs: blocks that found none left have moved it on. It is to end as `jobs`");
  checker::expect_same("what is not given out at last, " + what, done.next, jobs);
  if (seen)
    checker::expect(!seen->find("same_value_race"),
                    "done_twice",
                    what + ": all is right, but a job was done by more than one block, and its sum "
                           "written twice");
  if (seen && blocks <= 8 && longest >= 200 && jobs > 1)
    checker::expect_lanes(*seen,
                          emu::Access::global_load,
                          4.0,
                          what + ": a job is for all 64 threads of a block",
                          0.17); // the emulator's first block draws every ticket
  return static_cast<int>(sizes_of(done.ticket, first).size());
}

/// Whether two tickets are out at a time: each job is one number, and the result of the job `back` before lies on it, which has
/// been of another ticket. Who still finds the number itself has not waited for that job.
bool work_together(int jobs, int blocks) {
  const int back = (jobs + 2 * blocks - 1) / (2 * blocks) + 1; // more than any ticket is for
  std::vector<unsigned> numbers(jobs + back);
  std::iota(numbers.begin(), numbers.end(), 1000u);
  std::vector<int> h_begin(jobs + 1);
  std::iota(h_begin.begin(), h_begin.end(), 0);
  const auto d_numbers = checker::on_device(numbers);
  const auto d_begin = checker::on_device(h_begin);
  const auto d_next = checker::on_device(std::vector<int>{0});
  const auto d_ticket = checker::poisoned<int>(jobs);
  checker::launch(std::to_string(jobs) + " jobs, each on the result of another one", [&] {
    run_jobs<<<blocks, threads>>>(d_numbers.data(),
                                  d_begin.data(),
                                  jobs,
                                  d_next.data(),
                                  d_ticket.data(),
                                  d_numbers.data() + back);
  });
  const auto after = d_numbers.download();
  for (int j = back; j < jobs; ++j)
    if (after[back + j] == numbers[j])
      return true;
  return false;
}

/// By a clock on which a draw takes `draw` and a job its length: who is free takes the next ticket.
struct Evening {
  int ends = 0;
  std::vector<std::string> rows; // [block], a character for every 5
};

Evening
evening(const std::vector<int> &sizes, const std::vector<int> &length, int blocks, int draw) {
  Evening all{0, std::vector<std::string>(blocks)};
  std::vector<int> free(blocks, 0);
  int job = 0;
  for (const int size : sizes) {
    const auto who = std::min_element(free.begin(), free.end()) - free.begin();
    *(free.begin() + who) += draw;
    for (int k = 0; k < size; ++k)
      free[who] += length[job++];
    std::string &row = all.rows[who];
    row.resize(std::max<std::size_t>(row.size() + 1, free[who] / 5),
               static_cast<char>(size > 9 ? '*' : '0' + size));
  }
  all.ends = *std::max_element(free.begin(), free.end());
  return all;
}

} // namespace

TEST_CASE("no job at all") { check(0, 1, 0); }

TEST_CASE("long jobs and short ones") { check(40, 4, 200); }

TEST_CASE("twenty jobs, and twice as many") {
  check(20, 2, 100);
  checker::record("tickets_for_40_jobs", check(40, 2, 100));
}

TEST_CASE("one block, one job") {
  check(9, 1, 100);
  check(1, 3, 1000);
  for (int n : checker::own_sizes(1, 60, 150)) {
    check(n, 3, 20);
    check(20, n, 20);
  }
}

TEST_CASE("more blocks than jobs") { check(5, 20, 100); }

TEST_CASE("more blocks than anybody has counted") {
  checker::unobserved([] { check(40, 1031, 20); });
}

TEST_CASE("whichever block comes in between") {
  checker::in_drawn_orders([] { check(30, 6, 20); });
}

TEST_CASE("all blocks have jobs") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  bool together = false;
  checker::in_drawn_orders([&] { together = work_together(60, 4) || together; });
  checker::expect(together,
                  "others_look_on",
                  "all jobs are done, but of four blocks never two have had a ticket at a time, "
                  "whoever came first. While one works the others are to draw, too");
}

TEST_CASE("jobs from number 10 on") { check(30, 4, 100, 10); }

TEST_CASE("an evening") {
  constexpr int jobs = 60, blocks = 4, draw = 8;
  checker::unless_failed_before();
  checker::unobserved([&] {
    auto length = checker::random_values<int>(jobs, 2, 9);
    std::vector<int> h_begin = {0};
    int by_number = 0; // of the block that has every fourth job
    for (int j = 0; j < jobs; ++j) {
      length[j] += j % 4 == 0 ? 40 : 0;
      by_number += j % 4 == 0 ? length[j] : 0;
      h_begin.push_back(h_begin.back() + length[j]);
    }
    std::optional<emu::Observation> seen;
    const Done done =
        run(std::vector<unsigned>(h_begin.back(), 1), h_begin, blocks, 0, "an evening", seen);
    const auto sizes = sizes_of(done.ticket, 0);
    const Evening yours = evening(sizes, length, blocks, draw),
                  one_each = evening(std::vector<int>(jobs, 1), length, blocks, draw);
    std::string note =
        "60 jobs, of which every fourth is long, for four blocks. Closing time, if a draw takes " +
        std::to_string(draw) + " and a job its length:\n  by number " + std::to_string(by_number) +
        ", a ticket for each job " + std::to_string(one_each.ends) + ", your " +
        std::to_string(sizes.size()) + " tickets " + std::to_string(yours.ends) +
        ", without any draw at best " + std::to_string((h_begin.back() + blocks - 1) / blocks) +
        "\nYour tickets, as long as they take, by how many jobs they are for:";
    for (int block = 0; block < blocks; ++block)
      note += "\n  block " + std::to_string(block) + " " + yours.rows[block];
    checker::note(note);
  });
}
