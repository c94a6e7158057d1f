#include "bounds.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../src/context/devices.hpp"
#include "../src/engine/shared_memory.hpp"
#include "../src/memory/allocations.hpp"
#include "../src/streams/tasks.hpp"
#include "array_names.hpp"
#include "source_tests.hpp"
#include "symbols.hpp"
#include "task_races.hpp"
#include "text.hpp"

namespace emu {

namespace {

// Below it lies nothing, and as far below 0 neither: these are null pointers with an index.
constexpr uintptr_t lowest_address = 65536;

char *page_of(const char *address) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(address) / page * page);
}

// Both ask by calls that a judged program may make behind its walls, too: not mincore(), and no file of /proc.

/// Makes a page of zeros there, or says why there is none: EEXIST, there is memory.
int make_page(char *page) {
  const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *const made = mmap(page,
                          bytes,
                          PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                          -1,
                          0);
  return made == page ? 0 : errno;
}

bool is_mapped(const char *address) {
  char *const page = page_of(address);
  const int failed = make_page(page);
  if (failed == 0)
    munmap(page, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  return failed == EEXIST;
}

/// The stack of the program's first thread, which is the one that launches most often: it ends below what the system
/// has put there for the program.
bool is_on_host_stack(const char *address) {
  constexpr rlim_t most = 1 << 30; // of one without a limit
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const uintptr_t end = getauxval(AT_RANDOM), at = reinterpret_cast<uintptr_t>(address);
  return at < end && end - at <= std::min(limit.rlim_cur, most);
}

std::string counted(long number, const std::string &thing) {
  return std::to_string(number) + ' ' + thing + (number == 1 ? "" : "s");
}

const char *verb(Operation operation) {
  return operation == Operation::load    ? "read"
         : operation == Operation::store ? "write"
                                         : "atomic operation";
}

} // namespace

void Bounds::report(const char *kind, const ThreadAccess &access, const std::string &text) {
  sink_.found({kind, false, {{}, access.pc, blockIdx, threadIdx}, {}, text});
}

Bounds::Verdict Bounds::look_closer(const ThreadAccess &access, SharedPlace place) {
  if (const auto address = reinterpret_cast<uintptr_t>(access.address);
      address < lowest_address || address >= 0 - lowest_address) {
    report("out_of_bounds",
           access,
           address < lowest_address
               ? "access through a null pointer"
               : "access through a null pointer, with an index below 0: is the array empty?");
    return Verdict::illegal;
  }
  if ((reinterpret_cast<uintptr_t>(access.address) & (access.piece - 1)) != 0) {
    const std::string where = array_names().place(access);
    report("misaligned",
           access,
           format("%s of %u bytes at %s address that is no multiple of %u",
                  verb(access.operation),
                  access.bytes,
                  where.empty() ? "an" : (where + ", an").c_str(),
                  access.piece));
    return Verdict::misaligned;
  }
  if (access.space == Space::constant && access.operation != Operation::load) {
    report("constant_write", access, "a kernel writes constant memory, which it can only read");
    return Verdict::illegal;
  }
  if (place == SharedPlace::nothing) {
    const std::string name = array_names().beside(access);
    const std::string what = name.empty() ? counted(access.bytes, "byte") : name;
    const std::string where =
        access.in_own_shared() < dynamic_shared
            ? ", outside every __shared__ variable of the block"
            : ", up to byte " +
                  std::to_string(access.in_own_shared() - dynamic_shared + access.bytes) +
                  ": past the " + counted(static_cast<long>(dynamic_bytes_), "byte") +
                  " of shared memory that the launch asked for";
    report("out_of_bounds", access, verb(access.operation) + (" of " + what) + where);
    return Verdict::outside;
  }
  if (place != SharedPlace::elsewhere)
    check_written(access, *access.region);
  if (place == SharedPlace::elsewhere && !access.program_variable)
    if (const Verdict verdict = check_global(access); verdict != Verdict::inside)
      return verdict;
  remember_pointer(access);
  return Verdict::inside;
}

