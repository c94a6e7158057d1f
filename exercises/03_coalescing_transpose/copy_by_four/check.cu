// Checks copy_by_four.cu: every tail, nothing past the ends, and 16 bytes per lane wherever that can be.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>

void say(char *line);
__global__ void backwards(const float *in, int n, float *out);

namespace {

std::optional<emu::Observation> check(const std::vector<float> &h_in, int block) {
  const int n = static_cast<int>(h_in.size()), whole = n / 4 * 4;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  const std::vector<float> expected(h_in.rbegin(), h_in.rend());
  const std::string what = checker::counted(n, "float");
  checker::perhaps(
      "The last float is in[n - 1], and it comes first: which one does your index give "
      "for out[0]?",
      "out_of_bounds",
      "however little is subtracted");
  checker::perhaps("Where n is no multiple of 4, loads and stores cannot both begin at multiples "
                   "of 16 bytes: those that do not go float by float",
                   "misaligned");
  for (const char *const before : {"read of in[-1]:", "read of in[-2]:", "read of in[-3]:"})
    checker::perhaps(
        "The thread with fewer than four floats loads four. What is loaded and not used "
        "is read, too: a test has to stand ahead of the load",
        "out_of_bounds",
        before);
  checker::perhaps("Four floats are stored at once where fewer are left: these few go one by one",
                   "out_of_bounds",
                   "write of out[");
  auto seen = checker::launch(what, [&] {
    backwards<<<checker::enough_blocks(n, 4 * block), block>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  const auto same = [](float one, float other) { return lab::close(one, other, {}); };
  const bool fours =
      whole > 0 && std::equal(got.begin(), got.begin() + whole, expected.begin(), same);
  checker::diagnose(
      "tail_dropped",
      whole < n && (fours || whole == 0) &&
          std::all_of(
              got.begin() + whole, got.end(), [](float one) { return lab::is_poison(one); }),
      what + (whole > 0 ? ": nobody has written the last ones, which are fewer than four"
                        : ": nobody has written anything. Fewer than four are there, so "
                          "no thread has four: who writes what is left over then?"));
  checker::diagnose("last_is_not_first",
                    whole > 0 && whole < n &&
                        std::equal(got.begin(), got.begin() + whole, h_in.rend() - whole, same),
                    what + ": out begins with in[" + std::to_string(whole - 1) + "], where in[" +
                        std::to_string(n - 1) +
                        "] belongs. Counted from the end, the floats of a thread do not begin at a "
                        "multiple of 4");
  checker::diagnose("tail_from_the_end",
                    fours && whole < n &&
                        std::equal(got.begin() + whole, got.end(), h_in.rbegin(), same),
                    what + ": out ends with the last floats of in, which out begins with, too. "
                           "What is left for the last thread, which has fewer than four?");
  bool as_they_were = n > 4;
  for (int k = 0; k < whole && as_they_were; ++k)
    as_they_were = same(got[k], h_in[n - 4 - k / 4 * 4 + k % 4]);
  checker::diagnose("fours_not_turned",
                    as_they_were,
                    what + ": the fours come in reverse order, and in each of them the floats are "
                           "as they were");
  checker::expect_same_bits("array of " + what, got, expected);
  checker::expect_same("in of " + what + ", which must stay", d_in.download(), h_in);
  return seen;
}

std::optional<emu::Observation> check(int n, int block) {
  return check(checker::extreme_values<float>(n), block);
}

double requests(const emu::Observation &seen, emu::Access access) {
  return static_cast<double>(checker::total(seen, access).requests);
}

constexpr double one_wide = 112; // of 2051 floats, where float by float each there are 128 and more

std::string counted; // of 2048 floats, and of 2051

std::string loads_and_stores(const emu::Observation &seen) {
  const auto whole = [&](emu::Access access) {
    return std::to_string(std::lround(requests(seen, access)));
  };
  return whole(emu::Access::global_load) + " and " + whole(emu::Access::global_store);
}

/// Of n floats, which is no multiple of 4.
void check_one_side(int n) {
  if (const auto seen = check(n, 64))
    checker::expect(requests(*seen, emu::Access::global_load) +
                            requests(*seen, emu::Access::global_store) <=
                        one_wide,
                    "both_narrow",
                    std::to_string(n) +
                        " floats backwards: loads and stores go float by float. Whatever n is, one "
                        "of the two can begin at multiples of 16 bytes");
}

} // namespace

TEST_CASE("whole float4") {
  for (int n : {256, 1024, 4})
    check(n, 64);
}

TEST_CASE("every tail") {
  for (int n : {253, 254, 255, 257, 5, 6, 7, 1, 2, 3})
    check(n, 64);
}

TEST_CASE("every size, in any blocks") {
  checker::every_size(64, {32, 47, 96, 256}, [](int n, int block) { check(n, block); });
}

TEST_CASE("sixteen bytes per lane") {
  const auto seen = check(2048, 64); // 8 blocks of 2 warps
  if (!seen && !checker::detail::can_measure())
    return;
  if (!seen) { // no counts on a GPU, but time: a gigabyte each way is far more than the caches hold
    const int n = 1 << 28;
    const lab::DeviceBuffer<float> d_in(n), d_out(n);
    LAB_CHECK(cudaMemset(d_in.data(), 0x3F, d_in.bytes()));
    checker::expect_bandwidth(
        2.0 * static_cast<double>(d_out.bytes()), lab::Ceiling::copy, 0.75, [&] {
          backwards<<<n / 4 / 256, 256>>>(d_in.data(), n, d_out.data());
        });
    return;
  }
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  counted = loads_and_stores(*seen);
  for (const auto &[access, name, does] :
       {std::tuple(emu::Access::global_store, "global_store.requests", "store"),
        std::tuple(emu::Access::global_load, "global_load.requests", "load")})
    checker::expect_at_most(name,
                            requests(*seen, access),
                            16.0,
                            "narrow",
                            std::string("2048 floats are 16 requests of a warp whose lanes ") +
                                does +
                                " 16 bytes each, and with so many all fours begin at a "
                                "multiple of 16 bytes",
                            checker::busiest_line(*seen, access));
  checker::unless_failed_before();
  if (const auto in_one = check(2048, 512))
    checker::expect_lanes(*in_one, emu::Access::global_store, 30.0);
  if (const auto few = check(1000, 256))
    checker::record("loads_of_1000_floats", requests(*few, emu::Access::global_load));
}

TEST_CASE("one side wide, at least") {
  const int more = checker::random_values<int>(1, 1, 3)[0];
  if (more < 3)
    check_one_side(2048 + more);
  const auto seen = check(2051, 64);
  if (!seen)
    return;
  const double of_both =
      requests(*seen, emu::Access::global_load) + requests(*seen, emu::Access::global_store);
  checker::expect_at_most("requests_of_2051_floats",
                          of_both,
                          one_wide,
                          "both_narrow",
                          "2051 floats backwards: where loads and stores cannot both begin at "
                          "multiples of 16 bytes, one of the two can, and that is 16 requests "
                          "in place of 64. You choose where each thread's four begin");
  counted = " Warps made " + counted + " requests for loads and stores of 2048 floats, " +
            loads_and_stores(*seen) + " of 2051; float by float each were 64 or more.";
  if (of_both < 60)
    checker::note("Loads and stores of 16 bytes, whatever n is: better than what was asked for.");
}

TEST_CASE("your line") {
  checker::unless_failed_before();
  std::vector<char> typed(1024);
  say(typed.data());
  std::string line(typed.begin(), std::find(typed.begin(), typed.end(), '\0'));
  line.resize(std::min<std::size_t>(line.size(), 56));
  for (char &letter : line)
    letter = ' ' <= letter && letter <= '~' ? letter : '?';
  const int n = static_cast<int>(line.size());
  std::string back;
  checker::unobserved([&] {
    const auto d_in = checker::on_device(std::vector<float>(line.begin(), line.end()));
    const auto d_out = checker::poisoned<float>(n);
    backwards<<<checker::enough_blocks(n, 128), 32>>>(d_in.data(), n, d_out.data());
    const auto got = d_out.download();
    checker::expect_same("your line", got, std::vector<float>(line.rbegin(), line.rend()));
    back.assign(got.begin(), got.end());
  });
  // With a bar in front of each letter whose number is a multiple of 4, counted from `first` on.
  const auto in_fours = [](const std::string &text, int first) {
    std::string fours;
    for (char letter : text) {
      fours += first++ % 4 == 0 ? "|" : "";
      fours += letter;
    }
    return fours;
  };
  const auto letters = [](const std::string &text) {
    std::string alone;
    for (unsigned char letter : text)
      if (std::isalpha(letter))
        alone += static_cast<char>(std::tolower(letter));
    return alone;
  };
  const std::string forth = letters(line), other = letters(back);
  int same = 0;
  for (std::size_t i = 0; i < forth.size(); ++i)
    same += forth[i] == other[i];
  const std::string number = std::to_string(n) + " is " + (n % 4 == 0 ? "a" : "no");
  checker::note(
      "Your line, and what your kernel makes of it. Each bar is a multiple of 16 bytes; the last "
      "line has the bars of `in`, seen backwards:"
      "\nin   " +
      in_fours(line, 0) + "\nout  " + in_fours(back, 0) + "\n     " + in_fours(back, 4 - n % 4) +
      "|\n" + number + " multiple of 4, so that fours of in are " + (n % 4 == 0 ? "" : "no ") +
      "fours of out." + counted + " " + std::to_string(same) + " of " +
      checker::counted(static_cast<long long>(forth.size()), "letter") + " stay as they are" +
      (same == static_cast<int>(forth.size()) ? ": a palindrome."
                                              : ". In a palindrome all do: find one, in say()."));
}
