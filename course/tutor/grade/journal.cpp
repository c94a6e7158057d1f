#include "grade/journal.hpp"

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/file.h>

namespace tutor::grading {

using Json = nlohmann::json;

std::string to_line(const std::string &key, const Kept &kept) {
  const Result &result = kept.result;
  Json where = Json::array();
  for (const Place &place : result.where) {
    where.push_back({place.file, place.line, place.thread, place.block, place.what});
  }
  Json cases = Json::array();
  for (const CaseResult &one : result.cases) {
    cases.push_back({one.name, one.passed, one.message, one.hidden});
  }
  const Json line{{"key", key},
                  {"id", result.id},
                  {"verdict", name_of(result.verdict)},
                  {"diagnosis", result.diagnosis},
                  {"message", result.message},
                  {"by_hidden", result.by_hidden},
                  {"where", where},
                  {"cases", cases},
                  {"counters", result.counters},
                  {"seconds", result.seconds},
                  {"build_seconds", result.build_seconds},
                  {"hidden_seconds", result.hidden_seconds},
                  {"seed", result.seed},
                  {"log", result.log},
                  {"when", kept.when}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::pair<std::string, Kept>> from_line(const std::string &line) {
  try {
    const Json json = Json::parse(line);
    Result result;
    result.id = json.at("id");
    result.verdict = verdict_named(json.at("verdict").get<std::string>()).value();
    result.diagnosis = json.at("diagnosis");
    result.message = json.at("message");
    result.by_hidden = json.at("by_hidden");
    for (const Json &place : json.at("where")) {
      result.where.push_back({place.at(0), place.at(1), place.at(2), place.at(3), place.at(4)});
    }
    for (const Json &one : json.at("cases")) {
      result.cases.push_back({one.at(0), one.at(1), one.at(2)});
      result.cases.back().hidden = one.at(3);
    }
    result.counters = json.at("counters").get<std::map<std::string, double>>();
    result.seconds = json.at("seconds");
    result.build_seconds = json.at("build_seconds");
    result.hidden_seconds = json.at("hidden_seconds");
    result.seed = json.at("seed");
    result.log = json.at("log");
    return std::pair(json.at("key").get<std::string>(),
                     Kept{result, json.value("when", std::int64_t{0})});
  } catch (const std::exception &) { // cut off, or not ours
    return std::nullopt;
  }
}

/// A pipe would be waited for.
static void expect_file(const fs::path &file) {
  if (fs::exists(file) && !fs::is_regular_file(file)) {
    throw failure("{} is no file; take it away, or name another report with --out", file);
  }
}

Journal::Journal(fs::path file, bool fresh) : file_(std::move(file)) {
  expect_file(file_);
  descriptor_ = Descriptor(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (descriptor_.get() < 0) {
    throw failure("cannot write {}: {}", file_, std::strerror(errno));
  }
  if (flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw failure(
        "another tutor is grading with {}; wait for its end, or name another report with --out",
        file_);
  }
  if (fresh && ftruncate(descriptor_.get(), 0) != 0) {
    ++damaged_;
  }
  if (!read(file_, results_) && ::write(descriptor_.get(), "\n", 1) != 1) {
    ++damaged_;
  }
}

bool Journal::read(const fs::path &file, Results &results) {
  bool ends_in_line = true;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    ends_in_line = !stream.eof();
    if (auto entry = from_line(line)) {
      results.insert_or_assign(entry->first, entry->second);
    } else if (!line.empty()) {
      ++damaged_;
    }
  }
  return ends_in_line;
}

void Journal::merge(const fs::path &other) {
  Results others;
  expect_file(other);
  read(other, others);
  for (const auto &[key, kept] : others) {
    const auto mine = results_.find(key);
    if (mine == results_.end() || mine->second.when < kept.when) {
      append(key, kept);
      results_.insert_or_assign(key, kept);
    }
  }
}

std::optional<Result> Journal::find(const std::string &key) const {
  auto found = results_.find(key);
  return found == results_.end() ? std::nullopt : std::optional(found->second.result);
}

void Journal::add(const std::string &key, const Result &result) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  append(key, {result, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()});
}

void Journal::append(const std::string &key, const Kept &kept) {
  const std::string line = to_line(key, kept) + "\n";
  const std::lock_guard lock(writing_);
  const off_t end = lseek(descriptor_.get(), 0, SEEK_END);
  const ssize_t written = ::write(descriptor_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    const int error = written < 0 ? errno : ENOSPC;
    (void)!ftruncate(descriptor_.get(), end); // half a line would damage the next one
    throw failure("cannot write {}: {}", file_, std::strerror(error));
  }
}

} // namespace tutor::grading
