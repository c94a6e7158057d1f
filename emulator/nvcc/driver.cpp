#include "driver.hpp"

#include "headers.hpp"
#include "process.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace emu_nvcc {
namespace {

/// Objects of a command that makes a program of sources at once; they go with it.
class Scratch {
public:
  Scratch() {
    folder_ = fs::temp_directory_path() / ("emu-nvcc-" + std::to_string(getpid()));
    fs::create_directory(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch &) = delete;
  fs::path object(size_t number) const { return folder_ / (std::to_string(number) + ".o"); }

private:
  fs::path folder_;
};

// As nvcc prints it: CMake looks for the folder of libraries in the linker's command, quoted.
std::string quoted(const std::string &word) {
  return !word.starts_with("-L") && word.find_first_of(" \"'\\$&;()<>|*?") == std::string::npos &&
                 !word.empty()
             ? word
             : "\"" + word + "\"";
}

/// As a shell reads it, in the value of a variable of Ninja's.
std::string in_rules(const Words &command) {
  std::string text;
  for (const std::string &word : command) {
    text += text.empty() ? "'" : " '";
    for (const char c : word)
      text += c == '\'' ? "'\\''" : c == '$' ? "$$" : std::string(1, c);
    text += '\'';
  }
  return text;
}

/// As a file of Ninja's, with a blank in front.
std::string file_in_rules(const fs::path &file) {
  std::string text = " ";
  for (const char c : file.string())
    text += std::string_view("$ :").find(c) == std::string_view::npos ? "" : "$", text += c;
  return text;
}

void append(Words &to, const Words &more) { to.insert(to.end(), more.begin(), more.end()); }

bool is_observed() {
  const char *asked = std::getenv("EMU_OBSERVED");
  return asked != nullptr && std::string_view(asked) != "" && std::string_view(asked) != "0";
}

class Driver {
public:
  Driver(const Toolkit &toolkit, const CommandLine &line) : toolkit_(toolkit), line_(line) {
    compiler_ = line.compiler.empty() ? toolkit.compiler : line.compiler;
  }

  int run_all() {
    if (!line_.ninja.empty())
      return build_by_ninja();
    if (line_.goal == Goal::program || line_.goal == Goal::archive)
      return build();
    if (line_.goal == Goal::device_link)
      return make_empty_object();
    Words compiled;
    for (const Input &input : line_.inputs)
      if (input.language != Language::linked)
        compiled.push_back(input.file);
    if (compiled.size() > 1 && !line_.output.empty())
      throw WrongUsage("-o " + line_.output + " is one file, and there are " +
                       std::to_string(compiled.size()) + " sources; -odir names a folder for all");
    if (compiled.empty())
      throw WrongUsage("give a source: FILE.cu");
    for (const Input &input : line_.inputs)
      if (input.language != Language::linked)
        if (const int status = take(input); status != 0)
          return status;
    return 0;
  }

private:
  int take(const Input &input) {
    if (line_.goal != Goal::object)
      return preprocess(input);
    return start(
        compile(input, line_.output.empty() ? line_.named_after(input, ".o") : line_.output));
  }

  int start(const Words &command) const {
    if (line_.verbose || line_.dry) {
      std::string text;
      for (const std::string &word : command)
        text += " " + quoted(word);
      std::fprintf(stderr, "#$%s\n", text.c_str());
    }
    if (line_.dry)
      return 0;
    const rewriter::Ended ended = rewriter::run(command);
    std::fputs(rewriter::explain_missing_header(ended.said).c_str(), stderr);
    return ended.status;
  }

  /// What every source is compiled with, CUDA or not.
  Words options(const Input &input) const {
    Words words;
    if (input.language != Language::c)
      words = {"-std=gnu++20"};
    if (input.language == Language::cuda) {
      append(words, {"-O2", "-D__CUDACC_VER_BUILD__=88"});
      append(words, toolkit_.kernels);
      append(words, line_.compiling);
      if (is_observed())
        append(words, toolkit_.observed);
    } else {
      append(words, line_.compiling);
    }
    for (const std::string &folder : toolkit_.include)
      append(words, {"-isystem", folder});
    return words;
  }

  Words compile(const Input &input, const std::string &object) const {
    const bool is_cuda = input.language == Language::cuda;
    Words command;
    if (is_cuda)
      command.push_back(toolkit_.rewriter);
    command.push_back(compiler_);
    append(command, options(input));
    if (is_cuda)
      append(command, line_.of_kernels.empty() ? Words{"-arch", "compute_90"} : line_.of_kernels);
    if (!line_.ninja.empty())
      append(command, {"-MD", "-MF", object + ".d"});
    else
      append(command, line_.dependencies);
    if (line_.ninja.empty() && !line_.dependencies.empty()) { // named after what is made of it
      const std::string made = line_.goal == Goal::object ? object
                               : line_.inputs.size() == 1 ? program()
                                                          : line_.named_after(input, ".o");
      if (!has("-MF"))
        append(command, {"-MF", fs::path(made).replace_extension(".d")});
      if (!has("-MT") && !has("-MQ"))
        append(command, {"-MT", made});
    }
    append(command, {"-x", is_cuda ? "cu" : input.language == Language::c ? "c" : "c++"});
    append(command, {"-c", input.file, "-o", object});
    return command;
  }

