/// @file
/// All that this program needs of MPI: who takes part, and six calls, each made by all ranks.
#pragma once

#include <cstddef>
#include <string>

/// The line of a call, as std::source_location tells it, which clang has since version 16.
struct CallSite {
  const char *file;
  int line;
  static constexpr CallSite current(const char *file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A process of several, each of which is a rank.
class World {
public:
  using Where = CallSite;
  static constexpr int nobody = -1; ///< as a rank to send to, or to get from

  /// MPI_Init; once in a process. Takes MPI's own arguments away.
  World(int *argc, char ***argv);

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// This rank's number among those of its machine, from 0.
  int local_rank() const { return local_rank_; }
  /// This machine's number among those that take part, from 0.
  int machine() const { return machine_; }
  int machines() const { return machines_; }

  /// `bytes` bytes of the root's become everybody's.
  void broadcast(void *data, std::size_t bytes, int root, Where where = Where::current());
  /// Sends to one rank and gets as much from one, at the same time. Either may be `nobody`.
  void exchange(const void *send,
                int to,
                void *receive,
                int from,
                std::size_t bytes,
                Where where = Where::current());
  /// out[i] becomes the sum of all ranks' in[i].
  void sum(const float *in, float *out, std::size_t n, Where where = Where::current());
  /// The largest of all ranks' values.
  double most(double value, Where where = Where::current());
  /// Nobody goes on before all have come.
  void meet(Where where = Where::current());
  /// The last call: ends MPI, or, if others don't come any more, all of them.
  /// @return the highest exit code of all ranks
  int finish(int exit_code);

  /// Whether the library takes pointers to device memory: whether it is CUDA-aware, as that is called.
  static bool takes_device_memory();

private:
  template <class Begin> void wait(const char *what, const Where &where, Begin begin);
  void refuse_device_memory(const void *memory, const Where &where) const;

  int rank_ = 0, size_ = 1, local_rank_ = 0, machine_ = 0, machines_ = 1;
};

/// This process's.
World &world();
