#include "exercises/result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tutor {
namespace {

constexpr std::pair<Verdict, std::string_view> verdict_names[] = {
    {Verdict::pass, "pass"},
    {Verdict::fail, "fail"},
    {Verdict::hazard, "hazard"},
    {Verdict::timeout, "timeout"},
    {Verdict::build_error, "build_error"},
    {Verdict::not_run, "not_run"},
};

using Json = nlohmann::ordered_json;

Json json_of(const Result &result) {
  const auto cases = each(result.cases, [](const CaseResult &one) {
    return Json{{"name", one.name}, {"passed", one.passed}, {"message", one.message}};
  });
  std::size_t passed = result.passed_cases();
  Json json;
  json["id"] = result.id;
  json["verdict"] = name_of(result.verdict);
  json["diagnosis"] = result.diagnosis;
  json["message"] = result.message;
  json["where"] = json_of(result.where);
  json["cases"] = {{"passed", passed}, {"failed", result.cases.size() - passed}, {"list", cases}};
  json["counters"] = result.counters;
  json["inputs"] = result.inputs;
  json["inputs_missing"] = result.inputs_missing;
  json["seconds"] = result.seconds;
  json["build_seconds"] = result.build_seconds;
  json["seed"] = result.seed;
  json["log"] = result.log;
  return json;
}

} // namespace

Json json_of(const std::vector<Place> &places) {
  return each(places, [](const Place &place) {
    return Json{{"file", place.file},
                {"line", place.line},
                {"thread", place.thread},
                {"block", place.block},
                {"what", place.what}};
  });
}

std::string_view name_of(Verdict verdict) {
  for (const auto &[value, name] : verdict_names) {
    if (value == verdict) {
      return name;
    }
  }
  return "not_run";
}

std::optional<Verdict> verdict_named(std::string_view name) {
  for (const auto &[value, known] : verdict_names) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

std::size_t Result::passed_cases() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &CaseResult::passed));
}

std::string to_json(const std::vector<Result> &results) {
  const std::vector<Json> list =
      each(results, [](const Result &result) { return json_of(result); });
  // A program may write any bytes; what is no UTF-8 becomes a replacement character.
  return Json{{"version", 1}, {"exercises", list}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace tutor
