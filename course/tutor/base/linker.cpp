#include "base/linker.hpp"

namespace tutor {
namespace {

std::string shortened(std::string_view name) {
  constexpr std::size_t longest = 200;
  return std::string(name.substr(0, longest)) + (name.size() > longest ? "…" : "");
}

/// What stands in quotes after these words, as in "undefined reference to `main'".
std::optional<std::string> quoted_after(std::string_view output, std::string_view words) {
  for (std::size_t at = 0; (at = output.find(words, at)) != std::string_view::npos;) {
    at += words.size();
    if (at < output.size() && (output[at] == '`' || output[at] == '\'')) {
      return shortened(output.substr(at + 1, output.find_first_of("'\n", at + 1) - at - 1));
    }
  }
  return {};
}

/// The last thing in the line that has these words, as in "duplicate symbol: a.o: b.o: main".
std::optional<std::string> last_after(std::string_view output, std::string_view words) {
  const std::size_t at = output.find(words);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view line = output.substr(at, output.find('\n', at) - at);
  return shortened(line.substr(line.rfind(": ") + 2));
}

} // namespace

LinkFault link_fault_in(std::string_view output) {
  LinkFault fault{quoted_after(output, "undefined reference to "),
                  quoted_after(output, "multiple definition of ")};
  if (!fault.missing && !fault.twice) {
    fault = {last_after(output, "undefined symbol: "), last_after(output, "duplicate symbol: ")};
  }
  return fault;
}

} // namespace tutor
