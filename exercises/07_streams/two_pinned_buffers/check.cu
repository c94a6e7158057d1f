// Checks two_pinned_buffers.cu: the plain text, and that one courier is under way while the host has to do with the other.
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

void carry(const char *letter,
           char *out,
           int n,
           int room,
           char *const buffers[2],
           char *const d_buffers[2],
           cudaStream_t stream,
           const cudaEvent_t back[2]);

namespace {

struct Carried {
  std::optional<emu::Observation> seen;
  std::string out;
};

Carried check(const std::string &text, int room) {
  constexpr char nothing = '\0';
  const int n = static_cast<int>(text.size());
  lab::PinnedBuffer<char> first(room), second(room);
  const auto d_first = checker::poisoned<char>(room), d_second = checker::poisoned<char>(room);
  const checker::Streams own(1, 2);
  const cudaStream_t stream = own.streams[0];
  checker::name_stream(stream, "`stream`");
  std::vector<char> letter, out(n, nothing);
  for (int i = 0; i < n; ++i)
    letter.push_back(static_cast<char>(text[i] + 7 * i));
  char *const buffers[2] = {first.data(), second.data()};
  char *const d_buffers[2] = {d_first.data(), d_second.data()};
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what =
      checker::elements(n, "character") + " in pages of " + std::to_string(room);
  auto seen = checker::observe(what, [&] {
    // Comes late, so that a page that is taken too early has not been brought back yet.
    checker::LateStreams late({{stream, 5}});
    carry(letter.data(), out.data(), n, room, buffers, d_buffers, stream, own.events.data());
    LAB_CHECK_LAUNCH();
  });
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string got(out.begin(), out.end());
  const int pages = (n + room - 1) / room;
  std::string left_out, others = got; // of the last two pages, with the text instead
  for (int page = std::max(0, pages - 2); page < pages; ++page) {
    const std::string whole = text.substr(page * room, room);
    if (got.substr(page * room, room) == std::string(whole.size(), nothing)) {
      left_out += (left_out.empty() ? "page " : " and page ") + std::to_string(page);
      others.replace(page * room, whole.size(), whole);
    }
  }
  checker::diagnose("still_out",
                    !left_out.empty() && others == text,
                    what + ": nobody has taken " + left_out + " (of " +
                        checker::counted(pages, "page") +
                        ", counted from 0) from the courier who brought it back. When the last "
                        "page has been sent, who is still out?");
  const auto numbers = [](const std::string &of) { return std::vector<int>(of.begin(), of.end()); };
  checker::expect_same("plain text of " + what, numbers(got), numbers(text));
  if (seen)
    checker::expect_by_kernels(*seen, emu::Access::global_store, text.size(), what);
  return {std::move(seen), got};
}

std::string random_text(int n) {
  std::string text;
  for (const int letter : checker::random_values<int>(n, 'A', 'Z'))
    text += static_cast<char>(letter);
  return text;
}

/// Of the last observation: when the host asks for a page's legs, the couriers' ways, and what they bring.
std::string arrival(const std::string &out, std::size_t room) {
  const double leg_us = room / 1e3;
  auto times = *checker::timeline(checker::plain_model(leg_us, leg_us));
  std::string host, pages;
  std::size_t legs = 0;
  for (emu::TimelineBar &bar : times.bars) {
    if (bar.kind != "copy" && bar.kind != "kernel")
      continue;
    const std::size_t page = legs++ / 3;
    bar.lane = std::to_string(page % 2);
    host.resize(std::max(std::lround(bar.begin_us / leg_us), 1L) - 1, ' ');
    host += std::to_string(page);
    if (legs % 3 == 0) {
      const std::string after = std::to_string(std::lround(bar.end_us / leg_us));
      pages += "\n  after " + std::string(3 - after.size(), ' ') + after + "  " +
               std::string(page % 2 * (room + 2), ' ') +
               out.substr(std::min(page * room, out.size()), room);
    }
  }
  return "\n  host asks  " + host +
         checker::rows_of(times,
                          leg_us,
                          {"courier 0", "courier 1"},
                          [](const emu::TimelineBar &bar) {
                            return bar.kind == "kernel"        ? '*'
                                   : bar.engine == "to_device" ? '>'
                                   : bar.engine == "to_host"   ? '<'
                                                               : '\0';
                          }) +
         pages;
}

void without_a_pause(int pages) {
  constexpr int room = 1000;
  constexpr double leg_us = room / 1e3;
  const auto seen = check(random_text(pages * room), room).seen;
  if (!seen)
    return;
  const std::string what = checker::counted(pages, "page");
  // To submit a leg takes as long as the leg.
  const auto times = *checker::timeline(checker::plain_model(leg_us, leg_us));
  checker::expect(checker::bytes_copied(times, "to_host") >= pages * room,
                  "worked_on_the_host",
                  what + ": the text is right, and no courier has brought it: it is to be "
                         "deciphered on the device");
  checker::expect_lanes(*seen, emu::Access::global_store, 24.0);
  double end_us = 0;
  int legs = 0, alone = 0; // the first page that is sent when the one before it is back
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "copy" || bar.kind == "kernel") {
      if (alone == 0 && legs > 0 && legs % 3 == 0 && bar.begin_us > end_us + leg_us / 2)
        alone = legs / 3;
      ++legs;
      end_us = std::max(end_us, bar.end_us);
    }
  checker::expect_at_most(
      "legs",
      std::round(end_us / leg_us),
      3 * pages + 1,
      "one_at_a_time",
      alone == 0
          ? what + ": the text is right, but the host stands still where it could ask for a leg"
          : what + ": the text is right, but page " + std::to_string(alone) +
                " is sent only when page " + std::to_string(alone - 1) +
                (alone == 1 ? " is back: the other courier stays at home meanwhile"
                            : " is back, and so both couriers are at home. Its own courier "
                              "was back before: for whom does the host wait?"));
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(random_text(n), 400);
}

TEST_CASE("one page, and pages that come out even") {
  check(random_text(64), 64);
  check(random_text(320), 64);
  check(random_text(1), 1);
}

TEST_CASE("eight pages, and five") {
  checker::unless_failed_before();
  checker::record("legs_of_twelve", 3 * 12 + 1);
  without_a_pause(8);
  without_a_pause(5);
}

TEST_CASE("the letter") {
  checker::unless_failed_before();
  constexpr std::size_t room = 16;
  const std::string text = "Meet me at noon under the clock at the station. Come alone, and bring "
                           "no buffer that is pinned. One of us is on his way already.";
  const auto [seen, out] = check(text, room);
  checker::note("What your couriers have brought back" +
                (seen ? ", by legs' times (> there, * kernel, < back):" + arrival(out, room)
                      : ":\n  " + out));
}
