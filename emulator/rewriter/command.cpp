#include "command.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "arguments.hpp"
#include "diagnostics.hpp"
#include "headers.hpp"
#include "merge.hpp"
#include "process.hpp"
#include "rewrite.hpp"

namespace fs = std::filesystem;

namespace rewriter {

namespace {

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush())
    throw std::runtime_error(path.string() + ": cannot be written");
}

/// The C++ between the two runs of the compiler.
class Between {
public:
  explicit Between(const std::string &output) : path_(output + ".ii") {}
  ~Between() {
    std::error_code ignored;
    if (std::getenv("EMU_KEEP") == nullptr)
      fs::remove(path_, ignored);
  }
  Between(const Between &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

// clang writes the text of its precompiled header, and of all that is included by option, into what comes
// out of -E, and would read it twice.
std::string without_clang_header(const std::string &text, const std::string &source) {
  const std::string back = "\n# 1 \"<built-in>\" 2\n";
  size_t begin = text.find("\n# 1 \"<command line>\" 1\n");
  begin = begin == std::string::npos ? begin : text.find(back, begin);
  if (begin == std::string::npos)
    return text;
  begin += back.size();
  const size_t end = text.find("\n# 1 \"" + source + "\" 2\n", begin);
  return end == std::string::npos ? text : text.substr(0, begin) + text.substr(end + 1);
}

std::string preprocess(const Arguments &arguments,
                       const std::string &to,
                       const std::vector<std::string> &headers,
                       std::vector<std::string> more = {}) {
  more.emplace_back("-fpch-preprocess");
  for (const std::string &header : headers)
    more.insert(more.end(), {"-include", header});
  const Ended ended = run(arguments.preprocess(to, more));
  std::fputs(translate(explain_missing_header(ended.said), {}, arguments.quiet()).c_str(), stderr);
  if (ended.status != 0)
    std::exit(ended.status);
  const std::string text = without_digraphs(read_file(to));
  return arguments.clang_header() ? without_clang_header(text, arguments.source()) : text;
}

// What the programmer's files name, in code or not.
struct Mentions {
  bool passes = false, assembler = false;
};

Mentions mentions(const std::string &text) {
  const Source source = tokenize(text);
  Mentions found;
  for (size_t i = 0; i < source.files.size(); ++i) {
    if (source.is_system[i] || !fs::is_regular_file(source.files[i]))
      continue;
    const std::string file = read_file(source.files[i]);
    found.passes |= file.find("__CUDA_ARCH_") != std::string::npos;
    found.assembler |= file.find("asm") != std::string::npos;
  }
  return found;
}

// What the preprocessor makes of a source. Where it asks which pass it is in, `device` is what a device's pass does.
struct Prepared {
  std::string host, device;

  std::string merged() const { return device.empty() ? host : merge(host, device); }
};

Prepared prepare(const Arguments &arguments, const std::string &scratch) {
  std::vector<std::string> headers = {"cuda_runtime.h", "emu/language/keywords_stay.hpp"};
  Prepared prepared;
  prepared.host = preprocess(arguments, scratch, headers);
  const Mentions mentioned = mentions(prepared.host);
  if (mentioned.assembler) { // a tenth of what an empty source takes
    headers.insert(headers.end() - 1, "emu/ptx/ptx.hpp");
    prepared.host = preprocess(arguments, scratch, headers);
  }
  if (mentioned.passes) {
    headers.emplace_back("emu/language/device_pass.hpp");
    prepared.device = preprocess(arguments, scratch, headers, arguments.of_device());
  }
  return prepared;
}

int refuse(const std::vector<Refusal> &refusals) {
  for (const Refusal &refusal : refusals)
    std::fprintf(
        stderr, "%s:%d: error: %s\n", refusal.file.c_str(), refusal.line, refusal.what.c_str());
  return refusals.empty() ? 0 : 1;
}

// Rewrites and compiles.
int finish(const Arguments &arguments, const Prepared &prepared, bool guarded) {
  const Between between(arguments.output());
  Options options;
  options.observed = arguments.observed();
  options.relaxed_constexpr = arguments.relaxed_constexpr();
  options.guarded = guarded;
  Result result;
  std::string text = prepared.host;
  try {
    text = prepared.merged();
    result = rewrite(text, options);
  } catch (const SourceError &error) {
    result.refusals.push_back({error.file, error.line, error.what()});
  }
  if (const std::vector<Refusal> foreign = headers_of_toolkits(text, arguments.headers());
      !foreign.empty())
    result.refusals = foreign;
  if (const int status = refuse(result.refusals))
    return status;
  for (const Refusal &warning : result.warnings)
    if (!arguments.quiet())
      std::fprintf(
          stderr, "%s:%d: warning: %s\n", warning.file.c_str(), warning.line, warning.what.c_str());
  write_file(between.path(), result.text);
  std::vector<std::string> compile = arguments.compile(between.path());
  if (!result.has_wide_types) // a fifth of the time, for checks that only wide types need
    std::erase(compile, "-fsanitize=alignment");
  const Ended ended = run(compile);
  std::fputs(translate(ended.said, result, arguments.quiet()).c_str(), stderr);
  return ended.status;
}

int run_step(const std::string &step, const std::string &text, const Arguments &arguments) {
  if (arguments.headers().empty())
    throw std::runtime_error("cuda_rewriter: no -isystem names the emulator's headers");
  const std::string of_device = text + ".device";
  forget_toolkits();
  if (step == "--finish") {
    Prepared prepared{read_file(text), ""};
    if (fs::exists(of_device))
      prepared.device = read_file(of_device);
    return finish(arguments, prepared, true);
  }
  if (step.empty()) {
    const Between between(arguments.output());
    return finish(arguments, prepare(arguments, between.path()), false);
  }
  const Prepared prepared = prepare(arguments, text);
  write_file(text, prepared.host);
  fs::remove(of_device);
  if (!prepared.device.empty())
    write_file(of_device, prepared.device);
  return 0;
}

} // namespace

int command(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string step, text;
  if (words.size() > 1 && (words[0] == "--prepare" || words[0] == "--finish")) {
    step = words[0];
    text = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  const Arguments arguments(words);
  try {
    if (arguments.compiles_cuda())
      return run_step(step, text, arguments);
    if (step.empty() && argc > 1 && argv[1][0] != '-') {
      execvp(argv[1], argv + 1);
      throw std::runtime_error(std::string("cannot start ") + argv[1]);
    }
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fputs("usage: cuda_rewriter [--prepare TEXT.ii | --finish TEXT.ii] COMPILER [OPTION]... -c "
             "FILE.cu -o FILE.o\n",
             stderr);
  return 2;
}

} // namespace rewriter
