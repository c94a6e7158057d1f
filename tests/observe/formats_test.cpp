// docs/formats.md has the keys that the programs write: none is missing there, none is dead.
#include "base/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace {

using Json = nlohmann::json;

/// What a value is, in the page's words; of an empty list nothing more is known.
std::string type_of(const Json &value) {
  if (value.is_array()) {
    return value.empty()
               ? "list"
               : "list of " + type_of(value.front()) + (value.front().is_number() ? "s" : "");
  }
  return value.is_boolean()  ? "truth"
         : value.is_number() ? "number"
         : value.is_string() ? "text"
         : value.is_null()   ? "null"
                             : "object";
}

/// The keys under a heading: all of them with their types, and those that are always there.
struct Documented {
  explicit Documented(const std::string &heading) {
    std::istringstream page(tutor::read_file(COURSE_FOLDER "/docs/formats.md"));
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with("## ")) {
        inside = line == "## " + heading;
      } else if (inside && line.starts_with("| `")) {
        const std::string key = line.substr(3, line.find('`', 3) - 3);
        all.insert(key);
        const std::size_t type = line.find("` | ") + 4;
        types[key] = line.substr(type, line.find_first_of("|,", type) - type);
        if (holds(line, "| object")) {
          objects.insert(key);
        }
        if (!holds(line, ", perhaps | ")) {
          always.insert(key);
        }
      }
    }
    REQUIRE(all.size() > 5);
  }
  bool is_typed(const std::string &key, const Json &value) const {
    const auto type = types.find(key);
    return type == types.end() || key == "version" || type->second.starts_with(type_of(value)) ||
           (value.is_null() && holds(type->second, " or null"));
  }
  std::set<std::string> all, always, objects;
  std::map<std::string, std::string> types;
};

/// The keys of a value, as the page writes them; those of the objects that are named are anybody's.
void collect(const Json &value,
             const std::string &at,
             const Documented &page,
             std::set<std::string> &keys) {
  if (value.is_object() && !page.objects.contains(at)) {
    for (const auto &[key, inner] : value.items()) {
      collect(inner, at.empty() ? key : at + "." + key, page, keys);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const Json &inner : value) {
      collect(inner, at + "[]", page, keys);
    }
  } else if (!value.is_array() || !page.all.contains(at + "[]")) {
    const bool of_objects = std::ranges::any_of(
        page.all, [&](const std::string &key) { return key.starts_with(at + "[]."); });
    if (!value.is_array() || !of_objects) { // an empty list of objects shows none of their keys
      keys.insert(at);
      CHECK_MESSAGE(page.is_typed(at, value), "docs/formats.md has another type for ", at);
    }
  }
}

/// What samples of one format have together is what the page says.
void compare(const std::string &heading, const std::vector<std::string> &samples) {
  CAPTURE(heading);
  const Documented page(heading);
  std::set<std::string> written;
  for (const std::string &sample : samples) {
    const Json json = Json::parse(sample, nullptr, false);
    REQUIRE_MESSAGE(json.is_object(), sample);
    CHECK(json.at("version") == 1);
    collect(json, "", page, written);
  }
  for (const std::string &key : written) {
    CHECK_MESSAGE(page.all.contains(key), "docs/formats.md lacks ", key);
  }
  for (const std::string &key : page.always) {
    CHECK_MESSAGE(written.contains(key), "nobody writes ", key);
  }
}

struct Written {
  TemporaryFolder folder;
  fs::path file = folder.path() / "written.json";

  template <class... Values>
  std::string of(const std::string &line, const Values &...values) const {
    fs::remove(file);
    const tutor::Captured ran = real_tutor(line, values...);
    INFO(ran.output);
    REQUIRE(fs::exists(file));
    return tutor::read_file(file);
  }
};

} // namespace

TEST_CASE_FIXTURE(Written, "a chapter's program, its list, and an observation") {
  const std::string program = CHAPTERS_FOLDER "/04_shared_memory_banks/04_shared_memory_banks";
  const auto direct = [&](const std::string &line) {
    fs::remove(file);
    tutor::capture(typed("{} --json {} " + line, program, file));
    REQUIRE(fs::exists(file));
    return tutor::read_file(file);
  };
  compare("A chapter's program",
          {direct("--n 100 --reps 3"), direct("--traps"), direct("--n 33x7 --only v0")});
  compare("What is recorded of a chapter", {direct("--list")});
  compare("An observation",
          {of("observe 04 --json {} -- --only v1 --n 64", file),
           of("observe 04 --json {} -- --only trap_missing_barrier", file),
           of("observe 08 --json {} -- --only v3 --n 1000", file),
           of("observe 12 --json {} -- --only v3 --n 1000", file)});
}

TEST_CASE_FIXTURE(Written, "a verdict, the list, grades") {
  const std::string workspace = folder.path() / "workspace";
  compare("A verdict",
          {of("check 05.2 --backend cpu --workspace {} --json {}", workspace, file),
           of("check bounds_test --backend cpu --workspace {} --json {}", workspace, file)});
  compare("The list", {real_tutor("list --json --workspace {}", workspace).output});
  fs::create_directories(folder.path() / "class/Ada");
  fs::copy(fs::path(workspace) / "05_reduction/block_sum.cu", folder.path() / "class/Ada");
  const tutor::Captured graded =
      real_tutor("grade {} --seed 7 --out {}", folder.path() / "class", file);
  INFO(graded.output);
  compare("Grades", {tutor::read_file(file)});
}

TEST_CASE("the last whole run of the tests") {
  compare("A whole run of the tests", {tutor::read_file(COURSE_FOLDER "/docs/results/tests.json")});
}
