// Checks still_to_come.cu: the sums, in five shuffles.
#include "checker/nasty.hpp"

__global__ void still_to_come(const unsigned *in, int n, unsigned *out);

namespace {

// What a scan with a mistake gives: lane i adds of lane i + step, or step lanes to the left.
enum class Mistake {
  none,
  adds_its_own,
  of_the_left,
  up_for_down,
  lower_guard,
  of_the_values,
  ends_early
};

std::vector<unsigned> sums(const std::vector<unsigned> &in, Mistake mistake) {
  const std::size_t n = in.size(), whole = (n + 31) / 32 * 32;
  std::vector<unsigned> values(in);
  values.resize(whole, 0);
  std::vector<unsigned> now(values);
  for (std::size_t step = 1; step < (mistake == Mistake::ends_early ? 16 : 32); step *= 2) {
    const std::vector<unsigned> before(mistake == Mistake::of_the_values ? values : now);
    for (std::size_t i = 0; i < whole; ++i) {
      const std::size_t lane = i % 32;
      if (mistake == Mistake::of_the_left)
        now[i] += lane >= step ? before[i - step] : 0;
      else if (mistake == Mistake::lower_guard)
        now[i] += lane < step ? 0 : before[lane + step < 32 ? i + step : i];
      else if (lane + step < 32)
        now[i] += before[mistake != Mistake::up_for_down ? i + step : lane < step ? i : i - step];
      else if (mistake == Mistake::adds_its_own)
        now[i] += before[i];
    }
  }
  now.resize(n);
  return now;
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "number");
  auto seen = checker::launch(what, [&] {
    still_to_come<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  std::vector<unsigned> expected(h_in);
  for (int i = n - 2; i >= 0; --i)
    if (i % 32 < 31)
      expected[i] += expected[i + 1];
  const auto looks_like = [&](Mistake mistake) {
    return got != expected && got == sums(h_in, mistake);
  };
  checker::diagnose("added_twice",
                    looks_like(Mistake::adds_its_own),
                    what +
                        ": where no lane is far enough up, a shuffle gives a lane its own value, "
                        "and that was added");
  checker::diagnose("from_the_left",
                    looks_like(Mistake::up_for_down),
                    what +
                        ": each lane asks one on its left, and adds it where there is one on its "
                        "right. __shfl_down_sync() brings the value of a higher lane, "
                        "__shfl_up_sync() that of a lower one");
  checker::diagnose("from_the_left",
                    looks_like(Mistake::of_the_left),
                    what +
                        ": these are the sums of what came before, not of what is still to come");
  checker::diagnose("guard_of_the_left",
                    looks_like(Mistake::lower_guard),
                    what +
                        ": each lane gets the value of a higher one, and adds it where there is a "
                        "lower one so far away. The test has to be whether lane + offset is still "
                        "a lane of the warp");
  checker::diagnose("values_not_sums",
                    looks_like(Mistake::of_the_values),
                    what +
                        ": each round added one number of in; it should add the other lane's sum");
  checker::diagnose("last_round_missing",
                    looks_like(Mistake::ends_early),
                    what + ": each sum is of 16 numbers at most: the last round is missing");
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("five shuffles, and no memory between the lanes") {
  const auto seen = check(1024);
  if (!seen)
    return;
  const auto requests = [&](emu::Access access) {
    return static_cast<double>(checker::total(*seen, access).requests);
  };
  checker::expect_at_most("meetings_per_warp",
                          checker::meetings_per_warp(*seen),
                          5.0,
                          "too_many_shuffles",
                          "each shuffle can double how many numbers a sum holds: 2, 4, 8, 16, 32");
  checker::expect_each_loaded_once(*seen, 1024);
  checker::expect_at_most("shared_store.requests_per_warp",
                          requests(emu::Access::shared_store) / 32.0,
                          0.0,
                          "through_shared",
                          "lanes can read each other's registers: no shared memory is needed");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
