#include "command_line.hpp"

#include "options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace fs = std::filesystem;

namespace emu_nvcc {
namespace {

/// Libraries of the toolkit's that the emulator has not.
constexpr std::array absent_libraries{std::pair("cublasLt", "cuBLASLt"),
                                      std::pair("cufft", "cuFFT"),
                                      std::pair("cusolver", "cuSOLVER"),
                                      std::pair("cusparse", "cuSPARSE"),
                                      std::pair("cudnn", "cuDNN"),
                                      std::pair("nvrtc", "NVRTC")};

/// An option as it was written: its row, and a value that stands in the same word.
struct Written {
  const Option *option;
  std::optional<std::string> value;
};

std::optional<Written> find_option(const std::string &word) {
  const auto row = [](std::string_view name) {
    return std::ranges::find_if(
        options, [&](const Option &one) { return name == one.name || name == one.long_name; });
  };
  if (const auto whole = row(word); whole != options.end())
    return Written{&*whole, std::nullopt};
  if (const size_t equals = word.find('='); equals != std::string::npos)
    if (const auto named = row(word.substr(0, equals)); named != options.end() && named->has_value)
      return Written{&*named, word.substr(equals + 1)};
  for (const std::string_view glued : {"-I", "-D", "-U", "-L", "-l", "-O", "-t"})
    if (word.size() > 2 && word.starts_with(glued) && (glued != "-t" || std::isdigit(word[2]) != 0))
      return Written{&*row(glued), word.substr(2)};
  return std::nullopt;
}

/// Words as a shell takes them apart, without its variables.
Words words_of(const std::string &file) {
  std::ifstream stream(file);
  if (!stream)
    throw WrongUsage(file + " cannot be read: give a file with options");
  Words words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (char c; stream.get(c);) {
    if (c == '\\' && quote != '\'' && stream.get(c)) {
      word += c;
      begun = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
      begun = true;
    } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (begun)
        words.push_back(std::exchange(word, ""));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun)
    words.push_back(word);
  return words;
}

Words with_files_opened(const Words &words) {
  Words all;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool named = words[i] == "--options-file" || words[i] == "-optf";
    if (named && i + 1 == words.size())
      throw WrongUsage(words[i] + ": give a file with options behind it");
    Words more{words[i]};
    if (named)
      more = words_of(words[++i]);
    else if (words[i].starts_with("--options-file="))
      more = words_of(words[i].substr(words[i].find('=') + 1));
    else if (words[i].size() > 1 && words[i][0] == '@')
      more = words_of(words[i].substr(1));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// The parts between commas, of which one behind a backslash is none.
Words parts_of(const std::string &list) {
  Words parts{""};
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] == ',')
      parts.emplace_back();
    else
      parts.back() +=
          list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',' ? list[++i] : list[i];
  std::erase(parts, "");
  return parts;
}

class Reader {
public:
  CommandLine read(const Words &words) {
    for (const std::string &word : words) // wherever it stands
      if (const auto found = find_option(word))
        forwards_ |= found->option->use == Use::forward_unknown;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty() || words[i][0] != '-') {
        add_input(words[i]);
        continue;
      }
      const auto found = find_option(words[i]);
      if (!found) {
        unknown(words[i]);
        continue;
      }
      std::string value = found->value.value_or("");
      if (found->option->has_value && !found->value) {
        if (i + 1 == words.size())
          throw WrongUsage(words[i] + ": give a value behind it");
        value = words[++i];
      }
      apply(*found->option, value);
    }
    return line_;
  }

