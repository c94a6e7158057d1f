// The emulator plays the devices that the time model reckons with, and counts blocks as chapter 11 does.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <chapters/11_occupancy/calculator.hpp>
#include <time_model/device.hpp>

namespace {

namespace fs = std::filesystem;

__global__ void any_kernel() {}

/// Plays a device while it lives.
class Played {
public:
  explicit Played(const std::string &key) { setenv("EMU_DEVICE", key.c_str(), 1); }
  ~Played() { unsetenv("EMU_DEVICE"); }
  Played(const Played &) = delete;

  cudaDeviceProp properties() const {
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    return p;
  }
};

std::vector<fs::path> descriptions() {
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(DEVICES_FOLDER))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

occupancy::Limits answers(const cudaDeviceProp &p) {
  occupancy::Limits limits{};
  limits.threads = p.maxThreadsPerMultiProcessor;
  limits.blocks = p.maxBlocksPerMultiProcessor;
  limits.registers = p.regsPerMultiprocessor;
  limits.shared = p.sharedMemPerMultiprocessor;
  limits.shared_per_block = p.sharedMemPerBlockOptin;
  limits.shared_reserved = p.reservedSharedMemPerBlock;
  return limits;
}

void check_same(const occupancy::Limits &a, const occupancy::Limits &b) {
  CHECK(a.threads == b.threads);
  CHECK(a.blocks == b.blocks);
  CHECK(a.registers == b.registers);
  CHECK(a.shared == b.shared);
  CHECK(a.shared_per_block == b.shared_per_block);
  CHECK(a.shared_reserved == b.shared_reserved);
}

} // namespace

TEST_CASE("each device has its description's figures, which are the model's and chapter 11's") {
  CHECK(descriptions().size() >= 8);
  for (const fs::path &file : descriptions()) {
    CAPTURE(file.stem().string());
    const auto json = nlohmann::json::parse(std::ifstream(file));
    const auto number = [&](const char *key) { return json.at(key).at("value").get<double>(); };
    const Played device(file.stem().string());
    const cudaDeviceProp p = device.properties();
    const std::string capability = std::to_string(p.major) + "." + std::to_string(p.minor);
    CHECK(json.at("compute_capability").at("value") == capability);
    CHECK(p.multiProcessorCount == number("sms"));
    CHECK(p.l2CacheSize == number("l2_mib") * 1024 * 1024);
    CHECK(p.clusterLaunch == (p.major >= 9 ? 1 : 0));
    int khz = 0;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0) == cudaSuccess);
    CHECK(2e-6 * khz * p.memoryBusWidth / 8 ==
          doctest::Approx(number("memory_peak_gbps")).epsilon(1e-5));
    if (json.contains("clock_ghz"))
      check_same(answers(p), model::read_device(file).limits);
    else
      CHECK_THROWS_WITH(model::read_device(file),
                        "no times for an NVIDIA B200: its description has limits alone");
    if (const occupancy::Limits *known = occupancy::find_limits(p.major, p.minor))
      check_same(answers(p), *known);
  }
}

TEST_CASE("as many blocks fit on each device as the calculator says") {
  for (const fs::path &file : descriptions()) {
    const Played device(file.stem().string());
    const cudaDeviceProp p = device.properties();
    occupancy::Limits limits = answers(p);
    limits.shared_unit = p.major < 8 ? 256 : 128;
    REQUIRE(cudaFuncSetAttribute(any_kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(p.sharedMemPerBlockOptin)) == cudaSuccess);
    for (const int threads : {1, 32, 96, 256, 768, 1024})
      for (const size_t shared :
           {0, 100, 3072, 9 * 1024, 32 * 1024, 48 * 1024, 99 * 1024, 113 * 1024}) {
        CAPTURE(file.stem().string());
        CAPTURE(threads);
        CAPTURE(shared);
        int blocks = -1;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, any_kernel, threads, shared) ==
              cudaSuccess);
        CHECK(blocks == occupancy::resident(limits, {threads, 32, shared}).blocks);
      }
  }
}
