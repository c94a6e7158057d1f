/// @file
/// Host memory that both processes touch: pinned and managed memory. Each side has a copy; what has
/// changed travels with the next question or answer.
#pragma once

#include "judge/frame.hpp"

#include <memory>
#include <vector>

namespace judge {

/// The judge's copies.
class Mirrors {
public:
  /// @param remote  where the learner's process has it
  /// @return where it is here; filled by the answer that tells of it
  void *add(std::uint64_t remote, std::size_t bytes);
  /// @return where the learner's process had it
  std::uint64_t remove(const void *local);
  bool holds(const void *address) const { return find(address) != nullptr; }

  /// The address that the learner's process knows this one by: itself, unless it lies in a copy.
  std::uint64_t to_remote(std::uint64_t address) const;
  std::uint64_t to_local(std::uint64_t address) const;

  /// The checker reads or writes: if it is a copy, the instruments shall know.
  [[gnu::always_inline]] static void touched(const void *address, std::size_t bytes, bool writes) {
    const auto *first = static_cast<const char *>(address);
    if (first < highest_ && first + bytes > lowest_) [[unlikely]]
      note_touch(first, bytes, writes);
  }

  /// What has changed here since the last exchange, and what was touched.
  void put_changes(Writer &question);
  void take_changes(Reader &answer);

private:
  struct Mirror {
    std::unique_ptr<char, void (*)(void *)> local; ///< never what operator new gives
    std::uint64_t remote;
    std::size_t bytes;
    std::vector<char> exchanged; ///< as both sides know it
  };
  struct Touch {
    std::uint64_t first;
    std::uint64_t bytes;
    bool writes;
  };

  const Mirror *find(const void *address) const;
  static void note_touch(const char *first, std::size_t bytes, bool writes);
  void set_limits();

  std::vector<Mirror> mirrors_;
  std::vector<Touch> touches_;
  inline static constinit const char *lowest_ = nullptr, *highest_ = nullptr; ///< all lie between
};

Mirrors &mirrors();

} // namespace judge