private:
  void unknown(const std::string &word) {
    if (!forwards_)
      throw WrongUsage("unknown option " + word +
                       "; of the host's compiler's own? Then write -Xcompiler " + word);
    line_.compiling.push_back(word);
    line_.linking.push_back(word);
  }

  void apply(const Option &option, const std::string &value) {
    const std::string name(option.name);
    switch (option.use) {
    case Use::compile:
      line_.compiling.push_back(name);
      if (option.has_value)
        line_.compiling.push_back(value);
      break;
    case Use::compile_list:
      for (const std::string &part : parts_of(value)) {
        line_.compiling.push_back(part);
        line_.linking.push_back(part);
      }
      break;
    case Use::kernels:
      line_.of_kernels.push_back(option.has_value ? name + "=" + value : name);
      break;
    case Use::link:
      for (const auto &[library, called] : absent_libraries)
        if (name == "-l" && value == library)
          throw WrongUsage("-l" + value + ": " + called +
                           " is not in the emulator; leave out what calls it");
      line_.linking.push_back(name + value);
      break;
    case Use::link_list:
      for (const std::string &part : parts_of(value))
        line_.linking.insert(line_.linking.end(), {"-Xlinker", part});
      break;
    case Use::dependencies_only:
      line_.goal = Goal::dependencies;
      [[fallthrough]];
    case Use::dependencies:
      line_.dependencies.push_back(name);
      if (option.has_value)
        line_.dependencies.push_back(value);
      break;
    case Use::goal_object:
      line_.goal = Goal::object;
      break;
    case Use::goal_device_link:
      line_.goal = Goal::device_link;
      break;
    case Use::goal_archive:
      line_.goal = Goal::archive;
      break;
    case Use::goal_preprocessed:
      line_.goal = Goal::preprocessed;
      break;
    case Use::standard:
      set_standard(value);
      break;
    case Use::optimise:
      line_.compiling.push_back("-O" + value);
      break;
    case Use::stream:
      if (value == "per-thread")
        line_.compiling.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
      break;
    case Use::language:
      if (value != "cu" && value != "c++" && value != "c")
        throw WrongUsage("-x " + value + ": give cu, c++ or c");
      language_ = value == "cu" ? Language::cuda : value == "c" ? Language::c : Language::cpp;
      break;
    case Use::output:
      line_.output = value;
      break;
    case Use::folder:
      line_.folder = value;
      break;
    case Use::compiler:
      line_.compiler = fs::is_directory(value) ? (fs::path(value) / "g++").string() : value;
      break;
    case Use::ninja:
      line_.ninja = value;
      break;
    case Use::verbose:
      line_.verbose = true;
      break;
    case Use::dry:
      line_.dry = true;
      break;
    case Use::version:
      line_.wants_version = true;
      break;
    case Use::help:
      line_.wants_help = true;
      break;
    case Use::forward_unknown:
    case Use::nothing:
      break;
    case Use::refused:
      if (name == "-run")
        throw WrongUsage("-run: build the program, and start it yourself");
      throw WrongUsage(name + ": a CPU has nothing of that kind; this needs a GPU's own nvcc");
    }
  }

  // The emulator's headers are C++20, which takes whatever is good in an older one.
  void set_standard(const std::string &value) {
    const size_t digits = value.find_first_of("0123456789");
    const std::string year = digits == std::string::npos ? "" : value.substr(digits);
    if (year.size() == 2 && year > "20" && year < "90")
      line_.compiling.push_back("-std=" + value);
  }

  void add_input(const std::string &file) {
    static const std::array<std::pair<std::string_view, Language>, 9> endings{
        {{".cu", Language::cuda},
         {".cpp", Language::cpp},
         {".cc", Language::cpp},
         {".cxx", Language::cpp},
         {".c", Language::c},
         {".o", Language::linked},
         {".obj", Language::linked},
         {".a", Language::linked},
         {".so", Language::linked}}};
    const std::string ending = fs::path(file).extension();
    const auto known =
        std::ranges::find_if(endings, [&](const auto &one) { return one.first == ending; });
    if (known != endings.end() && known->second == Language::linked)
      line_.inputs.push_back({file, Language::linked});
    else if (language_)
      line_.inputs.push_back({file, *language_});
    else // of what is of no kind that it knows, nvcc lets the linker say what it thinks
      line_.inputs.push_back({file, known != endings.end() ? known->second : Language::linked});
  }

  CommandLine line_;
  std::optional<Language> language_;
  bool forwards_ = false;
};

} // namespace

std::string CommandLine::named_after(const Input &input, std::string_view ending) const {
  fs::path name = fs::path(input.file).filename();
  name.replace_extension(ending);
  return (fs::path(folder) / name).string();
}

CommandLine read_command_line(const Words &words) {
  return Reader().read(with_files_opened(words));
}

} // namespace emu_nvcc
