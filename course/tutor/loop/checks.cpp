#include "loop/checks.hpp"

#include <exception>
#include <utility>

namespace tutor {

BackgroundChecks::~BackgroundChecks() {
  stop();
  checks_.clear(); // joins them
}

void BackgroundChecks::tell(Check &check, const std::function<void(CheckNews &)> &what) {
  {
    std::lock_guard lock(mutex_);
    if (check.given_up) {
      return;
    }
    what(check.news);
  }
  wake_();
}

void BackgroundChecks::start(Work work) {
  stop();
  std::lock_guard lock(mutex_);
  std::erase_if(checks_, [](const Check &check) { return check.ended; });
  Check &check = checks_.emplace_back();
  check.thread = std::jthread([this, &check, work = std::move(work)](std::stop_token stop) {
    try {
      const Result result = work(stop, [&](std::string_view phase) {
        tell(check, [&](CheckNews &news) { news.phase = phase; });
      });
      tell(check, [&](CheckNews &news) { news.result = result; });
    } catch (const std::exception &error) {
      tell(check, [&](CheckNews &news) { news.trouble = error.what(); });
    }
    std::lock_guard lock(mutex_);
    check.ended = true;
  });
}

void BackgroundChecks::stop() {
  std::lock_guard lock(mutex_);
  for (Check &check : checks_) {
    check.given_up = true;
    check.news = {};
    check.thread.request_stop();
  }
}

CheckNews BackgroundChecks::take() {
  std::lock_guard lock(mutex_);
  return checks_.empty() ? CheckNews{} : std::exchange(checks_.back().news, {});
}

} // namespace tutor
