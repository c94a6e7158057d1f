// Checks good_advice.cu: what was advised, and what it changes: who waits for pages, round after round.
#include "checker/nasty.hpp"
#include "managed.hpp"

struct Arrays {
  unsigned *table, *scratch, *result;
  size_t bytes;
};
void give_advice(const Arrays &arrays);

namespace {

constexpr int n = 8192; // eight pages for each array
constexpr double pages = 8.0;
constexpr int in_page = 1024; // numbers
constexpr int round_count = 3;

__global__ void begin(const unsigned *table, unsigned *scratch, unsigned round, int first) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = table[i] ^ round;
}
__global__ void end(const unsigned *scratch, unsigned *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  result[i] = scratch[i] + 1;
}

// Three rounds with what give_advice() advises, before each of which the host changes the table's first number; and what
// became of pages: of the table, its first one and the others, while the first kernel and the host read it; of the result
// while the second kernel wrote it and the host read it.
struct Rounds {
  Managed<unsigned> table, scratch, result;
  // Stands for the scratch memory, so that what is counted is the table's or the result's alone.
  lab::DeviceBuffer<unsigned> handed_on{n};
  emu::PageCounts of_first, of_others, of_result;
  std::vector<std::uint64_t> waited; // how many pages somebody has waited for, in each round
  bool seen = false;

  explicit Rounds(std::vector<unsigned> h_table, bool advised = true)
      : table(h_table), scratch(n), result(n) {
    if (advised)
      give_advice({table.data(), scratch.data(), result.data(), n * sizeof(unsigned)});
    const cudaError_t error = cudaGetLastError();
    checker::expect(error == cudaSuccess,
                    "cuda_error",
                    std::string("a piece of advice was refused with ") + cudaGetErrorName(error) +
                        ". Does its range end behind the array? A pointer to unsigned moves by "
                        "numbers, and a size counts bytes");
    for (unsigned round = 0; round < round_count; ++round) {
      h_table[0] += 1000;
      run(h_table, round);
    }
  }

  void run(const std::vector<unsigned> &h_table, unsigned round) {
    const std::string what = "round " + std::to_string(round + 1);
    std::vector<unsigned> got_table(n), got, expected; // of the result the last page
    const auto read = [&](int first, int count) {
      const auto read_there = checker::observe(what + ", first kernel", [&] {
        if (first == 0)
          table.data()[0] = h_table[0];
        begin<<<count / 256, 256>>>(table.data(), handed_on.data(), round, first);
        LAB_CHECK_LAUNCH();
        LAB_CHECK(cudaDeviceSynchronize());
        for (int i = first; i < first + count; ++i)
          got_table[i] = table.data()[i];
      });
      seen = read_there.has_value();
      return seen ? read_there->total_pages() : emu::PageCounts{};
    };
    emu::PageCounts all = read(0, in_page);
    of_first.add(all);
    const emu::PageCounts others = read(in_page, n - in_page);
    of_others.add(others);
    all.add(others);
    const auto second = checker::observe(what + ", second kernel", [&] {
      end<<<n / 256, 256>>>(handed_on.data(), result.data());
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaDeviceSynchronize());
      for (int i = n - in_page; i < n; ++i)
        got.push_back(result.data()[i]);
    });
    for (int i = n - in_page; i < n; ++i)
      expected.push_back((h_table[i] ^ round) + 1);
    checker::expect_same("the table in " + what, got_table, h_table);
    checker::expect_same("the result of " + what, got, expected);
    if (second) {
      of_result.add(second->total_pages());
      all.add(second->total_pages());
    }
    waited.push_back(all.kernel_faults + all.host_faults);
  }
};

// What moves again in each round, where the right advice was given: it was for a part of the array.
std::string of_a_part(const std::string &name, uint64_t faults, int rounds) {
  return std::to_string(faults / rounds) + " of the " + std::to_string(static_cast<int>(pages)) +
         " pages of " + name +
         " move in each round all the same: the advice is for a part of it. A size counts bytes, "
         "of which an array has arrays.bytes, and a pointer to unsigned moves by numbers";
}

