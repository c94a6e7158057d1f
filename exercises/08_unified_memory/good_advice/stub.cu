// 08.4 · Good advice
//
// A weather forecast, round after round, with three arrays in managed memory. Without advice pages of two of them go to and
// fro between host and device.
#include <cuda_runtime.h>

struct Arrays {
  // The land: written by the host before the first round. In each round a kernel and the host read all of it. Its first
  // number is the clock, which the host sets anew before each round. Nothing else in it ever changes.
  unsigned *land;
  // The wind: one kernel writes it, the next one reads it. The host never touches it.
  unsigned *wind;
  // The weather: a kernel writes all of it, once a round. Then the host prints the last page, and never reads another.
  unsigned *weather;
  // Of each of the three.
  size_t bytes;
};

// Bytes. What moves is a page, and advice is for whole ones; each array begins with one.
inline constexpr size_t page = 4096;

enum class Place { host, device };

// Gives one piece of advice about [memory, memory + bytes); what CUDA answers. (Read mostly is the same for
// every place.)
cudaError_t advise(const void *memory, size_t bytes, cudaMemoryAdvise advice, Place place) {
  int device = 0, pages_move = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&pages_move, cudaDevAttrConcurrentManagedAccess, device);
  if (!pages_move)
    return cudaSuccess;
#if CUDART_VERSION >= 13000
  const cudaMemLocation there = place == Place::device
                                    ? cudaMemLocation{cudaMemLocationTypeDevice, device}
                                    : cudaMemLocation{cudaMemLocationTypeHost, 0};
  return cudaMemAdvise(memory, bytes, advice, there);
#else
  return cudaMemAdvise(memory, bytes, advice, place == Place::device ? device : cudaCpuDeviceId);
#endif
}

// Called once, when the land is written and nobody has touched the others.
void give_advice(const Arrays &arrays) {
  // TODO: call advise() with cudaMemAdviseSetReadMostly, cudaMemAdviseSetPreferredLocation or cudaMemAdviseSetAccessedBy,
  // as often as need be, and for no page for which it changes nothing.
  static_cast<void>(arrays);
  // end of TODO
}
