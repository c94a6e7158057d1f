#include "judge/messages.hpp"

// Written and read by the same list of members, so that the two cannot disagree.
namespace judge {
namespace {

/// Writes what it is shown.
struct Out {
  Writer &writer;
  template <class T> void plain(T &value) { writer.put(value); }
  void text(std::string &value) { writer.put_text(value); }
  template <class T, class Each> void list(std::vector<T> &values, Each each) {
    writer.put<std::uint64_t>(values.size());
    for (T &value : values)
      each(*this, value);
  }
};

/// Fills what it is shown.
struct In {
  Reader &reader;
  template <class T> void plain(T &value) { reader.get(value); }
  void plain(bool &value) { value = reader.get<std::uint8_t>() != 0; }
  void plain(emu::Access &value) {
    value = reader.get<emu::Access>();
    if (value >= emu::Access::count)
      throw Malformed("an access of no kind");
  }
  void text(std::string &value) {
    constexpr std::size_t longest = 4000; // names and messages for people
    value = reader.text();
    if (value.size() > longest)
      value.resize(longest);
  }
  template <class T, class Each> void list(std::vector<T> &values, Each each) {
    // One by one: the memory that a list takes grows with the bytes that have come.
    for (std::size_t left = reader.count(); left > 0; --left)
      each(*this, values.emplace_back());
  }
};

/// Makes a number of what it is shown: of sizes, and of what comes behind what.
struct Shape {
  std::uint64_t number = 0;
  void add(std::uint64_t value) { number = (number ^ value) * 0x100000001b3 + 1; }
  template <class T> void plain(T &) { add(sizeof(T)); }
  void text(std::string &) { add(1001); }
  template <class T, class Each> void list(std::vector<T> &, Each each) {
    T one{};
    add(1002);
    each(*this, one);
    add(1003);
  }
};

template <class Way> void place(Way &way, emu::SourceLine &where) {
  way.text(where.file);
  way.plain(where.line);
}

template <class Way> void side(Way &way, emu::HazardSide &one) {
  place(way, one.where);
  way.plain(one.block);
  way.plain(one.thread);
  way.text(one.did);
}

template <class Way> void kernel(Way &way, emu::KernelReport &one) {
  [[maybe_unused]] auto &[name,
                          part,
                          grid,
                          block,
                          traced,
                          launches,
                          barriers,
                          meetings,
                          active_masks,
                          busiest,
                          restricted,
                          least_blocks,
                          active,
                          lines,
                          divergence] = one;
  way.text(one.name);
  way.text(one.part);
  way.plain(one.grid);
  way.plain(one.block);
  way.plain(one.blocks_traced);
  way.plain(one.launches);
  way.plain(one.barriers);
  way.plain(one.warp_meetings);
  way.plain(one.active_masks);
  way.plain(one.busiest_warp);
  way.plain(one.restricted_parameters);
  way.plain(one.least_blocks);
  way.plain(one.active_lanes);
  way.list(one.lines, [](Way &w, emu::LineReport &line) {
    place(w, line.where);
    w.plain(line.access);
    w.plain(line.access_bytes);
    w.plain(line.counts);
    w.plain(line.worst);
  });
  way.list(one.divergence, [](Way &w, emu::DivergenceReport &line) {
    place(w, line.where);
    w.plain(line.executions);
    w.plain(line.lanes);
  });
}

// By all of its members, here and below: one more, and this does not compile until it travels, too.
template <class Way> void hazard(Way &way, emu::Hazard &one) {
  auto &[kind, warning, in_kernel, part, here, other, message, count, advice] = one;
  for (std::string *text : {&kind, &in_kernel, &part, &message, &advice})
    way.text(*text);
  way.plain(warning);
  side(way, here);
  side(way, other);
  way.plain(count);
}

template <class Way> void link(Way &way, emu::LinkReport &one) {
  way.text(one.part);
  way.plain(one.from);
  way.plain(one.to);
  way.plain(one.counts);
  way.list(one.lines, [](Way &w, emu::LinkLine &line) {
    place(w, line.where);
    w.plain(line.access);
    w.plain(line.bytes);
  });
}

template <class Way> void observation(Way &way, emu::Observation &seen) {
  auto &[kernels, hazards, schedule, pages, links, failed_call, partial] = seen;
  way.list(kernels, kernel<Way>);
  way.list(hazards, hazard<Way>);
  way.plain(schedule);
  way.list(pages, [](Way &w, emu::PageReport &page) {
    w.text(page.part);
    w.plain(page.counts);
  });
  way.list(links, link<Way>);
  way.plain(partial);
  bool failed = failed_call.has_value();
  way.plain(failed);
  if (!failed)
    return;
  if (!failed_call)
    failed_call.emplace();
  place(way, failed_call->where);
  way.text(failed_call->error);
  way.text(failed_call->launch);
}

template <class Way> void bars(Way &way, emu::Timeline &timeline) {
  way.list(timeline.bars, [](Way &w, emu::TimelineBar &bar) {
    for (std::string *text : {&bar.name, &bar.kind, &bar.lane, &bar.engine, &bar.part, &bar.file})
      w.text(*text);
    w.plain(bar.begin_us);
    w.plain(bar.end_us);
    w.plain(bar.bytes);
    w.plain(bar.blocks);
    w.plain(bar.line);
    w.plain(bar.device);
    w.list(bar.after, [](Way &v, std::size_t &before) { v.plain(before); });
  });
  way.plain(timeline.total_us);
}

} // namespace

std::uint64_t layout_of_messages() {
  Shape shape;
  emu::Observation seen;
  seen.failed_call.emplace();
  observation(shape, seen);
  emu::Timeline timeline;
  bars(shape, timeline);
  return shape.number;
}

void put(Writer &writer, const emu::Observation &seen) {
  Out out{writer};
  observation(out, const_cast<emu::Observation &>(seen)); // which Out leaves as it is
}

emu::Observation get_observation(Reader &reader) {
  emu::Observation seen;
  In in{reader};
  observation(in, seen);
  return seen;
}

void put(Writer &writer, const emu::Timeline &timeline) {
  Out out{writer};
  bars(out, const_cast<emu::Timeline &>(timeline));
}

emu::Timeline get_timeline(Reader &reader) {
  emu::Timeline timeline;
  In in{reader};
  bars(in, timeline);
  return timeline;
}

} // namespace judge
