#pragma once

#include "exercises/result.hpp"

#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

/// \file
/// Checks in the background, so that keys stay live.

namespace tutor {

/// What a check in the background has to tell.
struct CheckNews {
  std::optional<std::string> phase;
  std::optional<Result> result;
  std::optional<std::string> trouble; ///< why there will be no result
};

/// Runs one check at a time; of those that were given up nothing is heard any more.
class BackgroundChecks {
public:
  using Phase = std::function<void(std::string_view)>;
  using Work = std::function<Result(std::stop_token, const Phase &)>;

  /// \param wake  called, from another thread, when there is news
  explicit BackgroundChecks(std::function<void()> wake) : wake_(std::move(wake)) {}
  /// Gives up what is going on, and waits for its end.
  ~BackgroundChecks();

  void start(Work work);
  void stop();
  /// What has happened since the last call.
  CheckNews take();

private:
  struct Check {
    CheckNews news;
    bool given_up = false;
    bool ended = false;
    std::jthread thread;
  };
  void tell(Check &check, const std::function<void(CheckNews &)> &what);

  std::function<void()> wake_;
  std::mutex mutex_;
  std::list<Check> checks_; ///< the last one is the one that counts
};

} // namespace tutor