  // Of the text before the rewriter's turn, as that is what its author wrote.
  int preprocess(const Input &input) const {
    Words command{compiler_};
    append(command, options(input));
    if (input.language == Language::cuda)
      append(command, {"-include", "cuda_runtime.h"});
    append(command, line_.dependencies);
    if (line_.goal == Goal::preprocessed)
      command.emplace_back("-E");
    else if (!has("-MT") && !has("-MQ"))
      append(command, {"-MT", line_.named_after(input, ".o")});
    append(command, {"-x", input.language == Language::c ? "c" : "c++", input.file});
    if (!line_.output.empty())
      append(command, {"-o", line_.output});
    return start(command);
  }

  bool has(const std::string &option) const {
    return std::find(line_.dependencies.begin(), line_.dependencies.end(), option) !=
           line_.dependencies.end();
  }

  int build() const {
    if (line_.inputs.empty())
      throw WrongUsage("give a source: FILE.cu");
    const Scratch scratch;
    Words objects;
    for (size_t i = 0; i < line_.inputs.size(); ++i) {
      const Input &input = line_.inputs[i];
      objects.push_back(input.language == Language::linked ? input.file
                                                           : scratch.object(i).string());
      if (input.language == Language::linked)
        continue;
      if (const int status = start(compile(input, objects.back())); status != 0)
        return status;
    }
    if (line_.goal == Goal::program)
      return start(link(objects));
    Words command{"ar", "rcs", line_.output.empty() ? "a.a" : line_.output};
    append(command, objects);
    return start(command);
  }

  std::string program() const { return line_.output.empty() ? "a.out" : line_.output; }

  Words link(const Words &objects) const {
    Words command{compiler_, "-o", program()};
    append(command, objects);
    append(command, line_.linking);
    append(command, toolkit_.link);
    return command;
  }

  int build_by_ninja() const {
    const fs::path folder = fs::absolute(line_.ninja);
    std::string rules = "builddir =" + file_in_rules(folder) +
                        "\nrule compile\n  command = $what\n  depfile = $out.d\n  deps = gcc\n"
                        "rule link\n  command = $what\n";
    const auto add =
        [&](const char *rule, const fs::path &made, const Words &of, const Words &what) {
          rules += "build" + file_in_rules(made) + ": " + rule;
          for (const std::string &file : of)
            rules += file_in_rules(file);
          rules +=
              "\n  what = cd " + in_rules({fs::current_path()}) + " && " + in_rules(what) + "\n";
        };
    Words objects;
    for (Input input : line_.inputs) {
      if (!fs::exists(input.file))
        throw WrongUsage("there is no file " + input.file);
      input.file = fs::absolute(input.file).lexically_normal();
      objects.push_back(input.language == Language::linked
                            ? input.file
                            : (folder / (std::to_string(objects.size()) + ".o")).string());
      if (input.language != Language::linked)
        add("compile",
            objects.back(),
            {input.file, toolkit_.rewriter},
            compile(input, objects.back()));
    }
    Words of = objects;
    std::ranges::copy_if(toolkit_.link, std::back_inserter(of), [](const std::string &word) {
      return fs::is_regular_file(word);
    });
    add("link", fs::absolute(line_.output), of, link(objects));
    fs::create_directories(folder);
    const std::string file = folder / "build.ninja";
    std::ofstream(file) << rules;
    execlp("ninja", "ninja", "-f", file.c_str(), nullptr);
    throw WrongUsage("cannot start ninja");
  }

  // Device code is linked with the host's.
  int make_empty_object() const {
    Words command{compiler_};
    append(command, {"-x", "c++", "-c", "/dev/null", "-o"});
    command.push_back(line_.output.empty() ? "a_dlink.o" : line_.output);
    return start(command);
  }

  const Toolkit &toolkit_;
  const CommandLine &line_;
  std::string compiler_;
};

} // namespace

Toolkit::Toolkit(fs::path root) : root_(std::move(root)) {
  std::ifstream profile(root_ / "nvcc.profile");
  for (std::string line; std::getline(profile, line);) {
    const size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    for (size_t at; (at = value.find("$(TOP)")) != std::string::npos;)
      value.replace(at, std::string_view("$(TOP)").size(), root_.string());
    if (name == "COMPILER")
      compiler = value;
    else if (name == "REWRITER")
      rewriter = value;
    for (const auto &[list, words] : {std::pair("INCLUDE", &include),
                                      {"KERNELS", &kernels},
                                      {"OBSERVED", &observed},
                                      {"LINK", &link}})
      if (name == list)
        words->push_back(value);
  }
  if (compiler.empty())
    throw WrongUsage((root_ / "nvcc.profile").string() +
                     " is not there, or names no compiler: install the emulator anew");
}

void print_folders(const Toolkit &toolkit) {
  const std::string top = toolkit.root();
  std::string libraries;
  for (const std::string &word : toolkit.link)
    if (word.starts_with("-L"))
      libraries += " " + quoted(word);
  std::fprintf(stderr,
               "#$ TOP=%s\n#$ PATH=%s/bin:%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n"
               "#$ INCLUDES=\"-I%s/include\"\n#$ LIBRARIES= %s\n",
               top.c_str(),
               top.c_str(),
               std::getenv("PATH") ? std::getenv("PATH") : "",
               top.c_str(),
               top.c_str(),
               libraries.c_str());
}

int drive(const Toolkit &toolkit, const CommandLine &line) {
  return Driver(toolkit, line).run_all();
}

} // namespace emu_nvcc
