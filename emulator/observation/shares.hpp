/// \file
/// A program's work, dealt to as many processes as there are cores: instruments look at one thing at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace emu {

/// What one process does of the work.
class Share {
public:
  virtual ~Share() = default;
  /// The next part that is this share's, in rising order; false: there is none. What comes before the first one
  /// is what every share needs, and counts once.
  virtual bool next(size_t &part) = 0;
  /// That part is done. \param told  what whoever dealt the work is to know of it
  virtual void done(const std::string &told) = 0;
  /// The same, and with it the work ends: no later part counts.
  virtual void failed(const std::string &told) = 0;
};

/// Has the parts of some work done, where the program is built for observation in as many processes as there are cores
/// (or EMU_THREADS says), else in this one. Printed and seen is then what it would be if this process had done
/// them, one after the other. Before anything was launched or copied; no part may stand on another.
/// \param work  does one share; what it has made is gone when it returns
/// \return what was told of each part, up to the one that failed
std::vector<std::string> in_shares(size_t parts, const std::function<void(Share &)> &work);

/// All parts in one process, this one.
class OnlyShare final : public Share {
public:
  explicit OnlyShare(size_t parts) : parts_(parts) {}
  bool next(size_t &part) override {
    part = told.size();
    return !failed_ && part < parts_;
  }
  void done(const std::string &text) override { told.push_back(text); }
  void failed(const std::string &text) override {
    told.push_back(text);
    failed_ = true;
  }

  std::vector<std::string> told;

private:
  size_t parts_;
  bool failed_ = false;
};

} // namespace emu
