// 08.5 · Once over the link
//
// An election in rounds. Voters' records lie on the host, and each begins with a ballot: eight hexadecimal digits, the
// voter's wishes, the last digit being the first wish. In a round each ballot counts for the first of its wishes who is
// still in the race, and whoever has the fewest votes drops out. Of three candidates and the ballots
//
//   012 012 120 201 201    2 has two votes, 0 has one, 1 has two: 0 drops out
//                          2 has three, for 120 now counts for 2, and that is more than half: 2 is elected
//
// A kernel counts, and reads ballots where they are: right, and they cross the link again in every round.
#include <cuda_runtime.h>

constexpr int candidates = 8;

// votes[c] += how many of the ballots in[0], in[step], …, in[(count - 1) * step] count for c. out: a bit for each
// candidate who has dropped out. Any launch.
__global__ void
count_votes(const unsigned *in, int count, int step, unsigned out, unsigned *votes) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
    unsigned ballot = in[static_cast<size_t>(i) * step];
    for (int wish = 1; wish < candidates && (out >> ballot % candidates & 1); ++wish)
      ballot >>= 4;
    atomicAdd(votes + ballot % candidates, 1u);
  }
}

// TODO: each ballot crosses the link once, no sector without a ballot does, and a round is one launch. Whoever has more than
// half of the votes is elected, without another round.

// The candidate who is elected; -1 if nobody votes. A record has `words` numbers, the first of them its ballot. records:
// zero-copy memory, which lies on the host. votes: on the device, 8 for each round, zeros at first. room: on the device,
// for `count` numbers.
int elect(const unsigned *records, int count, int words, unsigned *room, unsigned *votes) {
  if (count == 0)
    return -1;
  static_cast<void>(room);
  unsigned out = 0;
  for (int round = 0; round < candidates - 1; ++round) {
    count_votes<<<4, 128>>>(records, count, words, out, votes + candidates * round);
    unsigned of_round[candidates];
    cudaMemcpy(of_round, votes + candidates * round, sizeof of_round, cudaMemcpyDeviceToHost);
    int fewest = -1; // of several the one with the lowest number
    for (int c = 0; c < candidates; ++c)
      if (!(out >> c & 1) && (fewest < 0 || of_round[c] < of_round[fewest]))
        fewest = c;
    out |= 1u << fewest;
  }
  // end of TODO
  int left = 0;
  while (out >> left & 1)
    ++left;
  return left;
}
