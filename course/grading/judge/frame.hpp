/// @file
/// What crosses between the judge and the learner's process: frames of bytes, of which neither side
/// believes that they are well made. docs/grading_design.md says what each side may lie about.
///
/// A frame is its length (4 bytes), then so many bytes. The judge asks, the learner's process answers;
/// there is one question at a time. Both run on one machine, so numbers travel as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace judge {

/// Longer frames are refused.
inline constexpr std::size_t longest_frame = 64u << 20;

/// A frame that does not hold what it should.
struct Malformed : std::runtime_error {
  explicit Malformed(const std::string &what) : std::runtime_error(what) {}
};
/// The other side has ended.
struct Gone : std::runtime_error {
  Gone() : std::runtime_error("the other process has ended") {}
};

/// Puts a frame together.
class Writer {
public:
  template <class T> void put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void put_bytes(const void *first, std::size_t count) {
    put<std::uint64_t>(count);
    bytes_.append(static_cast<const char *>(first), count);
  }
  void put_text(std::string_view text) { put_bytes(text.data(), text.size()); }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Takes a frame apart; what it lacks is Malformed.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T> void get(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  template <class T> T get() {
    T value;
    get(value);
    return value;
  }
  std::string_view bytes() { return take(get<std::uint64_t>()); }
  std::string text() { return std::string(bytes()); }
  /// A number of elements, of at least a byte each.
  std::size_t count() {
    const auto elements = get<std::uint64_t>();
    if (elements > rest_.size())
      throw Malformed("a list is longer than its frame");
    return elements;
  }
  bool at_end() const { return rest_.empty(); }

private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size())
      throw Malformed("a frame ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

/// Sends a frame over a connected socket.
/// @throws Gone
void send_frame(int socket, const std::string &bytes);
/// Waits for the next frame.
/// @throws Gone at the end, Malformed if it is too long
std::string receive_frame(int socket);

/// The socket whose number a variable of the environment holds, and leaves nothing there to read; -1 if
/// there is none. For code that runs before constructors do.
int take_socket(const char *variable, char **environment);

} // namespace judge
