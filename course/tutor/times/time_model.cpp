#include "times/time_model.hpp"

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using nlohmann::ordered_json;

namespace tutor {
namespace {

fs::path devices_folder(const Course &course) { return course.root() / "emulator/devices"; }

/// The devices that come with the course.
std::vector<std::string> known_devices(const Course &course) {
  std::vector<std::string> names;
  if (fs::is_directory(devices_folder(course))) {
    for (const fs::directory_entry &entry : fs::directory_iterator(devices_folder(course))) {
      if (entry.path().extension() == ".json") {
        names.push_back(entry.path().stem().string());
      }
    }
  }
  std::ranges::sort(names);
  return names;
}

fs::path device_file(const Course &course, const std::string &word) {
  return word.ends_with(".json") ? fs::absolute(word) : devices_folder(course) / (word + ".json");
}

model::Device load_device(const Course &course, const std::string &word) {
  const fs::path file = device_file(course, word);
  if (!fs::is_regular_file(file)) {
    throw wrong_usage("no device '{}'; there are: {}, or a file of yours: DEVICE.json",
                      word,
                      fmt::join(known_devices(course), ", "));
  }
  try {
    return model::read_device(file);
  } catch (const std::exception &error) {
    throw wrong_usage("{}", error.what());
  }
}

/// Milliseconds with three digits, as people read them.
std::string ms_text(double ms) {
  if (ms < 0.1) {
    return fmt::format("{:.3g} us", ms * 1000);
  }
  return ms < 1000 ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.3g} s", ms / 1000);
}

/// Behind a time that takes something for granted.
std::string assumption_text(const model::Prediction &p) {
  return p.assumes.empty() ? "" : fmt::format("; taken for granted: {}", p.assumes);
}

std::string band_text(const model::Prediction &p) {
  return fmt::format("{} to {}", ms_text(p.low), ms_text(p.high));
}

} // namespace

fs::path TimeModel::trace() const { return work_ / fmt::format("launches-{}.trace", getpid()); }

const model::ProgramTrace &TimeModel::followed() const {
  if (!followed_) {
    followed_ = fs::exists(trace()) ? model::read_traces(trace()) : model::ProgramTrace();
  }
  return *followed_;
}

const std::vector<TimeModel::StepTime> &TimeModel::step_times(bool cold_l2) const {
  std::vector<StepTime> &steps = of_steps_[cold_l2];
  if (!steps.empty()) {
    return steps;
  }
  const model::L2State l2 = cold_l2 ? model::L2State::cold : model::L2State::warm;
  const std::vector<model::PartTrace> &parts = followed().parts;
  // What kernels take that stand on a timeline; the others are asked for step by step.
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < launches().size(); ++i) {
    const auto its = std::ranges::find(parts, launches()[i].part, &model::PartTrace::part);
    if (its != parts.end() && model::needs_timeline(*its)) {
      wanted.push_back(i);
    }
  }
  std::vector<model::Prediction> kernels(launches().size());
  in_parallel(wanted.size(), [&](std::size_t i) {
    kernels[wanted[i]] = model::predict_launch(launches()[wanted[i]], device_, l2);
  });
  steps.resize(parts.size());
  in_parallel(steps.size(), [&](std::size_t i) {
    const model::PartTrace &part = parts[i];
    steps[i].name = part.part;
    if (model::needs_timeline(part)) {
      steps[i].prediction = model::predict_timeline(part, kernels, device_);
      return;
    }
    std::vector<const model::LaunchTrace *> its;
    for (const model::LaunchTrace &launch : launches()) {
      if (launch.part == part.part) {
        its.push_back(&launch);
      }
    }
    steps[i].prediction = model::predict_part(its, device_, l2);
  });
  return steps;
}

const std::vector<TimeModel::KernelTime> &TimeModel::kernel_times() const {
  if (!of_kernels_) {
    of_kernels_.emplace(launches().size());
    in_parallel(of_kernels_->size(), [&](std::size_t i) {
      auto &[prediction, advice] = (*of_kernels_)[i];
      prediction = model::predict_alone(launches()[i], device_);
      if (prediction.refused.empty()) {
        advice =
            model::what_helps_most(launches()[i], device_, model::L2State::warm, prediction.ms);
      }
    });
  }
  return *of_kernels_;
}

