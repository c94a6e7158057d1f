// The way from the process of a rank to the one that made the id, where operations are matched and done.
#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "memory/device_variables.hpp"
#include "nccl/nccl_ranks.hpp"

namespace emu {

struct Uplink::Way {
  explicit Way(int descriptor) : socket(descriptor) {}
  void listen();
  void answered(const wire::Head &head, const std::vector<char> &bytes);
  void report();
  void lose();

  wire::Socket socket;
  std::shared_ptr<Clique> clique;
  std::map<uint32_t, PartPointer> posted; // by tag; under the lock of all
  uint32_t next_tag = 1;
  std::atomic<bool> left{false};
  Activity activity; // since it was last reported
  std::string doing; // what was last reported
  std::thread thread;
};

Uplink::Uplink(int descriptor) : way_(std::make_shared<Way>(descriptor)) {}

Uplink::~Uplink() {
  way_->left = true;
  way_->socket.hang_up();
  if (way_->thread.joinable())
    way_->thread.detach(); // it holds what it uses
}

void Uplink::join(const std::shared_ptr<Clique> &clique, const wire::Join &join) {
  way_->clique = clique;
  way_->socket.send(wire::Kind::join, 0, join);
  way_->thread = std::thread([way = way_] { way->listen(); });
}

void Uplink::post(const PartPointer &part) {
  wire::Posted fields = {};
  fields.kind = static_cast<uint32_t>(part->kind);
  fields.type = part->type;
  fields.operation = part->operation;
  fields.other = part->other;
  fields.count = part->count;
  fields.place = part->place;
  {
    NcclState &s = nccl_state();
    const std::lock_guard lock(s.mutex);
    part->tag = way_->next_tag++;
    way_->posted[part->tag] = part;
  }
  const VariablesInUse variables(std::array{part->send});
  const char *const sent = variables.place(part->send, part->queue->device);
  if (!way_->socket.send(
          wire::Kind::post, part->tag, fields, std::string_view(sent, nccl_sent_bytes(*part))))
    way_->lose();
}

void Uplink::leave(bool abort) {
  way_->left = true;
  way_->socket.send(wire::Kind::leave, abort ? 1 : 0, std::string_view(nccl_place()));
  way_->socket.hang_up();
}

void Uplink::Way::answered(const wire::Head &head, const std::vector<char> &bytes) {
  wire::Answer answer;
  if (!wire::fields_of(bytes, answer))
    return;
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  const auto result = static_cast<ncclResult_t>(answer.result);
  if (head.kind == wire::Kind::joined) {
    clique->complete = result == ncclSuccess;
    clique->aborted = result != ncclSuccess;
    clique->refusal = result;
    clique->hazard = answer.hazard.string();
    clique->gone = answer.text.string();
  } else if (const auto found = posted.find(head.tag); found != posted.end()) {
    Part &part = *found->second;
    part.received.assign(bytes.begin() + sizeof answer, bytes.end());
    part.result = result;
    if (result == ncclSuccess && part.received.size() != nccl_received_bytes(part)) {
      part.result = ncclRemoteError;
      answer.text = "the process that made the id sends another number of bytes than was asked for";
    }
    if (part.result != ncclSuccess)
      part.complaint = std::make_shared<NcclComplaint>(
          NcclComplaint{answer.hazard.string(), answer.text.string()});
    part.over = true;
    posted.erase(found);
  }
  s.changed.notify_all();
}

// The other process notices when nobody does anything any more.
void Uplink::Way::report() {
  std::string now_doing;
  {
    NcclState &s = nccl_state();
    const std::lock_guard lock(s.mutex);
    now_doing = s.doing;
  }
  if (!activity.any() && now_doing == doing)
    return;
  doing = now_doing;
  socket.send(wire::Kind::alive, 0, std::string_view(doing));
}

void Uplink::Way::lose() {
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  const std::string text = "the process that made the id has ended";
  if (!clique->complete && clique->gone.empty()) { // else it was told why
    clique->aborted = true;
    clique->refusal = ncclRemoteError;
    clique->hazard.clear();
    clique->gone = text;
  }
  for (const auto &[tag, part] : posted) {
    part->over = true;
    part->result = ncclRemoteError;
    part->complaint = std::make_shared<NcclComplaint>(NcclComplaint{
        "", part->name + (" of rank " + std::to_string(part->rank)) + " cannot be done: " + text});
  }
  posted.clear();
  s.changed.notify_all();
}

void Uplink::Way::listen() {
  std::vector<char> bytes;
  while (!left) {
    if (!socket.readable(200)) {
      report();
      continue;
    }
    const auto head = socket.receive(bytes);
    if (!head)
      break;
    answered(*head, bytes);
  }
  if (!left)
    lose();
}

} // namespace emu
