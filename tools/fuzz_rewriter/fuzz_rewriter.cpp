/// \file
/// fuzz_rewriter SECONDS SEED FILE…: gives the rewriter spoiled copies of sources for so long. It may refuse
/// them, with a line; it may neither crash nor hang, and what it makes of the same copy twice is the same.
/// With 0 SECONDS each file is spoiled a fixed number of times. What ends the program is left in
/// fuzz_rewriter.cu in the folder it runs in.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "merge.hpp"
#include "rewrite.hpp"

namespace {

using Random = std::mt19937_64;

size_t below(Random &random, size_t end) { return end == 0 ? 0 : random() % end; }

// Pieces that mean something to the rewriter.
const char *const words[] = {"__global__ ", "__device__ ",
                             "__shared__ ", "__host__ ",
                             "extern ",     "template <class T> ",
                             "<<<",         ">>>",
                             "{",           "}",
                             "(",           ")",
                             "[",           "]",
                             "<",           ">",
                             ";",           ",",
                             "::",          "operator",
                             "asm(\"\")",   "requires ",
                             "struct A",    "switch (a)",
                             "case",        "=",
                             "[=]",         "...",
                             "namespace a", "using ",
                             "std::",       "\"",
                             "'",           "R\"(",
                             "#",           "\n# 3 \"b\" 1 3\n",
                             "\n",          "->",
                             "class ",      "&",
                             "*",           "void ",
                             "k",           "0"};

std::string spoiled(std::string text, Random &random) {
  for (size_t times = 1 + below(random, 6); times > 0; --times) {
    const size_t at = below(random, text.size() + 1), length = below(random, 1 + below(random, 60));
    switch (below(random, 5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, words[below(random, std::size(words))]);
      break;
    case 2:
      text.insert(at, text.substr(below(random, text.size() + 1), length));
      break;
    case 3:
      if (at < text.size())
        text[at] = static_cast<char>(below(random, 256));
      break;
    default:
      text.resize(at);
    }
  }
  return text;
}

std::string outcome(const std::string &text, const std::string &other) {
  std::string said;
  for (const std::string &source : {text, other})
    try {
      rewriter::Options options;
      options.observed = true;
      const rewriter::Result result = rewriter::rewrite(source, options);
      said += result.text + std::to_string(result.refusals.size());
    } catch (const rewriter::SourceError &error) {
      said += error.what();
    }
  try {
    said += rewriter::merge(text, other);
  } catch (const rewriter::SourceError &error) {
    said += error.what();
  }
  return said;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fputs("usage: fuzz_rewriter SECONDS SEED FILE...\n", stderr);
    return 2;
  }
  const double seconds = std::atof(argv[1]);
  Random random(std::strtoull(argv[2], nullptr, 10));
  std::vector<std::string> sources;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    sources.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (sources.back().empty()) {
      std::fprintf(stderr, "%s: empty, or cannot be read\n", argv[i]);
      return 2;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const size_t fixed = 4 * sources.size();
  size_t count = 0;
  for (; seconds > 0 ? elapsed() < seconds : count < fixed; ++count) {
    const std::string &source =
        sources[seconds > 0 ? below(random, sources.size()) : count % sources.size()];
    const std::string text = spoiled(source, random), other = spoiled(text, random);
    std::ofstream("fuzz_rewriter.cu", std::ios::binary) << text << "\n// and\n" << other;
    alarm(20); // a hang ends the program
    if (outcome(text, other) != outcome(text, other)) {
      std::fputs("the same source was rewritten in two ways: fuzz_rewriter.cu\n", stderr);
      return 1;
    }
  }
  std::remove("fuzz_rewriter.cu");
  std::printf("%zu spoiled sources: no crash\n", count);
}
