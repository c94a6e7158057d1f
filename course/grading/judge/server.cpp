// The learner's process: answers the judge's questions. What it knows of the checker is what a question
// says. Everything here is at the mercy of the submission, which is why the judge believes nothing of it.
#include "judge/learner.hpp"
#include "judge/messages.hpp"
#include "judge/serve_call.hpp"

#include "checker/channel.hpp"
#include "checker/rank_threads.hpp"

#include <observation/host_memory.hpp>
#include <observation/program_file.hpp>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <vector>

extern "C" {
void __tsan_read_range(void *first, size_t bytes);
void __tsan_write_range(void *first, size_t bytes);
}

namespace learner {
namespace {

using judge::Ask;
using judge::Malformed;
using judge::Reader;
using judge::Writer;

int socket_to_judge = -1; // set before constructors run

void take_connection(int, char **, char **environment) {
  socket_to_judge = judge::take_socket("BF_JUDGE", environment);
  emu::open_program_file();
  if (socket_to_judge >= 0 && !checker::detail::raise_fence())
    std::_Exit(126); // what is behind the fence may not run without it
}
// Before the constructors of every object of the program, as this object is the first that is linked.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const taken_first)(int, char **, char **) = take_connection;

/// What the judge can ask for.
std::vector<Entry> &entries() {
  static std::vector<Entry> all;
  return all;
}

const Entry *find_entry(std::string_view key) {
  for (const Entry &entry : entries())
    if (key == entry.key)
      return &entry;
  return nullptr;
}

const Entry &entry_of(std::string_view key) {
  if (const Entry *entry = find_entry(key))
    return *entry;
  throw Malformed("no function " + std::string(key));
}

/// What kernels of the checker's own are asked for: attributes alone.
void stand_in() {}
const void *address_of(std::string_view key) {
  const Entry *entry = find_entry(key);
  return entry ? entry->address : reinterpret_cast<const void *>(&stand_in);
}

void *pointer(std::uint64_t address) { return reinterpret_cast<void *>(address); }

/// Host memory that both sides have a copy of.
struct Shared {
  char *memory;
  std::vector<char> exchanged; ///< as both know it; empty: the judge has not seen it yet
  std::size_t bytes;
};

/// Memory of the judge's that came with a call.
struct Block {
  std::uint64_t address; ///< at the judge's
  bool constant;
  std::vector<char> *memory;
  std::string_view before;
};

class Server {
public:
  void run() {
    Writer greeting;
    greeting.put(judge::layout());
    judge::send_frame(socket_to_judge, greeting.bytes());
    for (;;) {
      const std::string question = judge::receive_frame(socket_to_judge);
      Reader reader(question);
      for (std::size_t told = reader.count(); told > 0; --told) {
        Reader one(reader.bytes());
        Writer none;
        take(one, none);
      }
      Writer answer;
      take(reader, answer);
      put_changes(answer);
      judge::send_frame(socket_to_judge, answer.bytes());
    }
  }

private:
  void take(Reader &reader, Writer &answer) {
    take_environment(reader);
    take_changes(reader);
    this->answer(reader.get<Ask>(), reader, answer);
  }

  void take_environment(Reader &reader) {
    for (std::size_t left = reader.count(); left > 0; --left) {
      const std::string name = reader.text(), value = reader.text();
      if (value.empty())
        unsetenv(name.c_str());
      else
        setenv(name.c_str(), value.c_str(), 1);
    }
  }

  void take_changes(Reader &reader) {
    for (std::size_t left = reader.count(); left > 0; --left) {
      const auto at = reader.get<std::uint64_t>();
      const std::string_view bytes = reader.bytes();
      std::memcpy(pointer(at), bytes.data(), bytes.size());
      for (Shared &one : shared_)
        if (const auto first = reinterpret_cast<std::uint64_t>(one.memory);
            at >= first && at < first + one.bytes)
          std::memcpy(one.exchanged.data() + (at - first), bytes.data(), bytes.size());
    }
    for (std::size_t left = reader.count(); left > 0; --left) {
      const auto first = reader.get<std::uint64_t>(), bytes = reader.get<std::uint64_t>();
      const bool writes = reader.get<std::uint8_t>() != 0;
      (writes ? __tsan_write_range : __tsan_read_range)(pointer(first), bytes);
    }
  }

  void put_changes(Writer &answer) {
    std::vector<Shared *> changed;
    for (Shared &one : shared_)
      if (one.exchanged.empty() || std::memcmp(one.memory, one.exchanged.data(), one.bytes) != 0)
        changed.push_back(&one);
    answer.put<std::uint64_t>(changed.size());
    for (Shared *one : changed) {
      one->exchanged.assign(one->memory, one->memory + one->bytes);
      answer.put(reinterpret_cast<std::uint64_t>(one->memory));
      answer.put_bytes(one->memory, one->bytes);
    }
  }

