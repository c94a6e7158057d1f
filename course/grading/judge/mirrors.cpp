#include "judge/mirrors.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace judge {

Mirrors &mirrors() {
  static Mirrors &made = *new Mirrors; // used by destructors of the checker's own globals
  return made;
}

void *Mirrors::add(std::uint64_t remote, std::size_t bytes) {
  constexpr std::size_t page = 4096; // as CUDA aligns it, or better
  void *local = std::aligned_alloc(page, (bytes + page) / page * page);
  if (local == nullptr)
    throw std::bad_alloc();
  mirrors_.push_back({{static_cast<char *>(local), std::free}, remote, bytes, {}});
  mirrors_.back().exchanged.resize(bytes);
  std::memset(local, 0, bytes);
  set_limits();
  return local;
}

std::uint64_t Mirrors::remove(const void *local) {
  const auto found = std::find_if(
      mirrors_.begin(), mirrors_.end(), [&](const Mirror &m) { return m.local.get() == local; });
  if (found == mirrors_.end())
    return reinterpret_cast<std::uint64_t>(local);
  const std::uint64_t remote = found->remote;
  mirrors_.erase(found);
  set_limits();
  return remote;
}

const Mirrors::Mirror *Mirrors::find(const void *address) const {
  const auto *wanted = static_cast<const char *>(address);
  for (const Mirror &mirror : mirrors_)
    if (wanted >= mirror.local.get() && wanted < mirror.local.get() + std::max(mirror.bytes, 1ul))
      return &mirror;
  return nullptr;
}

std::uint64_t Mirrors::to_remote(std::uint64_t address) const {
  const auto *local = reinterpret_cast<const char *>(address);
  const Mirror *mirror = find(local);
  return mirror ? mirror->remote + static_cast<std::uint64_t>(local - mirror->local.get())
                : address;
}

std::uint64_t Mirrors::to_local(std::uint64_t address) const {
  for (const Mirror &mirror : mirrors_)
    if (address >= mirror.remote && address - mirror.remote < mirror.bytes)
      return reinterpret_cast<std::uint64_t>(mirror.local.get()) + (address - mirror.remote);
  return address;
}

void Mirrors::note_touch(const char *first, std::size_t bytes, bool writes) {
  Mirrors &all = mirrors();
  const Mirror *const mirror = all.find(first);
  if (mirror == nullptr)
    return;
  const std::uint64_t at = mirror->remote + static_cast<std::uint64_t>(first - mirror->local.get());
  if (!all.touches_.empty()) {
    Touch &last = all.touches_.back();
    if (last.writes == writes && at >= last.first && at <= last.first + last.bytes) {
      last.bytes = std::max(last.bytes, at + bytes - last.first);
      return;
    }
  }
  all.touches_.push_back({at, bytes, writes});
}

void Mirrors::put_changes(Writer &question) {
  std::vector<std::pair<Mirror *, std::pair<std::size_t, std::size_t>>> changed;
  for (Mirror &mirror : mirrors_) {
    const char *now = mirror.local.get(), *before = mirror.exchanged.data();
    if (std::memcmp(now, before, mirror.bytes) == 0)
      continue;
    std::size_t first = 0, end = mirror.bytes;
    while (now[first] == before[first])
      ++first;
    while (now[end - 1] == before[end - 1])
      --end;
    changed.push_back({&mirror, {first, end}});
  }
  question.put<std::uint64_t>(changed.size());
  for (const auto &[mirror, span] : changed) {
    const auto [first, end] = span;
    question.put(mirror->remote + first);
    question.put_bytes(mirror->local.get() + first, end - first);
    std::memcpy(mirror->exchanged.data() + first, mirror->local.get() + first, end - first);
  }
  question.put<std::uint64_t>(touches_.size());
  for (const Touch &touch : touches_) {
    question.put(touch.first);
    question.put(touch.bytes);
    question.put<std::uint8_t>(touch.writes);
  }
  touches_.clear();
}

void Mirrors::take_changes(Reader &answer) {
  for (std::size_t left = answer.count(); left > 0; --left) {
    const auto at = answer.get<std::uint64_t>();
    const std::string_view bytes = answer.bytes();
    const auto mirror = std::find_if(mirrors_.begin(), mirrors_.end(), [&](const Mirror &m) {
      return at >= m.remote && at - m.remote <= m.bytes &&
             bytes.size() <= m.bytes - (at - m.remote);
    });
    if (mirror == mirrors_.end())
      throw Malformed("bytes of memory that is not shared");
    const std::size_t offset = at - mirror->remote;
    std::memcpy(mirror->local.get() + offset, bytes.data(), bytes.size());
    std::memcpy(mirror->exchanged.data() + offset, bytes.data(), bytes.size());
  }
}

void Mirrors::set_limits() {
  lowest_ = highest_ = nullptr;
  for (const Mirror &mirror : mirrors_) {
    const char *first = mirror.local.get(), *end = first + mirror.bytes;
    lowest_ = lowest_ == nullptr ? first : std::min(lowest_, first);
    highest_ = std::max(highest_, end);
  }
}

} // namespace judge
