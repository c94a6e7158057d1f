// 07.6 · The buffer that was still under way
//
// Two couriers, each a pinned buffer, carry a secret letter to the device, page by page, and bring it back in plain
// text. As it stands nobody waits for a courier who is still under way: his page is taken before he is back, and the
// next one put on top. A page has three legs: there (>), kernel (*) and back (<). To ask for one takes the host as long
// as the leg. Who waits for each page needs 4 legs' time for it:
//
//   host asks  000 111 222
//   courier 0   >*<     >*<
//   courier 1       >*<
#include <cuda_runtime.h>

namespace {

// Character i of the letter was moved on by 7 * i; moves `count` of them back, the first of which is number `first`.
__global__ void decipher(char *page, int count, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count) and some more
  if (i < count)
    page[i] = static_cast<char>(page[i] - 7 * (first + i));
}

} // namespace

// The letter has n >= 0 characters in pages of `room`, the last of what is left. Both buffers, pinned, and both on the
// device have room for one. `back` are events for you, one for each buffer. When this returns, `out` has the plain
// text.
void carry(const char *letter,
           char *out,
           int n,
           int room,
           char *const buffers[2],
           char *const d_buffers[2],
           cudaStream_t stream,
           const cudaEvent_t back[2]) {
  const int pages = (n + room - 1) / room;
  const auto length = [&](int page) { return n - page * room < room ? n - page * room : room; };
  const auto send = [&](int page) { // by courier page % 2, there and back
    char *const buffer = buffers[page % 2], *const d_buffer = d_buffers[page % 2];
    const int count = length(page);
    for (int i = 0; i < count; ++i)
      buffer[i] = letter[page * room + i];
    cudaMemcpyAsync(d_buffer, buffer, count, cudaMemcpyHostToDevice, stream);
    decipher<<<(count + 127) / 128, 128, 0, stream>>>(d_buffer, count, page * room);
    cudaMemcpyAsync(buffer, d_buffer, count, cudaMemcpyDeviceToHost, stream);
  };
  const auto take = [&](int page) { // from the courier who has brought it back
    for (int i = 0; i < length(page); ++i)
      out[page * room + i] = buffers[page % 2][i];
  };
  // TODO: no page is lost, none is taken too early, and the host asks without a pause.
  (void)back;
  for (int page = 0; page < pages; ++page) {
    send(page);
    take(page);
  }
  // end of TODO
}