  void answer(Ask what, Reader &reader, Writer &answer) {
    switch (what) {
    case Ask::cuda:
      return judge::serve_call(reader, answer);
    case Ask::allocate_host:
      return allocate_host(reader, answer);
    case Ask::free_host:
      return free_host(reader);
    case Ask::copy_in:
    case Ask::copy_out:
      return copy(what, reader, answer);
    case Ask::copy_to_array:
      return copy_to_array(reader, answer);
    case Ask::range_attribute:
      return range_attribute(reader, answer);
    case Ask::launch:
    case Ask::call:
      return call(what, reader, answer);
    case Ask::call_ranks:
      return call_ranks(reader, answer);
    case Ask::set_function_attribute:
    case Ask::function_attributes:
    case Ask::active_blocks:
      return about_function(what, reader, answer);
    case Ask::start_observing:
      return emu::start_observing();
    case Ask::stop_observing:
      return put(answer, emu::stop_observing());
    case Ask::begin_part:
      return emu::begin_part(reader.text());
    case Ask::timeline:
      emu::set_timeline_model(reader.get<emu::TimelineModel>());
      return put(answer, emu::timeline());
    }
    throw Malformed("no such question");
  }

  void allocate_host(Reader &reader, Writer &answer) {
    const bool managed = reader.get<std::uint8_t>() != 0;
    const auto bytes = reader.get<std::uint64_t>();
    const auto flags = reader.get<unsigned>();
    void *memory = nullptr;
    const cudaError_t error =
        managed ? cudaMallocManaged(&memory, bytes, flags) : cudaMallocHost(&memory, bytes, flags);
    answer.put(error);
    answer.put(reinterpret_cast<std::uint64_t>(memory));
    if (error == cudaSuccess && bytes > 0)
      shared_.push_back({static_cast<char *>(memory), {}, bytes});
  }

  void free_host(Reader &reader) {
    const bool pinned = reader.get<std::uint8_t>() != 0;
    void *memory = pointer(reader.get<std::uint64_t>());
    (void)(pinned ? cudaFreeHost(memory) : cudaFree(memory));
    shared_.remove_if([&](const Shared &one) { return one.memory == memory; });
  }

  void copy(Ask what, Reader &reader, Writer &answer) {
    void *to = pointer(reader.get<std::uint64_t>());
    void *from = pointer(reader.get<std::uint64_t>());
    const auto bytes = reader.get<std::uint64_t>();
    const auto kind = reader.get<cudaMemcpyKind>();
    const bool asynchronous = reader.get<std::uint8_t>() != 0;
    const auto stream = reader.get<cudaStream_t>();
    std::vector<char> &here = kept_.emplace_back(); // pageable memory of the host
    if (what == Ask::copy_in) {
      if (const std::string_view given = reader.bytes(); !given.empty()) {
        here.assign(given.begin(), given.end());
        from = here.data();
      }
    } else {
      here.resize(bytes);
      to = here.data();
    }
    answer.put(asynchronous ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                            : cudaMemcpy(to, from, bytes, kind));
    if (what == Ask::copy_out)
      answer.put_bytes(here.data(), here.size());
    if (!asynchronous)
      kept_.pop_back();
  }

  static void copy_to_array(Reader &reader, Writer &answer) {
    const auto array = reader.get<cudaArray_t>();
    std::uint64_t x = 0, y = 0, pitch = 0, width = 0, height = 0;
    for (std::uint64_t *value : {&x, &y, &pitch, &width, &height})
      reader.get(*value);
    const std::string_view bytes = reader.bytes();
    answer.put(cudaMemcpy2DToArray(
        array, x, y, bytes.data(), pitch, width, height, cudaMemcpyHostToDevice));
  }

  static void range_attribute(Reader &reader, Writer &answer) {
    std::vector<char> value(reader.get<std::uint64_t>());
    const auto attribute = reader.get<cudaMemRangeAttribute>();
    const void *memory = pointer(reader.get<std::uint64_t>());
    const auto bytes = reader.get<std::uint64_t>();
    answer.put(cudaMemRangeGetAttribute(value.data(), value.size(), attribute, memory, bytes));
    answer.put_bytes(value.data(), value.size());
  }

  static void about_function(Ask what, Reader &reader, Writer &answer) {
    const void *function = address_of(reader.text());
    if (what == Ask::set_function_attribute) {
      const auto attribute = reader.get<cudaFuncAttribute>();
      answer.put(emu::set_function_attribute(function, attribute, reader.get<int>()));
    } else if (what == Ask::function_attributes) {
      cudaFuncAttributes attributes{};
      answer.put(emu::get_function_attributes(&attributes, function));
      answer.put(attributes);
    } else {
      int blocks = 0;
      const auto threads = reader.get<int>();
      const auto shared = reader.get<std::uint64_t>();
      answer.put(emu::max_active_blocks(&blocks, function, threads, shared));
      answer.put(blocks);
    }
  }