// That an array has no advice which changes nothing for it. (By CUDA's rules "read mostly" overrides "accessed by".)
void expect_no(const Managed<unsigned> &array,
               const std::string &name,
               const std::vector<cudaMemRangeAttribute> &needless,
               const std::string &why) {
  for (const cudaMemRangeAttribute which : needless) {
    const int given = array.attribute(which);
    std::string advice = "cudaMemAdviseSetReadMostly";
    if (which != cudaMemRangeAttributeReadMostly) {
      const bool accessed_by = which == cudaMemRangeAttributeAccessedBy;
      advice = accessed_by ? "cudaMemAdviseSetAccessedBy" : "cudaMemAdviseSetPreferredLocation";
      advice += ", given for Place::";
      advice += given == cudaCpuDeviceId ? "host," : "device,";
    }
    const int none = which == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    checker::expect(
        given == none, "too_much_advice", advice + " changes nothing for " + name + ": " + why);
  }
}

Rounds rounds() { return Rounds(checker::extreme_values<unsigned>(n)); }

} // namespace

TEST_CASE("the scratch memory") {
  const Rounds r = rounds();
  checker::expect(!pages_move() || r.scratch.attribute(cudaMemRangeAttributePreferredLocation) !=
                                       cudaCpuDeviceId,
                  "scratch_on_the_host",
                  "the scratch memory is advised to stay on the host, which never touches it");
}

TEST_CASE("the table") {
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr uint64_t once = static_cast<uint64_t>(pages) - 1; // each page behind the first
  const Rounds r = rounds();
  if (r.seen) {
    checker::expect(r.of_others.over_the_link == 0,
                    "table_over_the_link",
                    "the table stays on the host, and every round reads it over the link. All but "
                    "its first number never changes: a copy on the device would be read at the "
                    "speed of the device");
    checker::expect_at_most(
        "table.kernel_faults",
        static_cast<double>(r.of_others.kernel_faults),
        once,
        "table_moves",
        r.of_others.kernel_faults < round_count * once
            ? of_a_part("the table", r.of_others.kernel_faults - once, round_count - 1)
            : "in three rounds kernels waited for pages of the table more than once each");
    checker::expect_at_most("table.host_faults",
                            static_cast<double>(r.of_others.host_faults),
                            0.0,
                            "table_moves",
                            "the host waited for pages of the table, which it had written itself");
    checker::expect_at_most(
        "first_page.kernel_faults",
        static_cast<double>(r.of_first.kernel_faults),
        0.0,
        "first_page_moves",
        r.of_first.kernel_faults == round_count && r.of_first.host_faults == 0
            ? "in each round kernels waited for the table's first page: it is advised to be read "
              "mostly, and where the host writes a number the device's copy of its page ends. A "
              "second advice for it takes none back: leave this page out of the first"
            : "kernels waited for the table's first page, in which the host writes a number before "
              "each round. It may stay with the host, if the device has a way to it beforehand");
  }
  checker::record("faults_if_all_is_read_mostly", static_cast<double>(once + round_count));
  if (r.seen || !pages_move())
    return;
  checker::expect(r.table.attribute(read_mostly, in_page, n - in_page) == 1,
                  "table_moves",
                  "the table, or a page of it behind the first one, has no advice that lets both "
                  "sides keep a copy");
  checker::expect(
      r.table.attribute(read_mostly, 0, in_page) == 0 &&
          r.table.attribute(cudaMemRangeAttributeAccessedBy, 0, in_page) == 0,
      "first_page_moves",
      "the device has no way to the table's first page, in which the host writes a number "
      "in each round, or that page is advised to be copied, too");
}

