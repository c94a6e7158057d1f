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

__global__ void begin(const unsigned *table, unsigned *scratch, unsigned round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = table[i] ^ round;
}
__global__ void end(const unsigned *scratch, unsigned *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  result[i] = scratch[i] + 1;
}

// Three rounds with what give_advice() advises, and what became of pages: of the table while the first
// kernel and the host read it, of the result while the second kernel wrote it and the host read it.
struct Rounds {
  Managed<unsigned> table, scratch, result;
  // Stands for the scratch memory, so that what is counted is the table's or the result's alone.
  lab::DeviceBuffer<unsigned> handed_on{n};
  emu::PageCounts of_table, of_result;
  bool seen = false;

  explicit Rounds(const std::vector<unsigned> &h_table) : table(h_table), scratch(n), result(n) {
    give_advice({table.data(), scratch.data(), result.data(), n * sizeof(unsigned)});
    for (unsigned round = 0; round < 3; ++round)
      run(h_table, round);
  }

  void run(const std::vector<unsigned> &h_table, unsigned round) {
    const std::string what = "round " + std::to_string(round + 1);
    std::vector<unsigned> got_table(n), got(n), expected(n);
    const auto first = checker::observe(what + ", first kernel", [&] {
      begin<<<n / 256, 256>>>(table.data(), handed_on.data(), round);
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < n; ++i)
        got_table[i] = table.data()[i];
    });
    const auto second = checker::observe(what + ", second kernel", [&] {
      end<<<n / 256, 256>>>(handed_on.data(), result.data());
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < n; ++i)
        got[i] = result.data()[i];
    });
    for (int i = 0; i < n; ++i)
      expected[i] = (h_table[i] ^ round) + 1;
    checker::expect_same("the table in " + what, got_table, h_table);
    checker::expect_same("the result of " + what, got, expected);
    seen = first.has_value();
    if (seen) {
      of_table.add(first->total_pages());
      of_result.add(second->total_pages());
    }
  }
};

// What moves again in each round, where the right advice was given: it was for a part of the array.
std::string of_a_part(const std::string &name, uint64_t faults, int rounds) {
  return std::to_string(faults / rounds) + " of the " + std::to_string(static_cast<int>(pages)) +
         " pages of " + name +
         " move in each round all the same: the advice is for a part of it. A size is counted in "
         "bytes, of which an array has arrays.bytes";
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
  const Rounds r = rounds();
  if (r.seen) {
    checker::expect(r.of_table.over_the_link == 0,
                    "table_over_the_link",
                    "the table stays on the host, and every round reads it over the link. It never "
                    "changes: a copy on the device would be read at the speed of the device");
    const uint64_t again = r.of_table.kernel_faults - static_cast<uint64_t>(pages);
    checker::expect_at_most(
        "table.kernel_faults",
        static_cast<double>(r.of_table.kernel_faults),
        pages,
        "table_moves",
        r.table.attribute(cudaMemRangeAttributeReadMostly) == 1
            ? of_a_part("the table", again, 2)
            : "in three rounds kernels waited for pages of the table more than once each");
    checker::expect_at_most("table.host_faults",
                            static_cast<double>(r.of_table.host_faults),
                            0.0,
                            "table_moves",
                            "the host waited for pages of the table, which it had written itself");
  }
  checker::expect(!pages_move() || r.table.attribute(cudaMemRangeAttributeReadMostly) == 1,
                  "table_moves",
                  "the table, or a part of it, has no advice that lets both sides keep a copy");
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
            ? of_a_part("the result", r.of_result.host_faults, 3)
            : std::string("the host waited for pages of the result: they lay on the device") +
                  (stays == cudaInvalidDeviceId
                       ? ""
                       : ", where they are advised to stay. The place to stay at is the host's, "
                         "and the device is who gets a way to them"));
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
    checker::expect_at_least("result.over_the_link",
                             static_cast<double>(r.of_result.over_the_link),
                             2 * pages,
                             "result_moves",
                             "from the second round on the result should be stored over the link");
  }
  if (!pages_move())
    return;
  checker::expect(r.result.attribute(cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId,
                  "result_moves",
                  "the result, or a part of it, is not advised to stay on the host");
  checker::expect(
      r.result.attribute(cudaMemRangeAttributeAccessedBy) == 0,
      "kernel_waits",
      "the device has no way to the result, or a part of it: it will wait for each page");
}

TEST_CASE("no advice that nobody needs") {
  if (!pages_move())
    return;
  const Rounds r = rounds();
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr auto accessed_by = cudaMemRangeAttributeAccessedBy;
  constexpr auto preferred = cudaMemRangeAttributePreferredLocation;
  expect_no(r.table,
            "the table",
            {accessed_by, preferred},
            "nobody writes it any more, so that each side can have a copy of its own, which is "
            "another advice");
  expect_no(r.scratch,
            "the scratch memory",
            {read_mostly, accessed_by, preferred},
            "only kernels touch it, and so its pages are made on the device and stay there");
  expect_no(r.result,
            "the result",
            {read_mostly},
            "a kernel writes it in each round, and a copy ends where somebody writes");
}
