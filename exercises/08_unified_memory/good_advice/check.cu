// Checks good_advice.cu: what was advised, and what it changes: who waits for pages, round after round.
#include "checker/nasty.hpp"
#include "managed.hpp"

#include <cctype>

struct Arrays {
  unsigned *land, *wind, *weather;
  size_t bytes;
};
void give_advice(const Arrays &arrays);

namespace {

constexpr int pages = 8; // of each array
constexpr int in_page = 1024; // numbers
constexpr int n = pages * in_page;
constexpr int round_count = 3;

__global__ void begin(const unsigned *land, unsigned *wind, unsigned round, int first) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  wind[i] = land[i] ^ round;
}
__global__ void end(const unsigned *wind, unsigned *weather, int first) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  weather[i] = wind[i] + 1;
}

// Where a page is, first when a kernel has come to it, then when the host has read it, or not: h for the host, d for the
// device, b for both sides; a capital where it has just come, and somebody has waited.
std::string places(const emu::PageCounts &of, bool host_reads) {
  const bool reached = of.over_the_link > 0;
  const bool read_there = host_reads && of.host_faults == 0;
  const char there = reached || (read_there && of.made_by_kernels > 0) ? 'h'
                     : read_there                                      ? 'b'
                                                                       : 'd';
  return {of.kernel_faults > 0 ? static_cast<char>(std::toupper(there)) : there,
          of.host_faults > 0 ? 'H' : there};
}

// Three rounds with what give_advice() advises, before each of which the host changes the land's first number; and what
// became of pages: of the land, its first one and the others, while the first kernel and the host read it; of the weather
// while the second kernel wrote it and the host read it.
struct Rounds {
  int n, pages; // numbers and pages of each array
  Managed<unsigned> land, wind, weather;
  // Stands for the wind, so that what is counted is the land's or the weather's alone.
  lab::DeviceBuffer<unsigned> handed_on;
  emu::PageCounts of_first, of_others, of_weather;
  std::uint64_t waited = 0; // how many pages somebody has waited for
  std::vector<std::string>
      where; // pages are, behind the kernels and behind the host, in each round
  bool seen = false;

  explicit Rounds(std::vector<unsigned> h_land, bool advised = true, unsigned count = round_count)
      : n(static_cast<int>(h_land.size())), pages(n / in_page), land(h_land), wind(n), weather(n),
        handed_on(n) {
    if (advised)
      give_advice({land.data(), wind.data(), weather.data(), h_land.size() * sizeof(unsigned)});
    const cudaError_t error = cudaGetLastError();
    checker::expect(error == cudaSuccess,
                    "cuda_error",
                    std::string("a piece of advice was refused with ") + cudaGetErrorName(error) +
                        ". Does its range end behind the array? A pointer to unsigned moves by "
                        "numbers, and a size counts bytes");
    for (unsigned round = 0; round < count; ++round) {
      h_land[0] += 1000;
      run(h_land, round);
    }
  }

  // A kernel comes to one page after the other, and the host reads it, from this page on; what became of each.
  template <class Kernel>
  std::vector<emu::PageCounts> touch(const std::string &what,
                                     const unsigned *array,
                                     int host_from,
                                     std::vector<unsigned> &read,
                                     Kernel kernel) {
    const auto part = [&](int page) { return what + ", page " + std::to_string(page); };
    const auto observed = checker::observe(what, [&] {
      for (int page = 0; page < pages; ++page) {
        const lab::ObservedPart named(part(page));
        kernel(page * in_page);
        LAB_CHECK_LAUNCH();
        LAB_CHECK(cudaDeviceSynchronize());
        for (int i = page * in_page; page >= host_from && i < (page + 1) * in_page; ++i)
          read.push_back(array[i]);
      }
    });
    seen = observed.has_value();
    std::vector<emu::PageCounts> of(pages);
    for (int page = 0; seen && page < pages; ++page) {
      for (const emu::PageReport &report : observed->pages)
        if (report.part == part(page))
          of[page].add(report.counts);
      waited += of[page].kernel_faults + of[page].host_faults;
      const std::string there = places(of[page], page >= host_from);
      where[where.size() - 2] += there[0];
      where.back() += there[1];
    }
    return of;
  }

