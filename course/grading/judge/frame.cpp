#include "judge/frame.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace judge {
namespace {

/// \return how many bytes have come, one at least
std::size_t receive(int socket, char *to, std::size_t most) {
  for (;;) {
    const ssize_t got = recv(socket, to, most, 0);
    if (got > 0)
      return static_cast<std::size_t>(got);
    if (got == 0 || errno != EINTR)
      throw Gone();
  }
}

} // namespace

void send_frame(int socket, const std::string &bytes) {
  if (bytes.size() > longest_frame)
    throw Malformed("a frame is longer than " + std::to_string(longest_frame >> 20) + " MiB");
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::string all(reinterpret_cast<const char *>(&length), sizeof length);
  all += bytes;
  for (std::size_t sent = 0; sent < all.size();) {
    const ssize_t now = send(socket, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR)
      continue;
    if (now <= 0)
      throw Gone();
    sent += static_cast<std::size_t>(now);
  }
}

std::string receive_frame(int socket) {
  char first[4096]; // most frames are shorter: one call of the system's for each
  std::uint32_t length = 0;
  std::size_t come = 0;
  while (come < sizeof length)
    come += receive(socket, first + come, sizeof first - come);
  std::memcpy(&length, first, sizeof length);
  come -= sizeof length;
  if (length > longest_frame || come > length)
    throw Malformed("a frame of " + std::to_string(length) + " bytes");
  std::string bytes(length, '\0');
  std::memcpy(bytes.data(), first + sizeof length, come);
  while (come < length)
    come += receive(socket, bytes.data() + come, length - come);
  return bytes;
}

int take_socket(const char *variable, char **environment) {
  const std::size_t length = std::strlen(variable);
  for (char **entry = environment; *entry; ++entry)
    if (std::strncmp(*entry, variable, length) == 0 && (*entry)[length] == '=') {
      char *value = *entry + length + 1;
      const int given = std::atoi(value);
      std::memset(value, 0, std::strlen(value));
      return given;
    }
  return -1;
}

} // namespace judge
