// Where the parts of an operation meet whose ranks are in several processes: a thread of the process that made
// the id. It speaks for the ranks of the others, which are connected to it.
#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "engine/surroundings.hpp"
#include "nccl/nccl_ranks.hpp"

namespace emu {

namespace {

constexpr int most_ranks = 1 << 16;
constexpr uint64_t most_elements = uint64_t{1} << 44; // what 64 bits count in bytes, of all ranks

/// Whether ranks of the program run on other machines: who starts them says so.
bool has_ranks_elsewhere() {
  if (number_from_environment("EMU_NCCL_MACHINES", 1, 1'000'000, 1) > 1)
    return true;
  const auto number = [](const char *name) {
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : 0;
  };
  return number("OMPI_COMM_WORLD_SIZE") > number("OMPI_COMM_WORLD_LOCAL_SIZE") ||
         number("PMI_SIZE") > number("MPI_LOCALNRANKS") || number("SLURM_NNODES") > 1 ||
         number("WORLD_SIZE") > number("LOCAL_WORLD_SIZE");
}

class Hub {
public:
  Hub() {
    if (getentropy(&address_.secret, sizeof address_.secret) != 0)
      address_.secret = static_cast<uint64_t>(getpid()); // still no other process's
    address_.process = getpid();
    address_.host = this_host();
    const bool from_others = has_ranks_elsewhere();
    address_.ip = from_others ? wire::ip_of_this_machine() : "127.0.0.1";
    listener_ = wire::listen_on_any_port(address_.port, from_others);
    if (listener_ >= 0)
      std::thread([this] { serve(); }).detach();
  }
  const wire::Address &address() const { return address_; }

private:
  void serve();
  bool handle(Peer &peer);
  bool join(Peer &peer, const std::vector<char> &bytes);
  bool post(NcclState &s, const Peer &peer, uint32_t tag, const std::vector<char> &bytes);

