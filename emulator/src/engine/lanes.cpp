// What is said of lanes that do not meet as their masks have it.
#include <cstdio>
#include <string>

#include "engine/block_switch.hpp"
#include "engine/lanes.hpp"

namespace emu {

namespace {
std::string hexadecimal(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}
} // namespace

void complain_of_caller(unsigned mask, Site site) {
  const std::string text = "lane " + std::to_string(lane_id()) + " makes this call with the mask " +
                           hexadecimal(mask) + ", which does not name it";
  complain("invalid_shuffle", text.c_str(), site);
}

void complain_of_meeting(const Meeting &meeting, Meet meet, Site site) {
  constexpr const char *calls[] = {"__syncwarp()", "a shuffle", "a vote", "a match", "a reduction"};
  const auto name = [&](Meet what) { return calls[static_cast<size_t>(what)]; };
  const std::string text = "lane " + std::to_string(lane_id()) + " comes to " + name(meet) +
                           " with the mask " + hexadecimal(meeting.mask) + ", and lane " +
                           std::to_string(meeting.last) + " of it to " + name(meeting.meet) +
                           ": all have to make the same call";
  complain("invalid_shuffle",
           text.c_str(),
           site,
           thread_index(turn.fiber->thread - lane_id() + meeting.last),
           meeting.site);
}

void complain_of_source(unsigned mask, int source, Site site) {
  const bool named = (mask >> source & 1) != 0;
  const std::string text =
      "lane " + std::to_string(lane_id()) + " asks for the value of lane " +
      std::to_string(source) + ", which " +
      (named ? "has left the kernel without coming to this call" : "is not in the mask") +
      " (mask " + hexadecimal(mask) + "): it is undefined";
  complain("invalid_shuffle", text.c_str(), site);
}

void complain_of_width(int width, Site site) {
  const std::string text = "the width of this shuffle is " + std::to_string(width) +
                           ", and it has to be a power of two up to 32: it is undefined";
  complain("invalid_shuffle", text.c_str(), site);
}

} // namespace emu
