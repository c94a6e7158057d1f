#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/sha256.hpp"
#include "commands/exercises.hpp"
#include "commands/python.hpp"
#include "commands/recording.hpp"
#include "exercises/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <thread>

/// \file
/// `test`: the tests of CTest by their names; what they need built, and nothing else; receipts of what
/// has passed.

namespace tutor::commands {
namespace {

constexpr const char *everything = "all"; // a target
constexpr int receipts_version = 1;
constexpr std::uint64_t most_seeds = 64; // of what each run tries with a few

/// One test of CTest.
struct Test {
  std::string name;
  Command command;
  std::vector<std::string> environment; ///< NAME=VALUE
  std::set<std::string> targets; ///< what must be built before; none for a script
};

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// What is built of the files that a word of a command names: a program, or several in a line for a shell.
std::set<std::string> targets_in(const std::string &word, const fs::path &built) {
  std::set<std::string> targets;
  const std::string folder = built.string() + "/";
  for (std::size_t at = word.find(folder); at != std::string::npos;
       at = word.find(folder, at + 1)) {
    const std::size_t begin = at + folder.size();
    const std::string target = word.substr(begin, word.find_first_of(" ;'\"\\", begin) - begin);
    if ((at == 0 || word[at - 1] == ' ' || word[at - 1] == '\'') &&
        fs::path(target).has_parent_path() && !fs::is_directory(folder + target)) {
      targets.insert(target);
    }
  }
  return targets;
}

/// The tests of a build, as CMake has written them down for CTest, which itself names no program that
/// is not built yet.
std::vector<Test> tests_of(const Build &build) {
  static const std::regex written{
      R"re((add_test|set_tests_properties)\(\[=*\[(.+?)\]=*\] (.*)\))re"};
  static const std::regex quoted{R"re("((?:[^"\\]|\\.)*)")re"},
      environment{R"re( ENVIRONMENT "([^"]*)")re"};
  std::map<std::string, Test> tests;
  fs::recursive_directory_iterator entry(build.folder());
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && fs::exists(entry->path() / "CMakeCache.txt")) {
      entry.disable_recursion_pending(); // a build of its own, which a test has made
    }
    if (entry->path().filename() != "CTestTestfile.cmake") {
      continue;
    }
    for (const std::string &line : lines_of(read_file(entry->path()))) {
      std::smatch parts;
      if (!std::regex_match(line, parts, written)) {
        continue;
      }
      const std::string name = parts[2], words = parts[3];
      Test &test = tests[name];
      test.name = name;
      if (parts[1] == "set_tests_properties") {
        if (words.find("LABELS \"everything\"") != std::string::npos) {
          test.targets = {everything};
        }
        if (std::regex_search(words, parts, environment)) {
          test.environment = split(parts[1].str(), ';');
        }
        continue;
      }
      for (std::sregex_iterator found(words.begin(), words.end(), quoted), end; found != end;
           ++found) {
        const std::string word = (*found)[1];
        test.command.push_back(word);
        test.targets.merge(targets_in(word, build.folder()));
      }
      if (name.starts_with("exercise.")) {
        test.targets.insert(name);
      }
    }
  }
  std::vector<Test> all;
  std::ranges::transform(
      tests, std::back_inserter(all), [](const auto &one) { return one.second; });
  return all;
}

/// tests/lessons and exercises/05_reduction/block_sum as the tests there are called; 05.2 as its exercise's.
std::string name_meant(const Course &course, std::string word) {
  if (std::regex_match(word, std::regex(R"(\d+\.\d+)"))) {
    word = "exercises/" + find_exercise(exercises_of(course), word).id();
  }
  while (word.ends_with('/')) {
    word.pop_back();
  }
  for (const auto &[folder, prefix] : {std::pair("tests/", ""),
                                       std::pair("exercises/", "exercise/"),
                                       std::pair("chapters/", "")}) {
    if (word.starts_with(folder)) {
      word = prefix + word.substr(std::string_view(folder).size());
    }
  }
  std::ranges::replace(word, '/', '.');
  return word;
}

bool is_meant(const Test &test, const std::string &name) {
  return test.name == name || test.name.starts_with(name + ".") || test.name.ends_with("." + name);
}

std::vector<Test>
chosen(const Course &course, const std::vector<Test> &all, const std::vector<std::string> &words) {
  if (words.empty()) {
    return all;
  }
  std::set<std::string> names;
  for (const std::string &word : words) {
    const std::string name = name_meant(course, word);
    bool found = false;
    std::vector<std::string> near;
    for (const Test &test : all) {
      if (is_meant(test, name)) {
        names.insert(test.name);
        found = true;
      } else if (test.name.find(name) != std::string::npos ||
                 edit_distance(test.name, name) <= 1 + name.size() / 4 ||
                 edit_distance(test.name.substr(test.name.rfind('.') + 1), name) <=
                     1 + name.size() / 4) {
        near.push_back(test.name);
      }
    }
    if (!found) {
      constexpr std::size_t most = 8;
      near.resize(std::min(near.size(), most));
      throw wrong_usage("no test '{}'; {}",
                        word,
                        near.empty() ? "ctest --preset cpu -N lists them"
                                     : fmt::format("near to it: {}", fmt::join(near, ", ")));
    }
  }
  std::vector<Test> result;
  std::ranges::copy_if(
      all, std::back_inserter(result), [&](const Test &test) { return names.contains(test.name); });
  return result;
}

/// What each file that ninja makes is made of.
std::map<std::string, std::vector<std::string>> graph_of(const fs::path &built) {
  Command query{"ninja", "-t", "query"};
  for (const std::string &line :
       lines_of(capture({"ninja", "-t", "targets", "all"}, built).output)) {
    query.push_back(line.substr(0, line.rfind(": ")));
  }
  std::map<std::string, std::vector<std::string>> graph;
  std::vector<std::string> *inputs = nullptr;
  bool are_inputs = false; // the lines that follow, which are indented twice
  for (const std::string &line : lines_of(capture(query, built).output)) {
    if (!line.starts_with(' ')) {
      inputs = &graph[line.substr(0, line.rfind(':'))];
    } else if (!line.starts_with("    ")) {
      are_inputs = line.starts_with("  input:");
    } else if (are_inputs) {
      inputs->push_back(line.substr(line.find_first_not_of(" |")));
    }
  }
  return graph;
}

/// Hashes of what tests are made of and read: each file once.
class Receipts {
public:
  Receipts(const Course &course, const Build &build)
      : course_(course), build_(build), graph_(graph_of(build.folder())) {
    for (const char *tool :
         {"c++", "clang++", "nvcc", "python3", "node", "cmake", "ninja", "bash"}) {
      if (const auto found = find_program(tool)) {
        tools_ += of_tool(*found);
      }
    }
    tools_ += of_tool(lines_of(capture({"c++", "-print-prog-name=cc1plus"}).output).front());
  }

  /// What a test's outcome depends on: its command, its targets with all that they are made of, the
  /// files that it may read, and the tools.
  std::string of(const Test &test) {
    std::string all = tools_ + shell_text(test.command);
    for (const std::string &target : test.targets) {
      all += of_target(target);
    }
    return sha256(all + of_data(test.name));
  }

private:
  /// Of a tool, as of a precompiled header, not its bytes, which are 100 million of some: another one has
  /// another size, or came at another time.
  static std::string of_tool(const fs::path &file) {
    if (!fs::is_regular_file(file)) {
      return "none\n";
    }
    return fmt::format("{} {} {}\n",
                       fs::canonical(file),
                       fs::file_size(file),
                       fs::last_write_time(file).time_since_epoch().count());
  }

  /// An object's bytes are those of what is linked of it.
  const std::string &of_file(const fs::path &file) {
    std::string &hash = files_[file.string()];
    if (hash.empty() && file.extension() == ".o") {
      hash = "object";
    } else if (hash.empty()) {
      const bool whole = fs::is_regular_file(file) && file.extension() != ".gch";
      hash = whole ? sha256(read_file(file)) : of_tool(file);
    }
    return hash;
  }

  const std::string &of_target(const std::string &target) {
    std::string &hash = targets_[target];
    if (hash.empty()) {
      std::string all = target + of_file(build_.folder() / target);
      for (const std::string &input : graph_[target]) {
        all += of_target(input);
      }
      hash = sha256(all);
    }
    return hash;
  }

  /// A chapter's program reads nothing, an exercise's proof the exercise, others whatever there is.
  const std::string &of_data(const std::string &name) {
    std::vector<std::string> folders{"."};
    static const std::regex exercise{R"(exercise\.([^.]+)\..*)"},
        chapter{R"(\d\d_\w+\.(check|hazards))"};
    std::smatch found;
    if (std::regex_match(name, found, exercise)) {
      folders = {"exercises/" + found[1].str(), "solutions/" + found[1].str()};
    } else if (std::regex_match(name, chapter)) {
      folders = {};
    }
    std::string &hash = data_[fmt::format("{}", fmt::join(folders, " "))];
    if (hash.empty()) {
      Command list{"git", "ls-files", "-co", "--exclude-standard", "--"};
      append(list, folders);
      std::string all;
      const Captured listed = folders.empty() ? Captured{0, ""} : capture(list, course_.root());
      for (const std::string &file : lines_of(listed.output)) {
        all += file + of_file(course_.root() / file);
      }
      hash = sha256(all);
    }
    return hash;
  }

  const Course &course_;
  const Build &build_;
  std::map<std::string, std::vector<std::string>> graph_;
  std::string tools_;
  std::map<std::string, std::string> files_, targets_, data_;
};

/// The tests that CTest says have passed: what was skipped has not.
std::set<std::string> passed_in(const fs::path &junit) {
  static const std::regex passed{R"re(<testcase name="([^"]+)"[^>]* status="run")re"};
  const std::string text = fs::exists(junit) ? read_file(junit) : "";
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), passed), end; found != end; ++found) {
    names.insert((*found)[1]);
  }
  return names;
}

/// The receipts that were kept: the name of a test, and what it depended on when it passed.
std::map<std::string, std::string> kept_in(const fs::path &file) {
  const auto json = read_json(file);
  const bool good = json.is_object() && json.value("version", 0) == receipts_version;
  return good ? json.at("tests").get<std::map<std::string, std::string>>()
              : std::map<std::string, std::string>{};
}

std::string pattern_of(const std::vector<Test> &tests) {
  std::vector<std::string> names;
  std::ranges::transform(tests, std::back_inserter(names), [](const Test &test) {
    return std::regex_replace(test.name, std::regex("\\."), "\\.");
  });
  return fmt::format("^({})$", fmt::join(names, "|"));
}

/// The tests in orders that seeds draw, in many more of them than each test run takes.
/// \return how many runs there were
std::size_t try_orders(const std::vector<Test> &tests) {
  static const std::regex first_order{R"((.*)\.schedule_1)"};
  std::size_t runs = 0;
  for (const Test &test : tests) {
    if (!std::regex_match(test.name, first_order)) {
      continue;
    }
    for (std::uint64_t seed = 1; seed <= most_seeds; ++seed, ++runs) {
      Command command{"env"};
      append(command, test.environment);
      command.push_back(fmt::format("EMU_SCHEDULE={}", seed));
      append(command, test.command);
      const Captured done = capture(command);
      if (done.exit_code != 0) {
        throw failure("{}failed: {}", done.output, shell_text(command));
      }
    }
    fmt::print("pass {} in {} orders\n", test.name, most_seeds);
    std::fflush(stdout);
  }
  return runs;
}

/// How long processes that we have waited for have worked.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The commit of a checkout in which nothing has changed since.
std::string clean_commit(const Course &course) {
  const auto git = [&](Command words) {
    words.insert(words.begin(), "git");
    return capture(words, course.root());
  };
  const Captured changes = git({"status", "--porcelain"}), commit = git({"rev-parse", "HEAD"});
  if (changes.exit_code != 0 || commit.exit_code != 0 || !changes.output.empty()) {
    throw wrong_usage("--all is recorded with its commit: commit what has changed first");
  }
  return lines_of(commit.output).front();
}

/// What each test run takes a share of, whole: seeds of right answers and orders of threads. Records it.
void run_whole(const Course &course,
               const std::vector<Test> &tests,
               const std::set<std::string> &passed,
               nlohmann::ordered_json record) {
  record["tests_passed"] = passed.size();
  std::vector<std::string> skipped;
  for (const Test &test : tests) {
    if (!passed.contains(test.name)) {
      skipped.push_back(test.name);
    }
  }
  record["tests_skipped"] = skipped;
  record["orders"] = try_orders(tests);
  AuthorRequest answers;
  answers.seeds = most_seeds;
  answers.built = true;
  if (author(course, answers) != Exit::ok) {
    throw failure("what is right fails on some seeds: see above");
  }
  record["seeds"] = most_seeds;
  record["cpu_seconds"] = std::round(cpu_seconds());
  const fs::path file = course.root() / "docs/results/tests.json";
  write_records(course, file, record);
  fmt::print("All holds; it is recorded in {}\n", file);
}

} // namespace

Exit test(const Course &course, const TestRequest &asked) {
  nlohmann::ordered_json record{{"version", 1}};
  if (asked.all) {
    if (asked.changed || !asked.names.empty()) {
      throw wrong_usage("--all stands alone: it leaves nothing out");
    }
    record["commit"] = clean_commit(course);
  }
  Build build(course.root(), Backend::cpu);
  std::vector<Test> tests;
  std::set<std::string> targets{everything};
  if (!asked.names.empty()) {
    build.build_all({"tutor"}, "configuring");
    tests = chosen(course, tests_of(build), asked.names);
    targets.clear();
    for (const Test &test : tests) {
      targets.insert(test.targets.begin(), test.targets.end());
    }
  }
  if (targets.contains(everything)) {
    require_program("doxygen", "doxygen");
    require_program("python3", "python3");
    targets = {everything};
  }
  if (!targets.empty()) {
    build.build_all({targets.begin(), targets.end()}, "building what is tested");
  }
  if (asked.names.empty()) {
    tests = tests_of(build);
  }

  const fs::path file = build.folder() / "receipts.json",
                 junit = build.folder() / "Testing/passed.xml";
  std::map<std::string, std::string> kept = kept_in(file), now;
  if (capture({"git", "rev-parse", "--git-dir"}, course.root()).exit_code == 0) {
    Receipts receipts(course, build);
    for (const Test &test : tests) {
      now[test.name] = receipts.of(test);
    }
  } else if (asked.changed) {
    throw lacking(
        "--changed compares the files that git knows, and this is no checkout; leave it out");
  }
  if (asked.changed) {
    std::vector<std::string> unchanged;
    for (const Test &test : tests) {
      if (kept.contains(test.name) && kept[test.name] == now[test.name]) {
        unchanged.push_back(test.name);
      }
    }
    std::erase_if(tests, [&](const Test &test) {
      return std::ranges::find(unchanged, test.name) != unchanged.end();
    });
    fmt::print("{} of {} tests are unchanged since they passed: {}\n",
               unchanged.size(),
               unchanged.size() + tests.size(),
               fmt::join(unchanged, " "));
    if (tests.empty()) {
      return Exit::ok;
    }
  }
  std::fflush(stdout);
  fs::remove(junit);
  // One more than there are cores, as some tests wait: for processes, and for what must not come.
  Command ctest{"ctest",
                "--preset",
                "cpu",
                fmt::format("-j{}", std::thread::hardware_concurrency() + 1),
                "--output-junit",
                junit.string()};
  if (asked.changed || !asked.names.empty()) {
    append(ctest, {"-R", pattern_of(tests)});
  }
  if (asked.changed) { // what has prepared others is unchanged, or among the chosen ones itself
    append(ctest, {"-FA", "."});
  }
  append(ctest, asked.ctest);
  const int code = tutor::run(ctest, course.root());
  fmt::print("Building and testing took {:.0f} CPU seconds\n", cpu_seconds());
  if (asked.all && code == 0) {
    run_whole(course, tests, passed_in(junit), record);
  }

  if (!now.empty()) {
    for (const Test &test : tests) {
      kept.erase(test.name); // it may have failed, of what it has passed of before
    }
    for (const std::string &name : passed_in(junit)) {
      if (now.contains(name)) { // not so one that prepares those that were named
        kept[name] = now[name];
      }
    }
    write_file(file, nlohmann::json{{"version", receipts_version}, {"tests", kept}}.dump(1) + "\n");
  }
  return code == 0 ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