  wire::Address address_;
  int listener_ = -1;
  std::vector<std::shared_ptr<Peer>> peers_;
};

void refuse(Peer &peer, ncclResult_t result, const std::string &why) {
  const char *hazard = result == ncclInvalidUsage ? "rank_conflict" : "";
  peer.socket.send(wire::Kind::joined, 0, wire::answer_of(result, hazard, why));
}

/// \return whether it knows the secret
bool Hub::join(Peer &peer, const std::vector<char> &bytes) {
  wire::Join join;
  if (!wire::fields_of(bytes, join) || join.secret != address_.secret || join.ranks < 1 ||
      join.rank < 0 || join.rank >= join.ranks || join.ranks > most_ranks) {
    refuse(peer, ncclInvalidArgument, "this is no id of that process");
    return false;
  }
  peer.is_known = true;
  peer.socket.wait_for_bytes(1);
  ncclComm wanted = {};
  wanted.rank = join.rank;
  wanted.device = join.device;
  wanted.host = join.host.string();
  wanted.place = join.place.string();
  for (const std::shared_ptr<Peer> &one : peers_)
    if (one.get() == &peer)
      wanted.peer = one;
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  const std::shared_ptr<Clique> clique = nccl_clique(s, join.clique, join.ranks);
  if (!clique->gone.empty()) {
    refuse(peer, clique->refusal, clique->gone);
    return true;
  }
  std::string trouble;
  // Set before the others are told that all are there: they may post at once, but only after this.
  peer.comm = nccl_enter(s, clique, join.ranks, wanted, trouble);
  if (peer.comm == nullptr)
    refuse(peer, ncclInvalidUsage, trouble);
  return true;
}

/// Under the lock. \return whether it is what a rank sends
bool Hub::post(NcclState &s, const Peer &peer, uint32_t tag, const std::vector<char> &bytes) {
  const int ranks = peer.comm->clique->ranks();
  wire::Posted posted;
  if (!wire::fields_of(bytes, posted) || posted.kind > static_cast<uint32_t>(Collective::receive) ||
      posted.type >= ncclNumTypes || posted.operation >= ncclNumOps || posted.other < 0 ||
      posted.other >= ranks || posted.count > most_elements)
    return false;
  const auto part = std::make_shared<Part>(Part{static_cast<Collective>(posted.kind),
                                                nullptr,
                                                nullptr,
                                                posted.count,
                                                static_cast<ncclDataType_t>(posted.type),
                                                static_cast<ncclRedOp_t>(posted.operation),
                                                posted.other,
                                                peer.comm});
  part->rank = peer.comm->rank;
  part->ranks = ranks;
  part->place = posted.place.string();
  part->tag = tag;
  if (bytes.size() - sizeof posted != nccl_sent_bytes(*part))
    return false;
  part->sent.assign(bytes.begin() + sizeof posted, bytes.end());
  try {
    part->received.resize(nccl_received_bytes(*part));
  } catch (const std::exception &) { // more than there is
    return false;
  }
  part->send = part->sent.data();
  part->receive = part->received.data();
  nccl_post(s, part);
  nccl_match(s, *peer.comm->clique);
  return true;
}

/// \return whether more may come from there
bool Hub::handle(Peer &peer) {
  std::vector<char> bytes;
  // Who has not said the secret has no more to say than that, and so much has come (see serve).
  const auto head = peer.socket.receive(bytes, peer.is_known ? UINT64_MAX : sizeof(wire::Join));
  NcclState &s = nccl_state();
  if (head && head->kind == wire::Kind::join)
    return join(peer, bytes);
  const std::lock_guard lock(s.mutex);
  s.heard = std::chrono::steady_clock::now();
  if (peer.comm == nullptr)
    return peer.is_known && head.has_value() && head->kind == wire::Kind::alive;
  if (head && head->kind == wire::Kind::post && post(s, peer, head->tag, bytes))
    return true;
  if (!head || head->kind != wire::Kind::alive) {
    const std::string who = "rank " + std::to_string(peer.comm->rank);
    nccl_leave(s,
               std::exchange(peer.comm, nullptr),
               !head || head->kind != wire::Kind::leave
                   ? "the process of " + who + " has ended, or sends what no rank does"
               : head->tag != 0
                   ? who + " has called ncclCommAbort" + nccl_line({bytes.begin(), bytes.end()})
                   : std::string());
    return false;
  }
  peer.doing.assign(bytes.begin(), bytes.end());
  return true;
}

void Hub::serve() {
  NcclState &s = nccl_state();
  Silence silence;
  for (;;) {
    std::vector<pollfd> wanted = {{listener_, POLLIN, 0}};
    for (const std::shared_ptr<Peer> &peer : peers_)
      wanted.push_back({peer->socket.descriptor(), POLLIN, 0});
    const int ready = poll(wanted.data(), wanted.size(), 200);
    if (ready <= 0) {
      const std::lock_guard lock(s.mutex);
      if (!peers_.empty() && silence.lasts(s))
        nccl_give_up(s);
      continue;
    }
    std::vector<std::shared_ptr<Peer>> ended;
    for (size_t i = 0; i + 1 < wanted.size(); ++i)
      if (wanted[i + 1].revents != 0 && !handle(*peers_[i]))
        ended.push_back(peers_[i]);
    for (const std::shared_ptr<Peer> &peer : ended)
      std::erase(peers_, peer);
    if (wanted[0].revents != 0)
      if (const int connection = accept(listener_, nullptr, nullptr); connection >= 0) {
        peers_.push_back(std::make_shared<Peer>(connection));
        // Who sends less than a whole message would keep all others waiting.
        peers_.back()->socket.wait_for_bytes(sizeof(wire::Head) + sizeof(wire::Join));
      }
  }
}

} // namespace

wire::Address nccl_hub_address() {
  static Hub &hub = *new Hub; // its thread ends with the process
  return hub.address();
}

} // namespace emu