Bounds::Verdict Bounds::check_global(const ThreadAccess &access) {
  Region *region = access.region ? access.region : shadow_.find_near(access.address, redzone);
  if (!region)
    return report_stray(access);
  if (!region->alive) {
    const bool given_back = !region->of_heap && !find_allocation(region->base);
    if (given_back && is_mapped(access.address) && !is_lent(access.address)) {
      shadow_.drop(region->base); // the system has given it to the host
      return report_stray(access);
    }
    report("use_after_free", access, "access to memory that " + was_freed(region->base));
    return Verdict::outside;
  }
  const char *end = access.address + access.bytes;
  if (access.address < region->base || end > region->base + region->bytes) {
    report_outside(access, *region);
    return Verdict::outside;
  }
  const bool elsewhere = region->device >= 0 && region->device != running_device;
  const auto reaches = region->from_pool ? may_reach_pool : may_reach;
  if (elsewhere && !reaches(running_device, region->device)) {
    report("peer_pointer",
           access,
           format("a kernel on device %d follows a pointer to memory of device %d%s, to which its "
                  "device was given no access",
                  running_device,
                  region->device,
                  region->from_pool ? "'s pool" : ""));
    return Verdict::outside;
  }
  check_written(access, *region);
  return Verdict::inside;
}

void Bounds::report_outside(const ThreadAccess &access, const Region &region) {
  const ArrayNames::Array array = array_names().array_at(region, access.address);
  const bool named = !array.name.empty();
  const char *first = named ? array.first : region.base;
  const long offset = access.address - first, bytes = access.bytes;
  const long size = region.base + region.bytes - first;
  std::string text = std::string(verb(access.operation)) + " of ";
  if (named && array.element != 0 && size % array.element == 0)
    text += array.part(offset, bytes) + ": " + (offset < 0 ? "before the first" : "past the last") +
            " of its " + counted(size / array.element, "element");
  else
    text += counted(bytes, "byte") + format(" from byte %ld on of ", offset) +
            (named ? array.name + ", which has " : "an allocation of ") + counted(size, "byte") +
            no_whole_number(region, array.element);
  report("out_of_bounds", access, text);
}

// Memory that ends within a word was asked for by a number of elements, where bytes are counted.
std::string Bounds::no_whole_number(const Region &region, long element) const {
  if (element == 0 || element % 4 != 0 || region.bytes % 4 == 0)
    return {};
  const auto callers = allocated_in_.find(region.base);
  const SourceLine where =
      callers == allocated_in_.end() ? SourceLine() : symbols().line(place_of(callers->second));
  return (where.line > 0 ? format(", as line %d asks for", where.line) : std::string()) +
         format(": an element has %ld", element);
}

// Far from all memory that kernels may touch: an index gone wild, or a pointer to host memory? The
// pointer that the address was made from tells. It was a parameter, or loaded shortly before, or is the block's shared
// memory.
Bounds::Verdict Bounds::report_stray(const ThreadAccess &access) {
  const char *const shared = dynamic_bytes_ > 0         ? dynamic_shared
                             : static_shared_used() > 0 ? static_shared
                                                        : nullptr;
  const char *const origin = pointer_below(access, shared);
  const Region *region = origin && origin != shared ? shadow_.find(origin) : nullptr;
  if (region) {
    report_outside(access, *region);
    return lend_memory(access.address, access.bytes) ? Verdict::outside : Verdict::illegal;
  }
  if (!is_mapped(access.address) || is_lent(access.address)) {
    const std::string what = verb(access.operation) + (" of " + counted(access.bytes, "byte"));
    const ptrdiff_t past = shared ? access.address - shared : 0;
    // By an index of 32 bits that is a little less than 0.
    const int64_t below = (int64_t{1} << 32) * access.bytes - past;
    report("out_of_bounds",
           access,
           origin && origin == shared
               ? what + format(", %td bytes past where the block's shared memory begins: with an "
                               "index %s",
                               past,
                               below > 0 && below < 65536
                                   ? "that an unsigned has below 0: 0 - 1 is 4294967295"
                                   : "far out of its range")
               : what + " where there is no memory at all: through a pointer that was never set, "
                        "or with an index far out of its range");
    return lend_memory(access.address, access.bytes) ? Verdict::outside : Verdict::illegal;
  }
  const std::string name = array_names().of_parameter(origin, access);
  report("host_pointer",
         access,
         format("access to %s%s: a kernel reaches only what cudaMalloc and its kin gave",
                name.empty() ? "" : (name + ", which is ").c_str(),
                is_on_host_stack(access.address) ? "a variable of a function of the host's"
                                                 : "memory of the host's, of new or malloc"));
  return Verdict::illegal; // a GPU does not reach it, and nothing there may change
}