TimeModel::TimeModel(const Course &course,
                     const fs::path &build,
                     const std::string &device,
                     fs::path work)
    : build_(build), work_(std::move(work)), device_file_(device_file(course, device)),
      include_folders_(course.include_folders()), headers_{course.root() /
                                                               "course/time_model/device",
                                                           build / "emulator/include",
                                                           course.root() / "emulator/include"},
      device_(load_device(course, device)) {
  fs::create_directories(work_);
}

TimeModel::~TimeModel() {
  std::error_code ignored;
  fs::remove(trace(), ignored);
}

void TimeModel::compile(const std::vector<fs::path> &sources,
                        const std::vector<fs::path> &include_dirs) {
  const std::optional<fs::path> clang = find_program("clang++");
  if (!clang) {
    trouble_ = "the time model reads what clang makes of the kernels, and there is no "
               "clang++ here: apt install clang";
    return;
  }
  ptx_.clear();
  for (const fs::path &source : sources) {
    ptx_ += (ptx_.empty() ? "" : ":") + ptx_of(source, work_).string();
  }
  if (!compile_to_ptx(*clang, sources, include_dirs, headers_, work_) &&
      capture({clang->string(), "--print-targets"}).output.find("nvptx64") == std::string::npos) {
    trouble_ = fmt::format("the time model reads PTX, which {} cannot make: put Debian's "
                           "(apt install clang) or LLVM's "
                           "first in PATH",
                           clang->string());
  }
}

void TimeModel::compile_chapter(const Chapter &chapter) { compile_of(chapter, chapter.kernels()); }

void TimeModel::compile_steps(const Chapter &chapter) {
  compile_of(chapter, sources_of_steps(chapter));
}

void TimeModel::compile_of(const Chapter &chapter, const std::vector<fs::path> &sources) {
  std::vector<fs::path> folders{chapter.folder};
  folders.insert(folders.end(), include_folders_.begin(), include_folders_.end());
  compile(sources, folders);
}

Captured
TimeModel::follow(const fs::path &program, const std::vector<std::string> &arguments, int devices) {
  Command command{"env"};
  append(command, environment(true));
  if (devices > 0) {
    command.push_back(fmt::format("EMU_DEVICES={}", devices));
  }
  command.push_back(program.string());
  append(command, arguments);
  followed_.reset();
  of_steps_.clear();
  of_kernels_.reset();
  Captured said = capture(command);
  size_ = said.output.substr(0, said.output.find('\n')); // see launch_steps() of the ladder
  return said;
}

std::vector<std::string> TimeModel::environment(bool dry) const {
  std::vector<std::string> variables{
      "EMU_MODEL=" + (build_ / "course/time_model/liblaunch_collector.so").string(),
      "EMU_MODEL_PTX=" + ptx_,
      "EMU_MODEL_TRACE=" + trace().string(),
      "EMU_MODEL_DEVICE=" + device_file_.string()};
  if (dry) {
    variables.push_back("EMU_MODEL_DRY=1");
    variables.push_back(fmt::format("EMU_SMS={}", device_.sms));
  }
  return variables;
}

namespace {

/// \param size  that the times are for; empty: the program's own
std::string
headline(const model::Device &device, const std::string &trouble, const std::string &size) {
  if (!trouble.empty()) {
    return fmt::format("\nno times for an {}: {}\n", device.name, trouble);
  }
  return fmt::format("\nabout, on an {}{}, by a model (docs/time_model.md): no GPU was asked\n",
                     device.name,
                     size.empty() ? "" : ", at " + size);
}

ordered_json prediction_json(const model::Prediction &p) {
  if (!p.refused.empty()) {
    return {{"refused", p.refused}};
  }
  ordered_json json{{"ms", p.ms},
                    {"low", p.low},
                    {"high", p.high},
                    {"binds", p.binds},
                    {"term", p.term},
                    {"terms", ordered_json::object()}};
  std::vector<std::pair<std::string, double>> terms(p.terms.begin(), p.terms.end());
  std::ranges::stable_sort(terms, std::greater(), &std::pair<std::string, double>::second);
  for (const auto &[name, ms] : terms) { // the largest first
    json["terms"][name] = ms;
  }
  if (!p.assumes.empty()) {
    json["assumes"] = p.assumes;
  }
  return json;
}

} // namespace

