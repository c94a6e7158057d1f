// What an Observation says by itself. Also compiled where there are no instruments, so that
// checkers compile there.
#include <observation/observe.hpp>
#include <observation/program_file.hpp>
#include <observation/shares.hpp>
#include <observation/timeline.hpp>

#include <algorithm>

namespace emu {

Observation::Observation() = default;
Observation::Observation(const Observation &) = default;
Observation::Observation(Observation &&) noexcept = default;
Observation &Observation::operator=(const Observation &) = default;
Observation &Observation::operator=(Observation &&) noexcept = default;
Observation::~Observation() = default;

const char *access_name(Access access) {
  static constexpr const char *names[] = {"global_load",
                                          "global_store",
                                          "global_atomic",
                                          "shared_load",
                                          "shared_store",
                                          "shared_atomic",
                                          "constant",
                                          "?"};
  return names[static_cast<size_t>(access)];
}

void AccessCounts::add(const AccessCounts &other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  touched += other.touched;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  max_conflict = std::max(max_conflict, other.max_conflict);
  max_same_address = std::max(max_same_address, other.max_same_address);
}

void PageCounts::add(const PageCounts &other) {
  kernel_faults += other.kernel_faults;
  host_faults += other.host_faults;
  made_by_kernels += other.made_by_kernels;
  made_by_host += other.made_by_host;
  sent_to_device += other.sent_to_device;
  sent_to_host += other.sent_to_host;
  over_the_link += other.over_the_link;
  moved_out += other.moved_out;
}

bool is_atomic(Access access) {
  return access == Access::global_atomic || access == Access::shared_atomic;
}

bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic;
}

double work_spread(const std::vector<KernelReport> &kernels, Access access) {
  const auto index = static_cast<size_t>(access);
  double requests = 0, if_all_were_as_busy = 0;
  for (const KernelReport &kernel : kernels) {
    requests += static_cast<double>(kernel.total(access).requests);
    if_all_were_as_busy += static_cast<double>(kernel.busiest_warp[index] * kernel.warps_traced()) /
                           static_cast<double>(kernel.launches);
  }
  return if_all_were_as_busy > 0 ? requests / if_all_were_as_busy : 0;
}

AccessCounts KernelReport::total(Access access) const {
  AccessCounts sum;
  for (const LineReport &line : lines)
    if (line.access == access)
      sum.add(line.counts);
  return sum;
}

PageCounts Observation::total_pages() const {
  PageCounts sum;
  for (const PageReport &report : pages)
    sum.add(report.counts);
  return sum;
}

LinkCounts Observation::total_link(int from, int to) const {
  LinkCounts sum;
  for (const LinkReport &link : links)
    if (link.from == from && link.to == to) {
      sum.copied += link.counts.copied;
      sum.copies += link.counts.copies;
      sum.loaded += link.counts.loaded;
      sum.stored += link.counts.stored;
    }
  return sum;
}

const Hazard *Observation::find(const std::string &kind) const {
  for (const Hazard &hazard : hazards)
    if (hazard.kind == kind)
      return &hazard;
  return nullptr;
}

bool Observation::has_errors() const {
  return std::any_of(
      hazards.begin(), hazards.end(), [](const Hazard &hazard) { return !hazard.warning; });
}

std::string coordinates(const unsigned (&index)[3], const unsigned (&sizes)[3]) {
  std::string text = std::to_string(index[0]);
  const bool deep = sizes[2] > 1 || index[2] > 0;
  if (deep || sizes[1] > 1 || index[1] > 0)
    text += ',' + std::to_string(index[1]);
  return deep ? text + ',' + std::to_string(index[2]) : text;
}

const KernelReport *launch_of(const Observation &observation, const Hazard &hazard) {
  const auto found = std::find_if(
      observation.kernels.begin(), observation.kernels.end(), [&](const KernelReport &kernel) {
        return kernel.name == hazard.kernel && kernel.part == hazard.part;
      });
  return found == observation.kernels.end() ? nullptr : &*found;
}

double Timeline::busy_us(const std::string &engine) const {
  std::vector<std::pair<double, double>> times;
  for (const TimelineBar &bar : bars)
    if (bar.engine == engine)
      times.emplace_back(bar.begin_us, bar.end_us);
  std::sort(times.begin(), times.end());
  double sum = 0, until = 0;
  for (const auto &[begin, end] : times) {
    sum += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return sum;
}

// In launch_model.cpp; neither a program for a GPU nor the judge has an engine, and so no model.
__attribute__((weak)) void model_begins_part(const char *name);

// A program that is not built for observation has these; emulator_observe brings the real ones.
__attribute__((weak)) bool observing() { return false; }
__attribute__((weak)) void start_observing() {}
__attribute__((weak)) Observation stop_observing() { return {}; }
__attribute__((weak)) void open_program_file() {}
__attribute__((weak)) std::vector<std::string> in_shares(size_t parts,
                                                         const std::function<void(Share &)> &work) {
  OnlyShare all(parts);
  work(all);
  return all.told;
}
__attribute__((weak)) void begin_part(const std::string &name) {
  if (model_begins_part != nullptr)
    model_begins_part(name.c_str());
}
__attribute__((weak)) std::string drawing(const LineReport &, const TextStyle &) { return {}; }
__attribute__((weak)) std::string picture_svg(const LineReport &, const std::string &) {
  return {};
}
__attribute__((weak)) void host_touches(const void *, size_t, bool) {}
__attribute__((weak)) void play_rank(int) {}
__attribute__((weak)) void set_timeline_model(const TimelineModel &) {}
__attribute__((weak)) Timeline timeline() { return {}; }
__attribute__((weak)) std::string timeline_json(const Timeline &) { return {}; }
__attribute__((weak)) std::string timeline_svg(const Timeline &) { return {}; }

} // namespace emu
