#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "exercises/check_build.hpp"

#include <fmt/format.h>
#include <mutex>
#include <unistd.h>

namespace tutor {
namespace {

void must_compile(const Command &command, const fs::path &source) {
  if (const Captured end = capture(command); end.exit_code != 0) {
    throw failure("the checker {} does not compile:\n{}", source, end.output);
  }
}

/// Commands for a checker that CMake does not know.
class ExtraBuild {
public:
  ExtraBuild(const CheckTools &tools, const fs::path &source, fs::path folder)
      : tools_(tools), source_(fs::absolute(source)), folder_(std::move(folder)) {
    fs::create_directories(folder_);
  }

  BuiltChecker build() {
    if (!tools_.has("judge")) {
      return {{compile(source_, "checker")}, {}, {}};
    }
    const fs::path judge = folder_ / "judge.cu", calls = folder_ / "calls.cu";
    must_compile({tools_.get("roles")[0], source_.string(), judge.string(), calls.string()},
                 source_);
    const BuiltChecker built{{compile(judge, "judge")},
                             {compile(calls, "calls")},
                             folder_ / fmt::format("judge.{}", getpid())};
    Command link = tools_.get("link");
    const Command &parts = tools_.get("judge"), &libraries = tools_.get("judge_libraries");
    append(link, parts);
    append(link, {built.objects[0].string(), "-o", built.judge.string()});
    append(link, libraries);
    must_compile(link, source_);
    return built;
  }

private:
  fs::path compile(const fs::path &input, const std::string &name) {
    const fs::path object = folder_ / (name + ".o");
    const fs::path unfinished = fmt::format("{}.{}", object, getpid());
    Command command = tools_.get("compile_" + name);
    append(command,
           {"-I" + source_.parent_path().string(),
            "-MMD",
            "-MF",
            (folder_ / (name + ".d")).string(),
            "-w",
            "-c",
            input.string(),
            "-o",
            unfinished.string()});
    must_compile(command, source_);
    fs::rename(unfinished, object);
    return object;
  }

  const CheckTools &tools_;
  fs::path source_, folder_;
};

/// What the checker and its own headers hold: the compiler has noted which it read.
std::string content_of(const fs::path &source, const fs::path &note) {
  std::string content = sha256(read_file(source));
  if (!fs::exists(note)) {
    return content;
  }
  std::string name; // blanks in names stand behind a backslash
  const std::string words = read_file(note) + " ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool escaped = words[i] == '\\' && words[i + 1] == ' ';
    if (escaped || std::isspace(static_cast<unsigned char>(words[i])) == 0) {
      name += words[escaped ? ++i : i];
      continue;
    }
    content += fs::is_regular_file(name) ? sha256(read_file(name)) : "";
    name.clear();
  }
  return sha256(content);
}

/// The judges that this process has linked: gone when it ends.
struct LinkedJudges {
  struct Linked {
    std::string content;
    BuiltChecker built;
  };
  std::mutex one_at_a_time;
  std::map<fs::path, Linked> by_folder;
  ~LinkedJudges() {
    for (const auto &[folder, linked] : by_folder) {
      std::error_code ignored;
      fs::remove(linked.built.judge, ignored);
    }
  }
};

} // namespace

CheckTools::CheckTools(const fs::path &root, Backend backend)
    : folder_(Build(root, backend).folder() / "exercises") {
  fs::path file = folder_ / "tools.txt";
  if (!fs::exists(file)) {
    throw failure("{} is missing; ./tutor check makes it", file);
  }
  for (const std::string &line : split(read_file(file), '\n')) {
    std::vector<std::string> words = split(line, '\t');
    std::string key = words.front();
    words.erase(words.begin());
    std::erase(words, "");
    words_[key] = std::move(words);
  }
}

const Command &CheckTools::get(const std::string &key) const {
  auto found = words_.find(key);
  if (found == words_.end()) {
    throw failure("{}/tools.txt has no line '{}'", folder_, key);
  }
  return found->second;
}

BuiltChecker CheckTools::checker(const Exercise &exercise) const {
  fs::path note = folder_ / exercise.chapter / (exercise.name + ".o.txt");
  if (!fs::exists(note)) {
    throw failure("{} is not built: is add_exercises({}) in CMakeLists.txt?",
                  exercise.id(),
                  exercise.chapter);
  }
  std::vector<std::string> lines = split(read_file(note), '\n');
  lines.resize(3);
  BuiltChecker built{{lines[0]}, {}, lines[2]};
  if (!lines[1].empty()) {
    built.calls.emplace_back(lines[1]);
  }
  return built;
}

BuiltChecker CheckTools::extra_checker(const fs::path &extra) const {
  static LinkedJudges linked;
  const std::lock_guard lock(linked.one_at_a_time);
  // Always in the same place, so that the same source gives the same object to the byte.
  const std::string place = sha256(fs::absolute(extra).string()).substr(0, 16);
  const fs::path folder = folder_ / "extra" / place, note = folder / "judge.d";
  LinkedJudges::Linked &mine = linked.by_folder[folder];
  if (mine.content.empty() || mine.content != content_of(extra, note)) {
    mine.content.clear();
    mine.built = ExtraBuild(*this, extra, folder).build();
    mine.content = content_of(extra, note);
  }
  return mine.built;
}

} // namespace tutor
