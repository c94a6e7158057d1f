// Steps that do more than launch kernels, with times that can be worked out by hand.
#include "steps.hpp"

#include <doctest/doctest.h>

using namespace model;

namespace {

/// 1 GB/s is 1 us for 1000 bytes; nothing else takes time.
Device simple() {
  Device d = read_device(DEVICES_FOLDER "/h200.json");
  Transfers t = *d.transfers;
  t.link = 10, t.link_both = 15;
  t.pageable_to_device = 2, t.pageable_to_host = 4;
  t.load_host = t.store_host = 10;
  t.fault = 1, t.make = 2, t.host_fault = 0.5;
  t.prefetch_to_device = 5, t.prefetch_to_host = 1;
  t.peer_copy = t.peer_load = t.peer_store = 100;
  t.peer_copy_both = t.peer_load_both = t.peer_store_both = 200;
  t.next_us = t.handoff_us = t.peer_copy_us = t.host_call_us = 0;
  d.transfers = t;
  return d;
}

constexpr double bytes = 1e6;

TaskTrace task(Work work, uint64_t stream, std::vector<uint64_t> after = {}) {
  TaskTrace t;
  t.work = work;
  t.stream = stream;
  t.bytes = bytes;
  t.blocks = 1 << 20;
  t.after = std::move(after);
  return t;
}

/// Submitted one after the other; then the host waits for all.
PartTrace part(std::vector<TaskTrace> tasks) {
  PartTrace p{"v0", std::move(tasks), {}};
  for (uint64_t i = 0; i < p.tasks.size(); ++i)
    p.host.push_back({HostTrace::What::submits, i});
  p.host.push_back({HostTrace::What::waits_for_all, 0});
  return p;
}

/// A kernel that takes 200 us.
std::vector<Prediction> kernels() {
  Prediction p;
  p.ms = 0.2;
  p.blocks_per_sm = 4;
  return {p};
}

double us(const PartTrace &p) { return 1e3 * predict_timeline(p, kernels(), simple()).ms; }

} // namespace

TEST_CASE("copies of both directions share the link, those of one take turns") {
  CHECK(us(part({task(Work::to_device, 1)})) == doctest::Approx(100));
  CHECK(us(part({task(Work::to_device, 1), task(Work::to_device, 2)})) == doctest::Approx(200));
  // 20 GB/s are wanted, 15 are there.
  CHECK(us(part({task(Work::to_device, 1), task(Work::to_host, 2)})) ==
        doctest::Approx(100 * 20 / 15.0));
}

TEST_CASE("a copy runs beside a kernel of another stream, and behind one of its own") {
  CHECK(us(part({task(Work::kernel, 1), task(Work::to_host, 2)})) == doctest::Approx(200));
  CHECK(us(part({task(Work::kernel, 1), task(Work::to_host, 1, {0})})) == doctest::Approx(300));
  // A grid that fills the device leaves no room for another one.
  CHECK(us(part({task(Work::kernel, 1), task(Work::kernel, 2)})) == doctest::Approx(400));
}

TEST_CASE("pageable memory is slower, each way by its own rate") {
  TaskTrace in = task(Work::to_device, 1), out = task(Work::to_host, 1, {0});
  in.pageable = out.pageable = true;
  CHECK(us(part({in, out})) == doctest::Approx(500 + 250));
}

TEST_CASE("pages: a kernel waits for those that it has to fetch, the host for its own") {
  TaskTrace kernel = task(Work::kernel, 1);
  kernel.fault_bytes = bytes;
  PartTrace p = part({kernel});
  CHECK(us(p) == doctest::Approx(200 + 1000));
  p.host.push_back({HostTrace::What::waits_for_all, 0, 0, bytes});
  CHECK(us(p) == doctest::Approx(200 + 1000 + 2000));
  CHECK(us(part({task(Work::prefetch_to_device, 1), task(Work::kernel, 1, {0})})) ==
        doctest::Approx(200 + 200));
}

TEST_CASE("what a kernel reaches past its device takes its time on the links, and shares them") {
  TaskTrace loads = task(Work::kernel, 1);
  loads.reached = {{-1, 10 * bytes, 0}};
  CHECK(us(part({loads})) == doctest::Approx(1000));
  loads.reached = {{1, 100 * bytes, 0}};
  CHECK(us(part({loads})) == doctest::Approx(1000));
  TaskTrace others = loads; // which sends and receives as much
  others.device = 1;
  others.reached = {{0, 100 * bytes, 0}};
  CHECK(us(part({loads, others})) == doctest::Approx(1000));
  others.device = 2; // two that load from one
  others.reached = loads.reached;
  CHECK(us(part({loads, others})) == doctest::Approx(2000));
}

TEST_CASE("there is no time where the host works for itself, or nothing is known of copies") {
  PartTrace p = part({task(Work::to_device, 1)});
  p.host.push_back({HostTrace::What::waits_for_all, 0, 90});
  CHECK(predict_timeline(p, kernels(), simple()).refused.find("the host works for itself") !=
        std::string::npos);
  Device other = simple();
  other.transfers.reset();
  CHECK(predict_timeline(part({task(Work::to_device, 1)}), kernels(), other)
            .refused.find("described without") != std::string::npos);
}

TEST_CASE("kernels of one stream alone need no timeline") {
  CHECK_FALSE(needs_timeline(part({task(Work::kernel, 1), task(Work::kernel, 1, {0})})));
  CHECK_FALSE(needs_timeline(part({task(Work::set, 1), task(Work::kernel, 1, {0})})));
  CHECK(needs_timeline(part({task(Work::kernel, 1), task(Work::kernel, 2)})));
  CHECK(needs_timeline(part({task(Work::kernel, 1), task(Work::to_host, 1, {0})})));
}
