// Boxes of a tensor: bulk copies of their rows, or of 16 bytes where these trade places.
#include "emu/engine/tensors.hpp"

#include <algorithm>
#include <utility>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/cluster.hpp"

namespace emu {

namespace {

constexpr int64_t piece = 16; // bytes

/// The map, if a box with this corner can be copied.
const TensorMap &
checked(const void *map, const int32_t *corner, int rank, const void *shared, Site site) {
  const auto &tensor = *static_cast<const TensorMap *>(map);
  if (tensor.mark != TensorMap::made || tensor.rank != rank)
    fail_launch(cudaErrorIllegalInstruction,
                "invalid_tensor_map",
                "a copy of a tensor's box by what is no map of a tensor of as many dimensions",
                site);
  if (int64_t{corner[0]} * tensor.element % piece != 0)
    fail_launch(cudaErrorIllegalInstruction,
                "misplaced_box",
                "a box whose first column does not begin at a multiple of 16 bytes",
                site);
  if (reinterpret_cast<uintptr_t>(shared) % 128 != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "a box in shared memory at an address that is no multiple of 128",
                site);
  return tensor;
}

/// Calls copy(where in the box, where in the tensor, bytes, how many of them are in the tensor, whether more follow) for
/// all of a box.
void for_each_piece(const TensorMap &tensor, const int32_t *corner, auto copy) {
  const auto element = int64_t{tensor.element};
  const int64_t row = tensor.box[0] * element, begin = corner[0] * element,
                end = static_cast<int64_t>(tensor.extent[0]) * element;
  const auto count = [&](int i) { return (tensor.box[i] + tensor.step[i] - 1) / tensor.step[i]; };
  int64_t rows = 1;
  for (int i = 1; i < tensor.rank; ++i)
    rows *= count(i);
  for (int64_t number = 0; number < rows; ++number) {
    bool inside = true;
    const char *line = tensor.address;
    int64_t rest = number;
    for (int i = 1; i < tensor.rank; rest /= count(i++)) {
      const int64_t index = corner[i] + rest % count(i) * tensor.step[i];
      inside &= index >= 0 && index < static_cast<int64_t>(tensor.extent[i]);
      line += index * static_cast<int64_t>(tensor.stride[i - 1]);
    }
    const bool whole = tensor.swizzle == 0 && inside && begin >= 0 && begin + row <= end;
    const int64_t bytes = whole ? row : piece;
    for (int64_t at = 0; at < row; at += bytes) {
      const int64_t there = inside && begin + at >= 0 ? end - begin - at : 0;
      copy(number * row + at,
           line + begin + at,
           bytes,
           std::clamp(there, int64_t{0}, bytes),
           number + 1 < rows || at + bytes < row);
    }
  }
}

/// Where `offset` bytes of a box lie: in rows of 128 bytes, pieces trade places with those that their row's number says.
char *place(const TensorMap &tensor, const void *shared, int64_t offset) {
  auto address = reinterpret_cast<uintptr_t>(shared) + static_cast<uintptr_t>(offset);
  const uintptr_t pieces = (uintptr_t{1} << tensor.swizzle) - 1;
  address ^= (address / 128 & pieces) * piece;
  return reinterpret_cast<char *>(address);
}

} // namespace

void begin_tensor_load(void *to,
                       const void *map,
                       const int32_t *corner,
                       int rank,
                       PhaseBarrier &until,
                       int blocks,
                       Site site) {
  const TensorMap &tensor = checked(map, corner, rank, to, site);
  const int receivers = check_receivers(to, until, blocks, site);
  const void *const at = __builtin_return_address(0);
  this_block->async().open();
  for_each_piece(tensor,
                 corner,
                 [&](int64_t offset, const char *from, int64_t bytes, int64_t read, bool more) {
                   bool again = false;
                   for_each_receiver(
                       receivers, to, until, site, [&](void *there, PhaseBarrier &its) {
                         BulkCopy copy{place(tensor, there, offset),
                                       read > 0 ? from : nullptr,
                                       static_cast<size_t>(bytes),
                                       &its,
                                       site};
                         copy.filled = static_cast<size_t>(bytes - read);
                         copy.fill = static_cast<char>(tensor.fill);
                         copy.more = more;
                         copy.again = std::exchange(again, true);
                         this_block->async().begin(std::move(copy), at);
                       });
                 });
}

void begin_tensor_store(
    const void *map, const int32_t *corner, int rank, const void *from, Site site) {
  const TensorMap &tensor = checked(map, corner, rank, from, site);
  if (!is_shared_here(from))
    fail_launch(cudaErrorIllegalAddress,
                "out_of_bounds",
                "a box that is not in the block's shared memory",
                site);
  if (std::any_of(
          corner, corner + rank, [](int32_t place) { return place < 0; })) // seen on an H100
    fail_launch(cudaErrorIllegalInstruction,
                "misplaced_box",
                "a box that is to be stored begins at a negative place; one that is loaded may",
                site);
  this_block->async().open();
  // Of a piece of 16 bytes that is in the tensor in part, all is written: seen on an H100.
  for_each_piece(
      tensor, corner, [&](int64_t offset, const char *to, int64_t bytes, int64_t inside, bool) {
        if (inside > 0)
          this_block->async().begin({const_cast<char *>(to),
                                     place(tensor, from, offset),
                                     static_cast<size_t>(bytes),
                                     nullptr,
                                     site},
                                    __builtin_return_address(0));
      });
}

} // namespace emu