// Where there is no memory, pages of zeros until the next launch: the access was reported, and what the
// program does after it shall be seen, too.
bool Bounds::lend_memory(const char *address, size_t bytes) {
  constexpr size_t most = 1024;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(page_of(address));
  for (uintptr_t at = begin; at < reinterpret_cast<uintptr_t>(address) + bytes; at += page) {
    char *const wanted = reinterpret_cast<char *>(at);
    if (is_lent(wanted))
      continue;
    if (lent_.size() == most || make_page(wanted) != 0)
      return false;
    lent_.push_back(wanted);
  }
  return true;
}

bool Bounds::is_lent(const char *address) const {
  return std::find(lent_.begin(), lent_.end(), page_of(address)) != lent_.end();
}

void Bounds::launch_begins(const ObservedLaunch &launch) {
  parameters_ = launch.parameters;
  dynamic_bytes_ = launch.config.dynamic_shared;
  for (char *page : lent_)
    munmap(page, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  lent_.clear();
}

// Of the block's shared memory and the pointers that the kernel has seen lately, the nearest one at or below the
// address. An array that a parameter names is passed over where the access has another size than its elements, or its
// line does not speak of it.
const char *Bounds::pointer_below(const ThreadAccess &access, const char *shared) const {
  const char *nearest = nullptr;
  symbols().look_up({access.pc});
  const SourceLine where = symbols().line(access.pc);
  const auto consider = [&](const char *pointer) {
    if (pointer > access.address || pointer <= nearest)
      return;
    const Region *region = pointer == shared ? nullptr : shadow_.find(pointer);
    const auto array =
        region ? array_names().array_at(*region, access.address) : ArrayNames::Array{};
    const bool fits = array.element == 0 || access.bytes % array.element == 0;
    if (array.name.empty() || (fits && (source_text(where).empty() || names(where, array.name))))
      nearest = pointer;
  };
  for (size_t i = 0; i + sizeof(void *) <= parameters_.bytes; i += sizeof(void *)) {
    const char *word;
    std::memcpy(&word, parameters_.base + i, sizeof word);
    consider(word);
  }
  for (const char *word : loaded_)
    consider(word);
  if (shared)
    consider(shared);
  return nearest && reinterpret_cast<uintptr_t>(nearest) >= lowest_address ? nearest : nullptr;
}

namespace {

/// Whether a kernel's parameter is that int.
bool is_among(const Stretch &parameters, size_t number) {
  for (size_t i = 0; i + sizeof(int) <= parameters.bytes; i += sizeof(int)) {
    unsigned word;
    std::memcpy(&word, parameters.base + i, sizeof word);
    if (word == number)
      return true;
  }
  return false;
}

// Of an array in the block's shared memory which elements are written, where these are some in a row, and each thread,
// or each warp, can have written its own.
std::string
one_by_each(const ThreadAccess &access, const Region &region, const Stretch &parameters) {
  const auto offset = static_cast<size_t>(access.in_own_shared() - static_shared);
  for (const SharedVariable *variable : placed_shared_variables()) {
    const auto &[elements, rows, planes] = variable->extents;
    if (offset < variable->offset || offset >= variable->offset + variable->size || elements == 0 ||
        rows != 0 || variable->size / elements % 4 != 0)
      continue;
    const size_t bytes = variable->size / elements, here = (offset - variable->offset) / bytes;
    const auto written = [&](size_t i) { // before this access
      return i != here && (region.written[(variable->offset + i * bytes) / 4] & 0xf) != 0;
    };
    size_t first = 0;
    while (first < elements && !written(first))
      ++first;
    size_t end = first;
    while (end < elements && written(end))
      ++end;
    for (size_t i = end; i < elements; ++i)
      if (written(i))
        return {};
    const size_t threads = size_t{blockDim.x} * blockDim.y * blockDim.z, count = end - first;
    if (first > 0 && count >= threads)
      return format(
          ": of its %zu elements those from %zu to %zu are written", elements, first, end - 1);
    if (first > 0 || count < 2 || (count != threads && count != (threads + 31) / 32))
      return {};
    if (count != threads)
      return format(": of its %zu elements the first %zu are written, as many as it has warps",
                    elements,
                    count);
    return format(": of its %zu elements the first %zu are written, as many as it has threads%s",
                  elements,
                  count,
                  is_among(parameters, count)
                      ? format(", and an argument of the kernel is %zu, too", count).c_str()
                      : "");
  }
  return {};
}

} // namespace

// A word of which some bytes were written is taken as written: structures have gaps.
void Bounds::check_written(const ThreadAccess &access, Region &region) {
  const auto first = static_cast<size_t>(access.address - region.base);
  bool all = true;
  for (size_t i = first; i < first + access.bytes;) {
    const unsigned in_word = static_cast<unsigned>(i % 4);
    const unsigned count =
        static_cast<unsigned>(std::min<size_t>(4 - in_word, first + access.bytes - i));
    const auto mask = static_cast<uint8_t>(((1u << count) - 1) << in_word);
    uint8_t &written = region.written[i / 4];
    if (access.reads())
      all = all && (written & mask) != 0;
    if (access.writes() && (written & mask) != mask)
      written |= mask;
    i += count;
  }
  if (all)
    return;
  const bool shared = access.space == Space::shared;
  const std::string name = array_names().element(access);
  const std::string what =
      name.empty() ? shared ? "shared memory that" : "memory that" : name + ", which";
  report("uninitialised",
         access,
         "reads " + what +
             (access.owner ? " nobody has written in that block of the cluster"
              : shared ? " this block has not written" + one_by_each(access, region, parameters_)
                       : " nothing has written" + brought_before(access.address, region)));
}

// What filled the allocation from its beginning on may have ended too early.
std::string Bounds::brought_before(const char *address, const Region &region) const {
  const auto found = brought_.find(region.base);
  if (found == brought_.end() || address < region.base + found->second.bytes)
    return {};
  const auto &[brought, by, callers] = found->second;
  const SourceLine where = symbols().line(place_of(callers));
  if (where.line <= 0)
    return {};
  return ": " + by + " in line " + std::to_string(where.line) + " brought the first " +
         std::to_string(brought) + " of " + counted(static_cast<long>(region.bytes), "byte");
}

// "cudaFreeAsync in line 29 has freed", "line 12 has freed", "was freed".
std::string Bounds::was_freed(const char *base) const {
  const auto found = freed_.find(base);
  const SourceLine where =
      found == freed_.end() ? SourceLine() : symbols().line(place_of(found->second.callers));
  if (where.line <= 0)
    return "was freed";
  return (found->second.by.empty() ? "" : found->second.by + " in ") +
         format("line %d has freed", where.line);
}

namespace {
constinit thread_local const Task *running_task = nullptr; // of this host thread
}

void Bounds::task_begins(const Task &task) { running_task = &task; }
void Bounds::task_ends(const Task &, TaskCost &) { running_task = nullptr; }

void Bounds::host_access(const HostAccess &access) {
  if (!access.observed || access.pc == 0)
    return;
  const Region *region = shadow_.find(access.address);
  if (region && region->of_device)
    sink_.found({"device_pointer_on_host",
                 false,
                 {{}, access.pc, {}, {}},
                 {},
                 access.operation == Operation::store ? "host code writes to memory of the device's"
                                                      : "host code reads memory of the device's"});
  if (!region || region->of_device || region->alive)
    return;
  // Its addresses may have been given to somebody else since.
  if (const auto allocation = find_allocation(access.address); allocation && !allocation->alive)
    sink_.found({"use_after_free",
                 false,
                 {{}, access.pc, {}, {}},
                 {},
                 "host code touches memory that " + was_freed(region->base)});
}

void Bounds::memory_allocated(const Allocation &allocation) {
  if (allocation.flags & of_program) // which has its shadow
    return;
  Region region{allocation.base, allocation.size};
  region.of_device = allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::opened;
  if (several_devices() && allocation.kind == MemoryKind::device) {
    region.device = allocation.device;
    region.from_pool = allocation.flags == emu::from_pool;
  }
  freed_.erase(allocation.base);
  if (observes_)
    allocated_in_[allocation.base] = program_callers();
  // What the host, or another process, writes there, nobody tells us.
  shadow_.add(region, allocation.kind != MemoryKind::device);
}
void Bounds::memory_freed(char *base) {
  shadow_.retire(base);
  brought_.erase(base);
  allocated_in_.erase(base);
  if (running_task)
    freed_[base] = {running_task->name, running_task->callers};
  else if (observes_)
    freed_[base] = {"", program_callers()};
}
void Bounds::memory_written(char *base, size_t bytes) {
  shadow_.mark_written(base, bytes);
  const Region *region = shadow_.find(base);
  if (!running_task || !region || base != region->base || bytes >= region->bytes)
    brought_.erase(base);
  else
    brought_[base] = {bytes, running_task->name, running_task->callers};
}

} // namespace emu