TEST_CASE("the result") {
  const Rounds r = rounds();
  if (r.seen) {
    const bool in_time = r.of_result.kernel_faults == 0 && r.of_result.host_faults == 0;
    checker::expect(
        in_time || r.result.attribute(cudaMemRangeAttributeReadMostly) != 1,
        "result_moves",
        "the result is advised to be read mostly, and a kernel writes it in each round: "
        "each page's copies are thrown away then, and made again");
    const int stays = r.result.attribute(cudaMemRangeAttributePreferredLocation);
    checker::expect_at_most(
        "result.host_faults",
        static_cast<double>(r.of_result.host_faults),
        0.0,
        "result_moves",
        stays == cudaCpuDeviceId
            ? std::string("the host waited for the last page of the result in each round all the "
                          "same: the advice is "
                          "for others. A pointer to unsigned moves by numbers")
            : std::string("the host waited for pages of the result: they lay on the device") +
                  (stays == cudaInvalidDeviceId
                       ? ""
                       : ", where they are advised to stay. Where does a page have to lie so that "
                         "the host need not wait for it, and who needs a way to it then?"));
    checker::expect(r.of_result.kernel_faults == 0 ||
                        r.result.attribute(cudaMemRangeAttributeAccessedBy) != cudaCpuDeviceId,
                    "kernel_waits",
                    "kernels waited for pages of the result, and the advice about who accesses it "
                    "names Place::host, which has them. It is the device that needs a way to them");
    checker::expect_at_most(
        "result.kernel_faults",
        static_cast<double>(r.of_result.kernel_faults),
        0.0,
        "kernel_waits",
        "kernels waited for pages of the result that lay on the host: who is to reach "
        "them there needs a way to them, and that is an advice of its own");
    checker::expect_at_least(
        "result.over_the_link",
        static_cast<double>(r.of_result.over_the_link),
        2.0,
        "result_moves",
        "from the second round on the result's last page should be stored over the link");
    checker::expect_at_most(
        "result.over_the_link",
        static_cast<double>(r.of_result.over_the_link),
        round_count,
        "result_over_the_link",
        "nobody waits for a page of the result, but each round stores pages over the link that "
        "the host never reads. Of these it reads the last one alone");
  }
  if (!pages_move())
    return;
  checker::expect(r.result.attribute(cudaMemRangeAttributePreferredLocation,
                                     n - in_page,
                                     in_page) == cudaCpuDeviceId,
                  "result_moves",
                  "the result's last page is not advised to stay on the host");
  checker::expect(r.result.attribute(cudaMemRangeAttributeAccessedBy, n - in_page, in_page) == 0,
                  "kernel_waits",
                  "the device has no way to the result's last page, and will wait for it");
  if (!r.seen)
    checker::expect(r.result.attribute(cudaMemRangeAttributePreferredLocation, 0, in_page) !=
                        cudaCpuDeviceId,
                    "result_over_the_link",
                    "pages of the result that the host never reads are advised to stay there");
}

TEST_CASE("no advice that nobody needs") {
  if (!pages_move())
    return;
  const Rounds r = rounds();
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr auto accessed_by = cudaMemRangeAttributeAccessedBy;
  constexpr auto preferred = cudaMemRangeAttributePreferredLocation;
  expect_no(r.scratch,
            "the scratch memory",
            {read_mostly, accessed_by, preferred},
            "only kernels touch it, and so its pages are made on the device and stay there");
  expect_no(r.result,
            "the result",
            {read_mostly},
            "a kernel writes it in each round, and a copy ends where somebody writes");
  if (!r.seen)
    return;
  const Rounds before(checker::extreme_values<unsigned>(n), false);
  std::string text;
  for (int round = 0; round < round_count; ++round)
    text += "\n  round " + std::to_string(round + 1) + "  " +
            std::string(before.waited[round], '#') + "\n           " +
            (r.waited[round] > 0 ? std::string(r.waited[round], '#') : std::string("nobody waits"));
  checker::note(
      "Pages of table and result that somebody waited for: without advice, and below with yours:" +
      text);
}