  /// The arguments of one call.
  class Given final : public Arguments {
  public:
    emu::LaunchConfig config{};
    std::vector<Block> blocks;
    std::list<emu::HostMemory> ends; ///< of the blocks
    std::vector<std::string> values;

    void *at(std::size_t i, std::size_t bytes, bool points_to_memory) override {
      if (i >= values.size() || values[i].size() != bytes)
        throw Malformed("an argument of another size");
      if (points_to_memory)
        translate(values[i]);
      return values[i].data();
    }
    const emu::LaunchConfig &launch() const override { return config; }

  private:
    void translate(std::string &value) {
      std::uint64_t address = 0;
      std::memcpy(&address, value.data(), sizeof address);
      for (const Block &block : blocks)
        if (address >= block.address && address - block.address < block.memory->size()) {
          const char *here = block.memory->data() + (address - block.address);
          std::memcpy(value.data(), &here, sizeof here);
          return;
        }
    }
  };

  /// One call, from its question to its answer.
  struct Call {
    const Entry *entry = nullptr;
    Given given{};
    std::vector<char> result{};
    bool threw = true;
    std::string thrown{};

    void carry_out() {
      result.resize(entry->result_bytes);
      try {
        entry->invoke(entry->name, given, result.data());
        threw = false;
      } catch (const std::exception &error) {
        thrown = error.what();
      } catch (...) {
        thrown = "an exception that is no std::exception";
      }
    }
    void put(Writer &answer) const {
      answer.put<std::uint8_t>(threw);
      answer.put_text(thrown);
      answer.put_bytes(result.data(), threw ? 0 : result.size());
      for (const Block &block : given.blocks) {
        const std::string_view now(block.memory->data(), block.memory->size());
        answer.put_text(block.constant || now == block.before ? std::string_view() : now);
      }
    }
  };

  Call asked_for(Ask what, Reader &reader) {
    Call asked;
    asked.entry = &entry_of(reader.text());
    if (what == Ask::launch)
      reader.get(asked.given.config);
    for (std::size_t left = reader.count(); left > 0; --left) {
      const auto address = reader.get<std::uint64_t>();
      const bool constant = reader.get<std::uint8_t>() != 0;
      const std::string_view bytes = reader.bytes();
      std::vector<char> &memory = blocks_[address]; // at one place, call after call
      memory.assign(bytes.begin(), bytes.end());
      asked.given.blocks.push_back({address, constant, &memory, bytes});
      asked.given.ends.emplace_back(memory.data(), memory.size());
    }
    for (std::size_t left = reader.count(); left > 0; --left)
      asked.given.values.push_back(reader.text());
    return asked;
  }

  void call(Ask what, Reader &reader, Writer &answer) {
    Call asked = asked_for(what, reader);
    asked.carry_out();
    std::fflush(stdout);
    asked.put(answer);
  }

  void call_ranks(Reader &reader, Writer &answer) {
    std::vector<int> devices(reader.count());
    std::vector<Call> calls;
    for (int &device : devices) {
      reader.get(device);
      Reader question(reader.bytes());
      calls.push_back(asked_for(Ask::call, question));
    }
    const auto ends = checker::run_ranks(
        devices, [&](int rank) { calls[static_cast<std::size_t>(rank)].carry_out(); });
    std::fflush(stdout);
    for (std::size_t rank = 0; rank < calls.size(); ++rank) {
      Writer own;
      calls[rank].put(own);
      answer.put_text(own.bytes());
      answer.put(ends[rank].error);
      answer.put(ends[rank].current);
      answer.put(ends[rank].stuck);
      answer.put(ends[rank].rounds);
      answer.put(ends[rank].sent_first);
      answer.put<std::uint64_t>(ends[rank].heard.size());
      for (const auto &[round, from] : ends[rank].heard) {
        answer.put(round);
        answer.put(from);
      }
    }
  }

  std::list<Shared> shared_;
  std::list<std::vector<char>> kept_; ///< what asynchronous copies may still need
  std::map<std::uint64_t, std::vector<char>> blocks_;
};

} // namespace

Entry::Entry(const char *its_key,
             const char *its_name,
             const void *its_address,
             Invoke its_invoke,
             std::size_t bytes,
             bool is_kernel)
    : key(its_key), name(its_name), address(its_address), invoke(its_invoke), result_bytes(bytes),
      kernel(is_kernel) {
  entries().push_back(*this);
}

} // namespace learner

int main() {
  if (learner::socket_to_judge < 0) {
    std::fprintf(stderr, "this program answers a judge: ./tutor check starts both\n");
    return 2;
  }
  try {
    learner::Server().run();
  } catch (const judge::Gone &) {
    std::fflush(nullptr);
    std::_Exit(0);
  } catch (const judge::Malformed &error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(125);
  }
}
