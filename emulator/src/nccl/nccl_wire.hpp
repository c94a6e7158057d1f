/// \file
/// What processes say to each other about NCCL: whole messages over a TCP connection, between programs of the
/// same build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace emu::wire {

enum class Kind : uint32_t {
  join, // Join; a rank comes
  joined, // Answer; all ranks are there, or it is refused
  post, // Posted, and what the rank sends; its part of an operation
  done, // Answer, and what the rank receives
  alive, // a text: it has worked, or what its host waits for
  leave // a rank goes; tag 1: it aborts
};

struct Head {
  Kind kind;
  uint32_t tag; // of the part that it is about
  uint64_t bytes; // that follow
};

constexpr size_t place_size = 96;

/// A text of limited length that travels in a message.
template <size_t size> struct Text {
  char text[size];
  void operator=(std::string_view from) {
    const size_t length = from.size() < size ? from.size() : size - 1;
    from.copy(text, length);
    text[length] = '\0';
  }
  std::string string() const { return {text, strnlen(text, size)}; }
};

struct Join {
  uint64_t secret, clique; // of the id
  int32_t ranks, rank, device;
  Text<128> host;
  Text<place_size> place;
};

struct Posted {
  uint32_t kind, type, operation;
  int32_t other;
  uint64_t count;
  Text<place_size> place;
};

struct Answer {
  uint32_t result; // an ncclResult_t
  Text<32> hazard; // its kind; empty: none
  Text<600> text; // what went wrong
};

inline Answer answer_of(uint32_t result, std::string_view hazard, std::string_view text) {
  Answer answer = {};
  answer.result = result;
  answer.hazard = hazard;
  answer.text = text;
  return answer;
}

/// One end of a connection; closed with it.
class Socket {
public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;

  int descriptor() const { return descriptor_; }
  /// Both ends learn of it; whoever waits for a message gets none.
  void hang_up();
  /// A whole message, from any thread. \return false if the other end has gone
  bool send(Kind kind, uint32_t tag, std::string_view first, std::string_view second = {});
  template <class Fields>
  bool send(Kind kind, uint32_t tag, const Fields &fields, std::string_view bytes = {}) {
    static_assert(std::is_trivially_copyable_v<Fields>);
    return send(
        kind, tag, std::string_view(reinterpret_cast<const char *>(&fields), sizeof fields), bytes);
  }
  /// Waits for a message. \return nothing if the other end has gone, or sends more than `most` bytes
  std::optional<Head> receive(std::vector<char> &bytes, uint64_t most = UINT64_MAX);
  /// readable() and poll() speak of so many bytes that have come, or of the end.
  void wait_for_bytes(int count);
  /// Whether one begins to come within this time.
  bool readable(int milliseconds);

private:
  const int descriptor_;
  std::mutex sending_;
};

/// The fields that a message begins with. \return false if it is too short for them
template <class Fields> bool fields_of(const std::vector<char> &bytes, Fields &fields) {
  static_assert(std::is_trivially_copyable_v<Fields>);
  if (bytes.size() < sizeof fields)
    return false;
  __builtin_memcpy(&fields, bytes.data(), sizeof fields);
  return true;
}

/// What an ncclUniqueId says: who waits where.
struct Address {
  uint64_t secret = 0, clique = 0;
  int process = 0, port = 0; // port 0: nobody outside of that process can come
  std::string host; // as this_host() has it
  std::string ip; // of the machine, for others

  std::string text() const;
  static std::optional<Address> from(const char *text, size_t size);
};

/// A socket that waits for connections on any port. \return -1 where the system allows none
/// \param from_others  other machines can reach it
int listen_on_any_port(int &port, bool from_others);
/// This machine's address that others can reach; "127.0.0.1" if there is none.
std::string ip_of_this_machine();
/// \return -1 if nobody is there
int connect_to(const Address &address);

} // namespace emu::wire
