#include "nccl/nccl_wire.hpp"
#include "engine/surroundings.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace emu::wire {

Socket::~Socket() { close(descriptor_); }

void Socket::hang_up() { shutdown(descriptor_, SHUT_RDWR); }

bool Socket::send(Kind kind, uint32_t tag, std::string_view first, std::string_view second) {
  const std::lock_guard lock(sending_);
  Head head = {kind, tag, first.size() + second.size()};
  iovec parts[] = {{&head, sizeof head},
                   {const_cast<char *>(first.data()), first.size()},
                   {const_cast<char *>(second.data()), second.size()}};
  for (size_t i = 0; i < 3;) {
    msghdr message = {};
    message.msg_iov = parts + i;
    message.msg_iovlen = 3 - i;
    ssize_t sent = sendmsg(descriptor_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0)
      return false;
    for (; i < 3 && static_cast<size_t>(sent) >= parts[i].iov_len; ++i)
      sent -= static_cast<ssize_t>(parts[i].iov_len);
    if (i < 3) {
      parts[i].iov_base = static_cast<char *>(parts[i].iov_base) + sent;
      parts[i].iov_len -= static_cast<size_t>(sent);
    }
  }
  return true;
}

namespace {

bool read_all(int descriptor, void *to, size_t bytes) {
  auto *next = static_cast<char *>(to);
  while (bytes > 0) {
    const ssize_t got = recv(descriptor, next, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    next += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

} // namespace

std::optional<Head> Socket::receive(std::vector<char> &bytes, uint64_t most) {
  Head head;
  if (!read_all(descriptor_, &head, sizeof head) || head.bytes > most)
    return std::nullopt;
  bytes.resize(head.bytes);
  if (!read_all(descriptor_, bytes.data(), bytes.size()))
    return std::nullopt;
  return head;
}

void Socket::wait_for_bytes(int count) {
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVLOWAT, &count, sizeof count);
}

bool Socket::readable(int milliseconds) {
  pollfd wanted = {descriptor_, POLLIN, 0};
  return poll(&wanted, 1, milliseconds) > 0;
}

std::string Address::text() const {
  char text[128];
  std::snprintf(text,
                sizeof text,
                "emulator %016llx %llx %d %d %s %.40s",
                static_cast<unsigned long long>(secret),
                static_cast<unsigned long long>(clique),
                process,
                port,
                ip.c_str(),
                host.c_str());
  return text;
}

std::optional<Address> Address::from(const char *text, size_t size) {
  unsigned long long secret = 0, clique = 0;
  Address address;
  char ip[64], host[64];
  const std::string ended(text, strnlen(text, size));
  if (std::sscanf(ended.c_str(),
                  "emulator %llx %llx %d %d %63s %63s",
                  &secret,
                  &clique,
                  &address.process,
                  &address.port,
                  ip,
                  host) != 6)
    return std::nullopt;
  address.secret = secret;
  address.clique = clique;
  address.ip = ip;
  address.host = host;
  return address;
}

int listen_on_any_port(int &port, bool from_others) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0)
    return -1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(from_others ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto *any = reinterpret_cast<sockaddr *>(&address);
  if (bind(descriptor, any, size) != 0 || listen(descriptor, 64) != 0 ||
      getsockname(descriptor, any, &size) != 0) {
    close(descriptor);
    return -1;
  }
  port = ntohs(address.sin_port);
  return descriptor;
}

std::string ip_of_this_machine() {
  std::string found = "127.0.0.1";
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return found;
  for (const ifaddrs *one = all; one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
        (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0) {
      char text[INET_ADDRSTRLEN];
      inet_ntop(
          AF_INET, &reinterpret_cast<sockaddr_in *>(one->ifa_addr)->sin_addr, text, sizeof text);
      found = text;
      break;
    }
  freeifaddrs(all);
  return found;
}

int connect_to(const Address &address) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0)
    return -1;
  sockaddr_in other = {};
  other.sin_family = AF_INET;
  other.sin_port = htons(static_cast<uint16_t>(address.port));
  const char *ip = address.host == this_host() ? "127.0.0.1" : address.ip.c_str();
  if (inet_pton(AF_INET, ip, &other.sin_addr) != 1 ||
      connect(descriptor, reinterpret_cast<sockaddr *>(&other), sizeof other) != 0) {
    close(descriptor);
    return -1;
  }
  const int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return descriptor;
}

} // namespace emu::wire
