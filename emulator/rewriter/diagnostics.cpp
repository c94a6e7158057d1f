#include "diagnostics.hpp"

#include <cstdlib>
#include <sstream>

namespace rewriter {

namespace {

// `file:line:column: kind: `; g++ leaves the column out now and then.
enum class Line { error, warning, note, other };
Line kind_of(const std::string &line) {
  const size_t colon = line.find(": ");
  if (colon == std::string::npos || line[0] == ' ')
    return Line::other;
  const auto says = [&](const char *word) { return line.find(word) != std::string::npos; };
  return says(": error: ") || says(": fatal error: ") ? Line::error
         : says(": warning: ")                        ? Line::warning
         : says(": note: ")                           ? Line::note
                                                      : Line::other;
}

// Where a message about the next lines begins: "In function …", "In file included from …".
bool leads(const std::string &line) {
  return line.find(": In ") != std::string::npos || line.find(": At ") != std::string::npos ||
         line.find("In file included from") == 0 || line.find("required from") != std::string::npos;
}

// The function for the device that holds a line, the innermost one.
const DeviceFunction *function_at(const Result &result, const std::string &file, int line) {
  const DeviceFunction *found = nullptr;
  for (const DeviceFunction &f : result.device_functions)
    if (f.file == file && f.first <= line && line <= f.last && (!found || found->first <= f.first))
      found = &f;
  return found;
}

// "a.cu:3:5: error: 'int f(int)' is deprecated: emu:host-function [-Werror=…]", and clang's.
std::string in_words_of_nvcc(const std::string &line, const Result &result) {
  const size_t mark = line.find(" is deprecated: emu:host-");
  const size_t error = line.find(" error: ");
  if (mark == std::string::npos || error > mark)
    return line;
  const size_t colon = line.find(':'); // a file's name has none
  const size_t name_begin = line.find_first_of("'\xe2", error); // ' or the UTF-8 of ‘
  const std::string place = line.substr(0, error + 8);
  const bool plain = line[name_begin] == '\'';
  const size_t quote = plain ? 1 : 3;
  const std::string name = line.substr(name_begin + quote, mark - name_begin - 2 * quote);
  if (line.compare(mark + 25, 8, "variable") == 0)
    return place + "identifier \"" + name.substr(name.rfind(' ') + 1) +
           "\" is undefined in device code";
  const DeviceFunction *in =
      function_at(result, line.substr(0, colon), std::atoi(line.c_str() + colon + 1));
  return place + "calling a __host__ function(\"" + name + "\") from a " +
         (in ? in->name : "__device__ function") + " is not allowed";
}

} // namespace

std::string translate(const std::string &said, const Result &result, bool quiet) {
  std::string text, lead;
  bool dropping = false;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("some warnings being treated as errors") != std::string::npos)
      continue;
    if (leads(line)) {
      lead += line + "\n";
      continue;
    }
    const Line kind = kind_of(line);
    if (kind == Line::error || kind == Line::warning) {
      dropping = quiet && kind == Line::warning;
      if (!dropping)
        text += lead + explain_removed(in_words_of_nvcc(line, result)) + "\n";
      lead.clear();
    } else if (!dropping) {
      text += lead + line + "\n";
      lead.clear();
    }
  }
  return text + lead;
}

} // namespace rewriter
