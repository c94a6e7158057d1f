#include "arguments.hpp"

#include <cstdio>
#include <set>

namespace fs = std::filesystem;

namespace rewriter {

namespace {

bool starts_with(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

bool is_cuda(const std::string &word) {
  return word.size() > 3 && word[0] != '-' && word.compare(word.size() - 3, 3, ".cu") == 0;
}

} // namespace

bool is_toolkit(const fs::path &folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_runtime.h", ignored) && !fs::exists(folder / "emu", ignored);
}

Arguments::Arguments(std::vector<std::string> words) : words_(std::move(words)) {
  size_t i = 0;
  for (; i < words_.size() && words_[i][0] != '-'; ++i)
    launcher_.push_back(words_[i]);
  if (launcher_.empty())
    return;
  compiler_ = launcher_.back();
  launcher_.pop_back();
  for (; i < words_.size(); ++i)
    read_word(i);
}

void Arguments::read_word(size_t &i) {
  const std::string &word = words_[i];
  const bool more = i + 1 < words_.size();
  static const std::set<std::string> of_preprocessor = {"-MF", "-MT", "-MQ"};
  static const std::set<std::string> with_value = {
      "-imacros", "-D", "-U", "-Xclang", "-mllvm", "-include-pch"};
  if (is_cuda(word) || (takes_all_as_cuda_ && word[0] != '-')) {
    source_ = word;
  } else if (word == "-c") {
  } else if (word == "-o" && more) {
    output_ = words_[++i];
  } else if (word == "-x" && more) {
    takes_all_as_cuda_ = words_[++i] == "cu";
  } else if (word == "--expt-relaxed-constexpr" || word == "-expt-relaxed-constexpr") {
    relaxed_constexpr_ = true;
  } else if (read_architecture(i)) {
  } else if (word == "-w") {
    quiet_ = true; // see diagnostics.hpp
  } else if (of_preprocessor.count(word) > 0 && more) {
    preprocessor_.insert(preprocessor_.end(), {word, words_[++i]});
  } else if (starts_with(word, "-M") && word != "-mllvm") {
    preprocessor_.push_back(word);
  } else if ((word == "-I" || word == "-isystem" || word == "-iquote" || word == "-idirafter") &&
             more) {
    read_folder(word, words_[++i]);
  } else if (starts_with(word, "-I")) {
    read_folder("-I", word.substr(2));
  } else if (word == "-include" && more) {
    preprocessor_.insert(preprocessor_.end(), {word, words_[++i]});
  } else if (word == "-Xclang" && i + 3 < words_.size() && words_[i + 1] == "-include") {
    preprocessor_.insert(preprocessor_.end(),
                         words_.begin() + static_cast<long>(i),
                         words_.begin() + static_cast<long>(i) + 4);
    i += 3;
  } else if (with_value.count(word) > 0 && more) {
    clang_header_ |= word == "-include-pch" || words_[i + 1] == "-include-pch";
    if (word == "-include-pch") // which clang's driver forgets where text is preprocessed already
      both_.insert(both_.end(), {"-Xclang", word, "-Xclang", words_[++i]});
    else
      both_.insert(both_.end(), {word, words_[++i]});
  } else {
    observed_ |= word == "-DEMU_OBSERVED";
    both_.push_back(word);
  }
}

bool Arguments::read_architecture(size_t &i) {
  static const std::set<std::string> names = {
      "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"};
  const size_t equals = words_[i].find('=');
  const std::string name = words_[i].substr(0, equals);
  if (names.count(name) == 0)
    return false;
  std::string value;
  if (equals != std::string::npos)
    value = words_[i].substr(equals + 1);
  else if (i + 1 < words_.size())
    value = words_[++i];
  if (name == "-code" || name == "--gpu-code") // for which devices, not what programs are told
    return true;
  int number = 0;
  char feature = 0;
  for (const char *const pattern : {"compute_%d%c", "sm_%d%c"}) {
    const size_t at = value.find(std::string(pattern).substr(0, std::string(pattern).find('%')));
    if (at != std::string::npos && std::sscanf(value.c_str() + at, pattern, &number, &feature) > 0)
      break;
  }
  if (number <= architecture_)
    return true;
  architecture_ = number;
  of_device_ = {"-DEMU_CUDA_ARCH=" + std::to_string(10 * number)};
  if (feature == 'a')
    of_device_.push_back("-D__CUDA_ARCH_FEAT_SM" + std::to_string(number) + "_ALL");
  return true;
}

// A toolkit's headers are nvcc's: with them a program would compile and compute something else.
void Arguments::read_folder(const std::string &option, const std::string &folder) {
  if (is_toolkit(folder))
    return;
  if (fs::exists(fs::path(folder) / "cuda_runtime.h"))
    headers_ = fs::absolute(folder).lexically_normal();
  preprocessor_.insert(preprocessor_.end(), {option, folder});
}

std::vector<std::string> Arguments::preprocess(const std::string &to,
                                               const std::vector<std::string> &more) const {
  std::vector<std::string> command = {compiler_};
  command.insert(command.end(), both_.begin(), both_.end());
  command.insert(command.end(), preprocessor_.begin(), preprocessor_.end());
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"-x", "c++", "-E", source_, "-o", to});
  return command;
}

std::vector<std::string> Arguments::compile(const std::string &from) const {
  std::vector<std::string> command = launcher_;
  command.push_back(compiler_);
  command.insert(command.end(), both_.begin(), both_.end());
  command.insert(command.end(), {"-x", "c++-cpp-output", "-c", from, "-o", output_});
  return command;
}

} // namespace rewriter
