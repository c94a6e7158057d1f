#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/device.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("each trouble with a device has a message of its own that says what to do") {
  using lab::device_trouble;
  CHECK(device_trouble(cudaSuccess, 1, 0, 13000, 13000).empty());
  CHECK(contains(device_trouble(cudaErrorInsufficientDriver, 0, 0, 0, 13000), "no NVIDIA driver"));
  CHECK(contains(device_trouble(cudaErrorNoDevice, 0, 0, 0, 13000), "no NVIDIA driver"));
  const std::string old = device_trouble(cudaErrorInsufficientDriver, 0, 0, 12040, 13000);
  CHECK(contains(old, "too old"));
  CHECK(contains(old, "12.4"));
  CHECK(contains(old, "13.0"));
  CHECK(contains(device_trouble(cudaErrorNoDevice, 0, 0, 13000, 13000), "no CUDA device"));
  CHECK(contains(device_trouble(cudaSuccess, 0, 0, 13000, 13000), "no CUDA device"));
  CHECK(contains(device_trouble(cudaSuccess, 2, 2, 13000, 13000), "no device 2"));
  CHECK(contains(device_trouble(cudaSuccess, 2, -1, 13000, 13000), "no device -1"));
  CHECK(contains(device_trouble(cudaErrorInitializationError, 0, 0, 13000, 13000),
                 "cudaErrorInitializationError"));
}

TEST_CASE("of a launch that took too long, each backend names its own cause") {
  const std::string advice = lab::advice_for(cudaErrorLaunchTimeout);
  CHECK(contains(advice, "endless_loop") == lab::on_emulator());
  CHECK(contains(advice, "display driver") != lab::on_emulator());
}

TEST_CASE("the device that runs these tests describes itself") {
  const lab::Device &device = lab::choose_device();
  CHECK_FALSE(device.name.empty());
  CHECK(device.sm_count > 0);
  CHECK(device.l2_bytes > 0);
  CHECK(device.resident_blocks(1024) >= device.sm_count);
  CHECK(contains(lab::summary(device), device.name));
  CHECK_THROWS_AS(lab::choose_device(1000), lab::EnvironmentError);
}

TEST_CASE("texts for people") {
  CHECK(lab::version_text(13000) == "13.0");
  CHECK(lab::version_text(12040) == "12.4");
  CHECK(lab::size_text(12) == "12 B");
  CHECK(lab::size_text(1536) == "1.5 KiB");
  CHECK(lab::size_text(4294967296.0) == "4 GiB");
}

TEST_CASE("LAB_CHECK throws with place, call, CUDA's words and advice, and passes success") {
  CHECK_NOTHROW(LAB_CHECK(cudaSuccess));
  try {
    LAB_CHECK(cudaErrorMemoryAllocation);
    FAIL("nothing was thrown");
  } catch (const lab::CudaError &error) {
    const std::string text = error.what();
    CHECK(error.code() == cudaErrorMemoryAllocation);
    CHECK(error.exit_code() == 1);
    CHECK(contains(text, "device_test.cpp:"));
    CHECK(contains(text, "LAB_CHECK") == false);
    CHECK(contains(text, "cudaErrorMemoryAllocation: "));
    CHECK(contains(text, "try: "));
  }
}

TEST_CASE("guarded_main turns exceptions into exit codes") {
  const auto code = [](int (*body)(int, char **)) { return lab::guarded_main(body, 0, nullptr); };
  CHECK(code([](int, char **) { return 0; }) == 0);
  CHECK(code([](int, char **) -> int { throw lab::UsageError("usage, in a test"); }) == 2);
  CHECK(code([](int, char **) -> int { throw lab::EnvironmentError("no GPU, in a test"); }) == 3);
  CHECK(code([](int, char **) -> int { throw std::runtime_error("failure, in a test"); }) == 1);
  CHECK(code([](int, char **) -> int { throw std::bad_alloc(); }) == 1);
}

TEST_CASE("buffers hold what was put there, and refuse what does not fit") {
  lab::DeviceBuffer<int> buffer(3);
  buffer.upload({1, 2, 3});
  CHECK(buffer.download() == std::vector<int>{1, 2, 3});
  CHECK(buffer.at(2) == 3);
  CHECK_THROWS_AS(buffer.at(3), lab::Error);
  CHECK_THROWS_AS(buffer.upload({1, 2, 3, 4}), lab::Error);
  lab::DeviceBuffer<int> moved = std::move(buffer);
  CHECK(moved.at(0) == 1);
  CHECK(buffer.data() == nullptr);
  lab::DeviceBuffer<int> empty(0);
  CHECK(empty.download().empty());
}

TEST_CASE("a guarded buffer notices one byte written on either side") {
  for (int side : {-1, +1}) {
    lab::GuardedBuffer<int> guarded(10, 4);
    guarded.upload(std::vector<int>(10, 42));
    CHECK(guarded.intact());
    CHECK(guarded.download() == std::vector<int>(10, 42));
    int *outside = side < 0 ? guarded.data() - 1 : guarded.data() + 10;
    LAB_CHECK(cudaMemset(outside, 0, 1));
    CHECK_FALSE(guarded.intact());
  }
}

TEST_CASE("pinned memory can be written and read") {
  lab::PinnedBuffer<int> pinned(4);
  int next = 0;
  for (int &value : pinned)
    value = next++;
  CHECK(pinned[3] == 3);
  CHECK(pinned.bytes() == 4 * sizeof(int));
}