  void run(const std::vector<unsigned> &h_land, unsigned round) {
    const std::string what = "round " + std::to_string(round + 1);
    std::vector<unsigned> got_land, got, expected; // of the weather the last page
    where.resize(where.size() + 2);
    const auto of_land = touch(what + ", first kernel", land.data(), 0, got_land, [&](int first) {
      if (first == 0)
        land.data()[0] = h_land[0];
      begin<<<in_page / 256, 256>>>(land.data(), handed_on.data(), round, first);
    });
    where[where.size() - 2] += ' ';
    where.back() += ' ';
    const auto of_each =
        touch(what + ", second kernel", weather.data(), pages - 1, got, [&](int first) {
          end<<<in_page / 256, 256>>>(handed_on.data(), weather.data(), first);
        });
    for (int page = 0; page < pages; ++page) {
      (page == 0 ? of_first : of_others).add(of_land[page]);
      of_weather.add(of_each[page]);
    }
    for (int i = n - in_page; i < n; ++i)
      expected.push_back((h_land[i] ^ round) + 1);
    checker::expect_same("the land in " + what, got_land, h_land);
    checker::expect_same("the weather of " + what, got, expected);
  }
};

// What moves again in each round, where the right advice was given: it was for a part of the array.
std::string of_a_part(const std::string &name, uint64_t faults, int rounds) {
  return std::to_string(faults / rounds) + " of the " + std::to_string(pages) + " pages of " +
         name +
         " move in each round all the same: the advice is for a part of it. A size counts bytes, "
         "of which an array has arrays.bytes, and a pointer to unsigned moves by numbers";
}

