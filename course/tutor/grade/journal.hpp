#pragma once

#include "base/descriptor.hpp"
#include "base/paths.hpp"
#include "exercises/result.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

/// \file
/// Results kept as they come, so that a second run goes on where the first one was stopped.

namespace tutor::grading {

/// A result as it is kept.
struct Kept {
  Result result;
  std::int64_t when = 0; ///< nanoseconds since 1970; 0 in journals that did not say yet
};

/// A file with one line of JSON for each result: a line that was cut off costs that result only.
class Journal {
public:
  /// Reads what is there, or, when `fresh`, begins anew. Nobody else can have it open meanwhile.
  /// \throws Failure (failed) when the file cannot be written, or another tutor has it open
  Journal(fs::path file, bool fresh);

  /// The result that was kept under this key (Receipt::key).
  std::optional<Result> find(const std::string &key) const;
  /// Takes what other journals have and this one lacks, or has from before: a grade made anew stays.
  void merge(const fs::path &other);
  /// Keeps a result: it is on its way to the disk when this returns. For several threads.
  void add(const std::string &key, const Result &result);

  std::size_t size() const { return results_.size(); }
  std::size_t damaged_lines() const { return damaged_; }

private:
  using Results = std::map<std::string, Kept>;

  /// \return whether the file ends with the end of a line
  bool read(const fs::path &file, Results &results);
  void append(const std::string &key, const Kept &kept);

  fs::path file_;
  Descriptor descriptor_; ///< locked as long as it is open
  Results results_;
  std::size_t damaged_ = 0;
  std::mutex writing_;
};

/// One result as a line of JSON, without its end of line, and back.
std::string to_line(const std::string &key, const Kept &kept);
/// \return nothing when the line is damaged
std::optional<std::pair<std::string, Kept>> from_line(const std::string &line);

} // namespace tutor::grading
