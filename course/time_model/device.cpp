#include "device.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace model {
namespace {

template <class Number> Transfers read_transfers(const Number &number) {
  Transfers t;
  const std::pair<const char *, double *> of_transfers[] = {
      {"link_gbps", &t.link},
      {"link_both_gbps", &t.link_both},
      {"pageable_to_device_gbps", &t.pageable_to_device},
      {"pageable_to_host_gbps", &t.pageable_to_host},
      {"load_host_gbps", &t.load_host},
      {"store_host_gbps", &t.store_host},
      {"fault_gbps", &t.fault},
      {"make_gbps", &t.make},
      {"host_fault_gbps", &t.host_fault},
      {"prefetch_to_device_gbps", &t.prefetch_to_device},
      {"prefetch_to_host_gbps", &t.prefetch_to_host},
      {"prefetch_made_gbps", &t.prefetch_made},
      {"peer_copy_gbps", &t.peer_copy},
      {"peer_copy_both_gbps", &t.peer_copy_both},
      {"peer_load_gbps", &t.peer_load},
      {"peer_load_both_gbps", &t.peer_load_both},
      {"peer_store_gbps", &t.peer_store},
      {"peer_store_both_gbps", &t.peer_store_both},
      {"through_host_gbps", &t.through_host},
      {"collective_gbps", &t.collective},
      {"next_task_us", &t.next_us},
      {"handoff_us", &t.handoff_us},
      {"peer_copy_us", &t.peer_copy_us},
      {"collective_us", &t.collective_us},
      {"host_call_us", &t.host_call_us},
  };
  for (const auto &[key, value] : of_transfers)
    *value = number(key);
  return t;
}

} // namespace

Device read_device(const std::filesystem::path &file) {
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object())
    throw std::runtime_error("no device in " + file.string() + ": it should be a JSON object");
  Device d;
  d.key = file.stem().string();
  const auto number = [&](const char *key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_object() || !found->contains("value") ||
        !found->at("value").is_number())
      throw std::runtime_error(file.string() + " lacks \"" + key +
                               "\": {\"value\": NUMBER, \"source\": …}");
    return found->at("value").get<double>();
  };
  d.name = json.value("name", d.key);
  if (!json.contains("clock_ghz"))
    throw std::runtime_error("no times for an " + d.name + ": its description has limits alone");
  d.sms = static_cast<int>(number("sms"));
  d.limits.threads = static_cast<int>(number("threads_per_sm"));
  d.limits.blocks = static_cast<int>(number("blocks_per_sm"));
  d.limits.registers = static_cast<int>(number("registers_per_sm"));
  d.limits.shared = static_cast<size_t>(number("shared_kib_per_sm") * 1024);
  d.limits.shared_per_block = static_cast<size_t>(number("shared_kib_per_block") * 1024);
  d.limits.shared_reserved = static_cast<size_t>(number("shared_bytes_reserved"));
  d.limits.shared_unit = static_cast<size_t>(number("shared_bytes_unit"));
  const std::pair<const char *, double *> all[] = {
      {"clock_ghz", &d.clock_ghz},
      {"l1_and_shared_kib", &d.l1_kib},
      {"l2_mib", &d.l2_mib},
      {"read_gbps", &d.read_gbps},
      {"copy_gbps", &d.copy_gbps},
      {"l2_bytes_per_cycle", &d.l2_bytes_per_cycle},
      {"fp32_per_cycle", &d.fp32_per_cycle},
      {"int32_per_cycle", &d.int32_per_cycle},
      {"multiply_int32_per_cycle", &d.imad_per_cycle},
      {"fp64_per_cycle", &d.fp64_per_cycle},
      {"special_per_cycle", &d.special_per_cycle},
      {"latency_arithmetic", &d.latency_alu},
      {"latency_fp64", &d.latency_fp64},
      {"latency_special", &d.latency_special},
      {"latency_shuffle", &d.latency_shuffle},
      {"latency_shared", &d.latency_shared},
      {"latency_l1", &d.latency_l1},
      {"latency_l2", &d.latency_l2},
      {"latency_memory", &d.latency_dram},
      {"latency_constant", &d.latency_constant},
      {"latency_barrier", &d.latency_barrier},
      {"barrier_threads_per_cycle", &d.barrier_threads_per_cycle},
      {"memory_queue", &d.memory_queue},
      {"cold_us", &d.cold_us},
      {"scattered_share", &d.scattered_share},
      {"issue_blocked", &d.issue_blocked},
      {"partial_sector", &d.partial_sector},
      {"block_start", &d.block_start},
      {"block_launch", &d.block_launch},
      {"warp_launch", &d.warp_launch},
      {"launch_us", &d.launch_us},
      {"idle_us", &d.idle_us},
      {"next_launch_us", &d.next_launch_us},
      {"atomics_per_ns", &d.atomics_per_ns},
      {"whole_atomics_per_ns", &d.whole_atomics_per_ns},
      {"float_atomics_per_ns", &d.float_atomics_per_ns},
      {"fill_ns", &d.fill_ns},
      {"all_filled_per_ns", &d.all_filled_per_ns},
  };
  for (const auto &[key, value] : all)
    *value = number(key);
  if (json.contains("link_gbps"))
    d.transfers = read_transfers(number);
  return d;
}

} // namespace model
