#include "headers.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "arguments.hpp"

namespace fs = std::filesystem;

namespace rewriter {

namespace {

// What to do without a header of CUDA's; empty where nothing is known of it.
std::string advice(const std::string &name) {
  static const std::pair<const char *, const char *> known[] = {
      {"thrust/",
       "of Thrust it has vectors, iterators, the algorithms for ranges, tuples, random and complex "
       "numbers: "
       "thrust/device_vector.h has all of it"},
      {"cub/",
       "of CUB it has in <cub/cub.cuh> blocks' and warps' reduce, scan, load, store, exchange and "
       "radix sort, and for devices "
       "reduce, scan, radix sort, select, partition, histogram, run lengths and segments"},
      {"cublas", "of cuBLAS it has cublas_v2.h, by plain loops"},
      {"curand", "of cuRAND it has curand_kernel.h: XORWOW and Philox"},
      {"cooperative_groups/",
       "it has cooperative_groups.h with memcpy_async.h, reduce.h and scan.h"},
      {"cuda/", "it has cuda/atomic, cuda/barrier, cuda/pipeline and cuda/std's atomic and limits"},
      {"cuda_fp",
       "of the short floating-point types it has cuda_fp16.h, cuda_bf16.h and cuda_fp8.h: compute "
       "with "
       "these, or with float"},
      {"cupti", "it has no counters of a GPU: tutor observe counts what kernels ask of memory"},
      {"cufft", "cuFFT runs on a GPU alone"},
      {"cusparse", "cuSPARSE runs on a GPU alone"},
      {"cusolver", "cuSOLVER runs on a GPU alone"},
      {"cudnn", "cuDNN runs on a GPU alone"},
      {"nvrtc", "it compiles no kernels at run time"},
      {"npp", "NPP runs on a GPU alone"},
      {"cuda_gl_interop", "it has no graphics"},
      {"cutlass/", "CUTLASS runs on a GPU alone"},
  };
  for (const auto &[start, text] : known)
    if (name.rfind(start, 0) == 0)
      return text;
  return "";
}

} // namespace

void forget_toolkits() {
  for (const char *variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    const char *value = std::getenv(variable);
    if (!value)
      continue;
    std::string kept;
    bool forgot = false;
    std::istringstream folders(value);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (!folder.empty() && is_toolkit(folder))
        forgot = true;
      else
        kept += (kept.empty() ? "" : ":") + folder;
    }
    if (forgot && kept.empty())
      unsetenv(variable);
    else if (forgot)
      setenv(variable, kept.c_str(), 1);
  }
}

std::vector<Refusal> headers_of_toolkits(std::string_view text, const fs::path &own) {
  const fs::path of_the_system = "/usr/include";
  std::vector<Refusal> found;
  std::map<std::string, fs::path> toolkits; // by folder; an empty path: it is in none
  std::string file;
  int line = 0;
  size_t marker = 0; // behind its #
  for (size_t at = 0; (at = text.find("\n# ", at)) != std::string_view::npos;) {
    at += 3;
    const std::string_view words = text.substr(at, text.find('\n', at) - at);
    const size_t open = words.find('"'), close = words.rfind('"');
    if (open == std::string_view::npos || close == open)
      continue;
    const std::string name(words.substr(open + 1, close - open - 1));
    const bool enters = words.substr(close + 1).substr(0, 2) == " 1";
    if (enters && name[0] != '<') {
      const std::string folder = fs::path(name).parent_path().string();
      const auto [place, is_new] = toolkits.try_emplace(folder);
      if (is_new)
        for (fs::path up = folder; up.has_relative_path() && place->second.empty() && up != own;
             up = up.parent_path())
          if (is_toolkit(up) || up == of_the_system)
            place->second = up;
      const fs::path &toolkit = place->second;
      const std::string short_name = fs::path(name).lexically_relative(toolkit).string();
      // Distributions put their toolkit's headers among all others.
      if (!toolkit.empty() && (toolkit != of_the_system || !advice(short_name).empty())) {
        // The line in front of this marker, counted from the marker before it.
        const auto lines = std::count(
            text.begin() + static_cast<long>(marker), text.begin() + static_cast<long>(at), '\n');
        found.push_back({file,
                         line + static_cast<int>(lines) - 1,
                         "<" + short_name + "> is a CUDA toolkit's (" + toolkit.string() +
                             "), for a GPU: the emulator has none. " + advice(short_name)});
        return found;
      }
    }
    file = name;
    line = std::atoi(std::string(words.substr(0, open)).c_str());
    marker = at;
  }
  return found;
}

std::string explain_missing_header(const std::string &said) {
  // "a.cu:1:10: fatal error: thrust/sort.h: No such file or directory"; clang: "'thrust/sort.h' file not found".
  constexpr std::string_view mark = ": fatal error: ";
  const size_t begin = said.find(mark);
  if (begin == std::string::npos)
    return said;
  const std::string_view rest = std::string_view(said).substr(begin + mark.size());
  const bool quoted = rest.starts_with('\'');
  const std::string_view name = rest.substr(quoted, rest.find_first_of("': ", quoted) - quoted);
  const std::string_view behind = rest.substr(quoted + name.size());
  if (!behind.starts_with(quoted ? "' file not found" : ": No such file or directory"))
    return said;
  const std::string text = advice(std::string(name));
  if (text.empty())
    return said;
  return said.substr(0, begin) + ": error: the emulator has no <" + std::string(name) +
         ">: " + text + "\n";
}

} // namespace rewriter
