/// \file
/// cuda_rewriter: a .cu file and the files it includes, as C++ for the CPU emulator.
///
///     cuda_rewriter IN.cu OUT.cpp [--depfile FILE] [-I DIR]...
///
/// Included files that need it are rewritten too, into a folder beside OUT.cpp.

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lexer.hpp"
#include "rewrite.hpp"
#include "structures.hpp"

namespace fs = std::filesystem;

namespace {

struct Options {
  fs::path in, out, depfile;
  std::vector<fs::path> include_dirs;
};

[[noreturn]] void die(int status, const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(status);
}

Options parse(int argc, char **argv) {
  Options options;
  std::vector<fs::path> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--depfile" && i + 1 < argc)
      options.depfile = argv[++i];
    else if (argument == "-I" && i + 1 < argc)
      options.include_dirs.push_back(argv[++i]);
    else if (argument.rfind("-I", 0) == 0)
      options.include_dirs.push_back(argument.substr(2));
    else
      names.push_back(argument);
  }
  if (names.size() != 2)
    die(2, "usage: cuda_rewriter IN.cu OUT.cpp [--depfile FILE] [-I DIR]...");
  options.in = fs::absolute(names[0]).lexically_normal();
  options.out = fs::absolute(names[1]).lexically_normal();
  return options;
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    die(1, path.string() + ": cannot be read");
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// Writes only what has changed, so that nothing is compiled again without need.
void write_file(const fs::path &path, const std::string &content) {
  if (fs::exists(path) && read_file(path) == content)
    return;
  if (path.has_parent_path())
    fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush())
    die(1, path.string() + ": cannot be written");
}

/// Rewrites one file and, through its #includes, those that it needs.
class Unit {
public:
  explicit Unit(const Options &options) : options_(options) {}

  void run() {
    const std::string body = rewrite_file(options_.in, true);
    // Always written anew: a build tool that sees it unchanged would not compile it again, though a
    // copy that it includes has changed.
    fs::remove(options_.out);
    write_file(options_.out,
               "#include <cuda_runtime.h>\n#line 1 \"" + options_.in.string() + "\"\n" + body +
                   structures());
    if (options_.depfile.empty())
      return;
    std::string rule = escaped(options_.out) + ":";
    for (const fs::path &path : read_)
      rule += " \\\n  " + escaped(path);
    write_file(options_.depfile, rule + "\n");
  }

private:
  static std::string escaped(const fs::path &path) {
    std::string result;
    for (char c : path.string()) {
      if (c == ' ' || c == '#')
        result += '\\';
      result += c;
    }
    return result;
  }

  /// \param moved  the result lies in another folder, so its includes need full paths
  std::string rewrite_file(const fs::path &path, bool moved) {
    read_.insert(path);
    try {
      return rewriter::rewrite(read_file(path), [&](std::string_view name) {
        return included(std::string(name), path, moved);
      });
    } catch (const rewriter::SourceError &error) {
      die(1, path.string() + ":" + std::to_string(error.line) + ": error: " + error.what());
    }
  }

  // Where structures are defined, for the instruments.
  std::string structures() const {
    std::string places;
    for (const fs::path &path : read_) {
      const std::string source = read_file(path);
      for (const int line : rewriter::Structures(source).lines())
        places += "  {\"" + path.string() + "\", " + std::to_string(line) + "},\n";
    }
    return places.empty() ? ""
                          : "\n#ifdef EMU_OBSERVED\nEMU_STRUCTURES = {\n" + places + "};\n#endif\n";
  }

  // What stands in place of an included name: the rewritten copy, or the file itself (by its full
  // path if the file that includes it has moved), or the name as it was.
  std::string included(const std::string &quoted, const fs::path &from, bool moved) {
    const fs::path found = find(quoted.substr(1, quoted.size() - 2), from);
    if (found.empty() || quoted[0] == '<')
      return quoted;
    const fs::path copy = copy_of(found);
    return copy == found && !moved ? quoted : '"' + copy.string() + '"';
  }

  fs::path find(const fs::path &name, const fs::path &from) const {
    if (fs::is_regular_file(from.parent_path() / name))
      return (from.parent_path() / name).lexically_normal();
    for (const fs::path &dir : options_.include_dirs) {
      const bool emulators_own = fs::exists(dir / "cuda_runtime.h");
      if (!emulators_own && fs::is_regular_file(dir / name))
        return fs::absolute(dir / name).lexically_normal();
    }
    return {};
  }

  fs::path copy_of(const fs::path &path) {
    const auto known = copies_.find(path);
    if (known != copies_.end())
      return known->second;
    copies_[path] = path; // a file that includes itself ends here
    if (rewrite_file(path, false) == read_file(path))
      return path;
    std::string flat_name = path.string();
    for (char &c : flat_name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_')
        c = '_';
    const fs::path copy = fs::path(options_.out.string() + ".includes") / flat_name;
    write_file(copy, "#line 1 \"" + path.string() + "\"\n" + rewrite_file(path, true));
    return copies_[path] = copy;
  }

  const Options &options_;
  std::set<fs::path> read_;
  std::map<fs::path, fs::path> copies_;
};

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  Unit(options).run();
}