// That an array has no advice which changes nothing for it. (By CUDA's rules "read mostly" overrides "accessed by".)
void expect_no(const Managed<unsigned> &array,
               const std::string &name,
               const std::vector<cudaMemRangeAttribute> &needless,
               const std::string &why,
               int first = 0,
               int count = n) {
  for (const cudaMemRangeAttribute which : needless) {
    const int given = array.attribute(which, first, count);
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

TEST_CASE("the wind") {
  const Rounds r(checker::extreme_values<unsigned>(n), true, 0); // advice alone
  checker::expect(!pages_move() ||
                      r.wind.attribute(cudaMemRangeAttributePreferredLocation) != cudaCpuDeviceId,
                  "wind_on_the_host",
                  "the wind is advised to stay on the host, which never touches it");
}

TEST_CASE("the land") {
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr uint64_t once = pages - 1; // each page behind the first
  const Rounds r = rounds();
  if (r.seen) {
    checker::expect(r.of_others.over_the_link == 0,
                    "land_over_the_link",
                    "the land stays on the host, and every round reads it over the link. All but "
                    "its first number never changes: a copy on the device would be read at the "
                    "speed of the device");
    checker::expect_at_most(
        "land.kernel_faults",
        static_cast<double>(r.of_others.kernel_faults),
        once,
        "land_moves",
        r.of_others.kernel_faults < round_count * once
            ? of_a_part("the land", r.of_others.kernel_faults - once, round_count - 1)
            : "in three rounds kernels waited for pages of the land more than once each");
    checker::expect_at_most("land.host_faults",
                            static_cast<double>(r.of_others.host_faults),
                            0.0,
                            "land_moves",
                            "the host waited for pages of the land, which it had written itself");
    checker::expect_at_most(
        "first_page.kernel_faults",
        static_cast<double>(r.of_first.kernel_faults),
        0.0,
        "first_page_moves",
        r.of_first.kernel_faults == round_count && r.of_first.host_faults == 0
            ? "in each round kernels waited for the land's first page: it is advised to be read "
              "mostly, and where the host writes a number the device's copy of its page ends. "
              "Other "
              "advice for this page doesn't end that: leave it out of the range"
            : "kernels waited for the land's first page, in which the host writes a number before "
              "each round. It may stay with the host, if the device has a way to it beforehand");
  }
  checker::record("faults_if_all_is_read_mostly", static_cast<double>(once + round_count));
  if (r.seen || !pages_move())
    return;
  checker::expect(r.land.attribute(read_mostly, in_page, n - in_page) == 1,
                  "land_moves",
                  "the land, or a page of it behind the first one, has no advice that lets both "
                  "sides keep a copy");
  checker::expect(
      r.land.attribute(read_mostly, 0, in_page) == 0 &&
          r.land.attribute(cudaMemRangeAttributeAccessedBy, 0, in_page) == 0,
      "first_page_moves",
      "the device has no way to the land's first page, in which the host writes a number "
      "in each round, or that page is advised to be copied, too");
}

TEST_CASE("the weather") {
  const Rounds r = rounds();
  if (r.seen) {
    const bool in_time = r.of_weather.kernel_faults == 0 && r.of_weather.host_faults == 0;
    checker::expect(
        in_time || r.weather.attribute(cudaMemRangeAttributeReadMostly) != 1,
        "weather_moves",
        "the weather is advised to be read mostly, and a kernel writes it in each round: "
        "each page's copies are thrown away then, and made again");
    const int stays = r.weather.attribute(cudaMemRangeAttributePreferredLocation);
    checker::expect_at_most(
        "weather.host_faults",
        static_cast<double>(r.of_weather.host_faults),
        0.0,
        "weather_moves",
        stays == cudaCpuDeviceId
            ? std::string("the host waited for the last page of the weather in each round all the "
                          "same: the advice is "
                          "for others. A pointer to unsigned moves by numbers")
            : std::string("the host waited for pages of the weather: they lay on the device") +
                  (stays == cudaInvalidDeviceId
                       ? ", and no advice says where they are to stay. Which of these pages does "
                         "the "
                         "host read in each round?"
                       : ", where they are advised to stay. Where does a page have to lie so that "
                         "the host need not wait for it, and who needs a way to it then?"));
    checker::expect(r.of_weather.kernel_faults == 0 ||
                        r.weather.attribute(cudaMemRangeAttributeAccessedBy) != cudaCpuDeviceId,
                    "kernel_waits",
                    "kernels waited for pages of the weather, and the advice about who accesses it "
                    "names Place::host, which has them. It is the device that needs a way to them");
    checker::expect_at_most(
        "weather.kernel_faults",
        static_cast<double>(r.of_weather.kernel_faults),
        0.0,
        "kernel_waits",
        "kernels waited for pages of the weather that lay on the host: where they stay, "
        "and who has a way there beforehand, are two pieces of advice");
    checker::expect_at_least("weather.over_the_link",
                             static_cast<double>(r.of_weather.over_the_link),
                             2.0,
                             "weather_moves",
                             "nobody waits for the weather's last page, but kernels do not store "
                             "it over the link either: "
                             "it is not advised to stay on the host, which reads it in each round");
    checker::expect_at_most(
        "weather.over_the_link",
        static_cast<double>(r.of_weather.over_the_link),
        round_count,
        "weather_over_the_link",
        "nobody waits for a page of the weather, but each round stores pages over the link that "
        "the host never reads. Of these it reads the last one alone");
  }
  if (!pages_move())
    return;
  checker::expect(r.weather.attribute(cudaMemRangeAttributePreferredLocation,
                                      n - in_page,
                                      in_page) == cudaCpuDeviceId,
                  "weather_moves",
                  "the weather's last page is not advised to stay on the host");
  checker::expect(r.weather.attribute(cudaMemRangeAttributeAccessedBy, n - in_page, in_page) == 0,
                  "kernel_waits",
                  "the device has no way to the weather's last page, and will wait for it");
  if (!r.seen)
    checker::expect(r.weather.attribute(cudaMemRangeAttributePreferredLocation, 0, in_page) !=
                        cudaCpuDeviceId,
                    "weather_over_the_link",
                    "pages of the weather that the host never reads are advised to stay there");
}

TEST_CASE("arrays of twelve pages") {
  checker::unless_failed_before();
  constexpr int others = 12;
  const Rounds r(checker::extreme_values<unsigned>(others * in_page));
  if (r.seen)
    checker::expect_at_most(
        "waits_of_twelve",
        static_cast<double>(r.waited),
        others - 1,
        "eight_pages",
        "arrays of twelve pages: somebody waits for more of them than there "
        "are pages of the land behind the first. With eight all is as it should "
        "be. How many bytes an array has says arrays.bytes");
}

TEST_CASE("no advice that nobody needs") {
  if (!pages_move())
    return;
  const Rounds r = rounds();
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr auto accessed_by = cudaMemRangeAttributeAccessedBy;
  constexpr auto preferred = cudaMemRangeAttributePreferredLocation;
  expect_no(r.wind,
            "the wind",
            {read_mostly, accessed_by, preferred},
            "only kernels touch it, and so its pages are made on the device and stay there");
  expect_no(r.weather,
            "the weather",
            {read_mostly},
            "a kernel writes it in each round, and a copy ends where somebody writes");
  for (const int first :
       {0, in_page}) // pages of which not all have the same advice are asked apart
    expect_no(r.land,
              "the land",
              {preferred},
              "the host has written its pages, so they are there already, and none moves that is "
              "copied, or reached over the link",
              first,
              first == 0 ? in_page : n - in_page);
  if (!r.seen)
    return;
  const Rounds before(checker::extreme_values<unsigned>(n), false);
  std::string text =
      "Where each page was: h on the host, d on the device, b on both sides. A capital "
      "has just come, and somebody has waited for it.\n"
      "                     without advice         with yours\n"
      "                     land     weather       land     weather";
  for (std::size_t i = 0; i < r.where.size(); ++i)
    text += (i % 2 == 0 ? "\n  round " + std::to_string(i / 2 + 1) + "  a kernel "
                        : std::string("\n           the host ")) +
            " " + before.where[i] + "      " + r.where[i];
  checker::note(text + "\n  waits              " + std::to_string(before.waited) +
                "                     " + std::to_string(r.waited));
}