std::string TimeModel::steps_text(bool cold_l2) const {
  const std::vector<StepTime> &steps = step_times(cold_l2);
  if (steps.empty()) {
    return "";
  }
  std::string text = headline(device_, trouble_, size_);
  if (!trouble_.empty()) {
    return text;
  }
  std::size_t width = 0;
  for (const StepTime &step : steps) {
    width = std::max(width, step.name.size());
  }
  for (const auto &[name, p] : steps) {
    text += p.refused.empty() ? fmt::format("  {:{}}  about {:>8}  ({})  {}{}\n",
                                            name,
                                            width,
                                            ms_text(p.ms),
                                            band_text(p),
                                            p.binds,
                                            assumption_text(p))
                              : fmt::format("  {:{}}  no time: {}\n", name, width, p.refused);
  }
  return text;
}

ordered_json TimeModel::steps_json(bool cold_l2) const {
  if (!trouble_.empty()) {
    throw lacking("no times: {}", trouble_);
  }
  ordered_json steps = ordered_json::array();
  for (const auto &[name, p] : step_times(cold_l2)) {
    steps.push_back({{"name", name}});
    steps.back().update(prediction_json(p));
  }
  return {{"device", device_.name}, {"size", size_}, {"steps", steps}};
}

ordered_json TimeModel::kernels_json() const {
  if (!trouble_.empty()) {
    throw lacking("no times: {}", trouble_);
  }
  std::vector<ordered_json> kernels(launches().size()); // without advice, which takes longer
  in_parallel(kernels.size(), [&](std::size_t i) {
    kernels[i] = {{"name", launches()[i].kernel}};
    kernels[i].update(prediction_json(model::predict_alone(launches()[i], device_)));
  });
  return kernels;
}

std::string TimeModel::kernels_text() const {
  std::string text = headline(device_, trouble_, "");
  if (!trouble_.empty()) {
    return text;
  }
  for (std::size_t i = 0; i < launches().size(); ++i) {
    const model::LaunchTrace &launch = launches()[i];
    const auto &[p, advice] = kernel_times()[i];
    text += fmt::format("  {} <<<({}, {}, {}), ({}, {}, {})>>>: ",
                        launch.kernel,
                        launch.grid.x,
                        launch.grid.y,
                        launch.grid.z,
                        launch.block.x,
                        launch.block.y,
                        launch.block.z);
    if (!p.refused.empty()) {
      text += fmt::format("no time: {}\n", p.refused);
      continue;
    }
    text += fmt::format(
        "about {} ({}){}\n    binds: {} · about {} registers a thread, {} blocks per SM\n",
        ms_text(p.ms),
        band_text(p),
        assumption_text(p),
        p.binds,
        p.registers,
        p.blocks_per_sm);
    if (!advice.change.empty()) {
      text += fmt::format("    {}: about {}\n", advice.change, ms_text(advice.ms));
    }
  }
  return text;
}

void TimeModel::add_predictions(ordered_json &report) const {
  const std::vector<model::LaunchTrace> &all = launches();
  for (ordered_json &kernel : report.at("kernels")) {
    ordered_json predicted{{"device", device_.name}};
    const auto same = [&](const ordered_json &extent, const model::Extent &e) {
      return extent[0] == e.x && extent[1] == e.y && extent[2] == e.z;
    };
    const auto found = std::ranges::find_if(all, [&](const model::LaunchTrace &launch) {
      return kernel.at("name") == launch.kernel && same(kernel.at("grid"), launch.grid) &&
             same(kernel.at("block"), launch.block);
    });
    if (found == all.end()) {
      predicted["refused"] = "its launches were not followed";
    } else {
      predicted.update(prediction_json(
          kernel_times()[static_cast<std::size_t>(found - all.begin())].prediction));
    }
    kernel["predicted"] = predicted;
  }
}

} // namespace tutor
