#pragma once

#include "base/paths.hpp"
#include "exercises/exercise.hpp"

#include <optional>
#include <string>
#include <vector>

/// \file
/// The learner's own copies of the exercises. Nothing here ever overwrites or removes what a learner
/// wrote without keeping a copy of it.

namespace tutor {

/// What became of one exercise when the course was compared with the learner's copy.
struct Update {
  enum class Kind {
    current, ///< the course has not changed it
    replaced, ///< the copy was still the old stub, and is the new stub now
    merged, ///< the course's changes are in the learner's file
    conflict, ///< so they are, but in places both had changed the same lines: marked in the file
    moved, ///< the course has renamed it, and the learner's file with it
  };
  Kind kind = Kind::current;
  std::size_t conflicts = 0;
  fs::path file; ///< the learner's
  fs::path backup; ///< the learner's file as it was; empty when nothing was lost
  std::string was; ///< of one that was moved: the id it had, "05_reduction/block_sum"
};

/// A folder of learner's copies: CHAPTER/NAME.cu, and what they were copied from under .stubs.
class Workspace {
public:
  /// \param folder  need not be there yet
  explicit Workspace(fs::path folder);

  /// The folder `--workspace` named, or the course's own.
  static Workspace of(const Course &course, const std::optional<std::string> &folder);

  const fs::path &folder() const { return folder_; }
  /// WORKSPACE/05_reduction/block_sum.cu, there or not.
  fs::path file(const Exercise &exercise) const;
  /// The stub that the learner's copy began as. (Not named .cu: whoever collects the learner's files
  /// must not take it for one of them.)
  fs::path kept_stub(const Exercise &exercise) const;

  /// Copies the stub if the learner has no copy yet, with a page that says where the lesson is.
  /// Returns the learner's file.
  /// \throws Failure (failed) when the folder cannot be written, or the course's stub not be read
  fs::path open(const Exercise &exercise) const;

  /// True while there is no copy, or the copy is the stub that it began as.
  bool untouched(const Exercise &exercise) const;

  /// True when the course has changed the stub since the learner's copy began as it.
  bool outdated(const Exercise &exercise) const;

  /// Puts the stub in the place of the learner's file, which is kept beside it as NAME.cu.bak-N.
  /// Returns the path of that backup, or nothing when there was nothing to keep.
  std::optional<fs::path> reset(const Exercise &exercise) const;

  /// Brings what the course has changed in a stub into the learner's copy.
  Update update(const Exercise &exercise) const;

  /// The exercises of this folder that the course no longer has under that name: their old ids.
  std::vector<std::string> orphans(const std::vector<Exercise> &exercises) const;
  /// If `was` is what the course now calls `exercise` (the same name in another chapter, or the same
  /// stub under another name), moves the learner's file there.
  std::optional<Update> adopt(const std::string &was, const Exercise &exercise) const;

private:
  fs::path kept_stub(const std::string &id) const;
  fs::path back_up(const fs::path &file) const;

  fs::path folder_;
};

/// Writes a file whole or not at all: whoever reads it meanwhile sees the old text or the new one.
/// \throws Failure (failed) when it cannot be written
void write_whole(const fs::path &file, const std::string &text);

/// A path as a learner in the current folder would type it.
std::string typed_path(const fs::path &file);

} // namespace tutor
