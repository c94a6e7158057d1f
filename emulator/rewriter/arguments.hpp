/// \file
/// A compiler's command line, taken apart into that of its preprocessor and that of the compiler proper.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rewriter {

class Arguments {
public:
  /// \param words  [ccache] g++ -std=c++20 … -c FILE.cu -o FILE.o
  explicit Arguments(std::vector<std::string> words);

  /// Whether it compiles a CUDA source; everything else is the compiler's own affair.
  bool compiles_cuda() const { return !source_.empty() && !output_.empty(); }
  const std::vector<std::string> &words() const { return words_; }
  const std::string &output() const { return output_; }
  const std::string &source() const { return source_; }
  bool observed() const { return observed_; }
  bool relaxed_constexpr() const { return relaxed_constexpr_; }
  bool quiet() const { return quiet_; }
  /// What a device's pass defines, in place of what an H200's has: of -arch and -gencode, the newest that they name.
  const std::vector<std::string> &of_device() const { return of_device_; }
  /// Whether clang shall use a precompiled header, whose text it still puts into the output of -E.
  bool clang_header() const { return clang_header_; }
  /// The emulator's headers; empty if no -isystem or -I names them.
  const std::filesystem::path &headers() const { return headers_; }

  std::vector<std::string> preprocess(const std::string &to,
                                      const std::vector<std::string> &more) const;
  std::vector<std::string> compile(const std::string &from) const;

private:
  void read_word(size_t &i);
  bool read_architecture(size_t &i);
  void read_folder(const std::string &option, const std::string &folder);

  std::vector<std::string> words_;
  std::vector<std::string> launcher_; // ccache and the like
  std::string compiler_;
  std::vector<std::string> both_, preprocessor_; // options
  std::vector<std::string> of_device_;
  int architecture_ = 0; // 10 * compute capability; 0: not given
  std::string source_, output_;
  std::filesystem::path headers_;
  bool takes_all_as_cuda_ = false; // behind -x cu
  bool observed_ = false, quiet_ = false, clang_header_ = false, relaxed_constexpr_ = false;
};

/// Whether a folder holds the headers of a CUDA toolkit.
bool is_toolkit(const std::filesystem::path &folder);

} // namespace rewriter
