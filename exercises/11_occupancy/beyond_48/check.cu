// Checks beyond_48.cu: rows that fit, rows that need more than 48 KB, rows that no block can hold.
#include "checker/nasty.hpp"

bool rotate_rows(int *d_data, int rows, int width, int shift);

namespace {

/// Numbers that a block's shared memory can hold at most.
int most() {
  int bytes = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  return bytes / static_cast<int>(sizeof(int));
}

// Whether the emulator plays a device with less shared memory than the usual one.
bool smaller_device = false;

void check(int rows, int width, bool fits) {
  const auto h_data = checker::extreme_values<int>(static_cast<std::size_t>(rows) * width);
  const int shift = width / 3;
  std::vector<int> rotated(h_data.size());
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < width; ++k)
      rotated[row * width + k] = h_data[row * width + (k + shift) % width];
  const auto d_data = checker::on_device(h_data);
  static_cast<void>(checker::shape(rows, width));
  const std::string what = "a row of " + std::to_string(width) + " numbers, " +
                           std::to_string(width * sizeof(int)) + " bytes";
  bool done = false;
  cudaError_t error = cudaSuccess;
  const auto seen = checker::observe(what, [&] {
    done = rotate_rows(d_data.data(), rows, width, shift);
    error = cudaGetLastError();
  });
  const auto got = d_data.download();
  const bool untouched = got == h_data;
  if (fits) {
    checker::expect(done,
                    "refused",
                    what +
                        ": false, although this device could do it. A block gets more than 48 KB, "
                        "if its kernel is allowed them; how much, the device knows");
    checker::expect(error == cudaSuccess,
                    "launch_failed",
                    what + ": the launch failed (" + cudaGetErrorString(error) +
                        "), and nobody noticed. A kernel gets what it was allowed, 48 KB if nobody "
                        "asked");
    checker::expect_same("after rotate_rows, " + what, got, rotated, {}, width);
    if (seen)
      checker::expect(
          checker::total(*seen, emu::Access::shared_load).lanes == got.size(),
          "not_in_shared_memory",
          what + ": the row is right, but it has not come through a block's shared memory");
    if (seen && width >= 1024)
      checker::expect_lanes(*seen, emu::Access::shared_load, 30.0);
    return;
  }
  const std::string too_much = what + ": more than a block gets on this device";
  checker::expect(!(done && smaller_device),
                  "number_of_another_device",
                  too_much + ", which has less than the one before, and yet true came back. How "
                             "much a block gets has to be asked of the device that is there");
  checker::expect(!done, "claims_done", too_much + ", and yet true came back. Nothing was rotated");
  checker::expect(error == cudaSuccess,
                  "error_left_behind",
                  too_much + ". It returned false, but an error stays behind (" +
                      cudaGetErrorString(error) +
                      "): whoever asks for errors next takes it for their own");
  checker::expect(
      untouched, "wrong_result", too_much + ". It returned false, but the data changed");
}

} // namespace

TEST_CASE("rows that always fit") {
  for (int width : {100, 1, 2, 33, 1024, 5000, 12288})
    check(3, width, true);
}

TEST_CASE("rows of more than 48 KB") {
  checker::record("most_kb_of_a_block", most() * sizeof(int) / 1024.0);
  for (int width : {12289, 16000, 14000, 20000})
    check(2, width, true);
  check(1, most(), true);
}

TEST_CASE("rows that are too long") {
  check(1, most() + 1, false);
  check(1, 3 * most(), false);
}

TEST_CASE("short rows after long ones") {
  check(1, 16000, true);
  check(2, 3 * most(), false);
  check(2, 12289, true);
  check(2, 100, true);
}

TEST_CASE("a smaller device") {
  if (!lab::on_emulator())
    return;
  const checker::PlayedDevice played("rtx3060");
  smaller_device = true;
  check(1, most() + 1, false);
  check(1, most(), true);
}
