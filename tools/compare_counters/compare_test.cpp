#include "compare.hpp"

#include <doctest/doctest.h>

namespace {

using namespace counters;

Row row_with(uint64_t ours, uint64_t theirs, const std::string &name = "global_load_sectors") {
  return {"kernel", {{name, theirs}}, {{name, ours}}};
}

} // namespace

TEST_CASE("equal, within one percent, different") {
  CHECK(judge(row_with(400, 400)) == Verdict::equal);
  CHECK(judge(row_with(404, 400)) == Verdict::close);
  CHECK(judge(row_with(396, 400)) == Verdict::close);
  CHECK(judge(row_with(405, 400)) == Verdict::different);
  CHECK(judge(row_with(1, 0)) == Verdict::different);
  CHECK(judge(row_with(0, 1)) == Verdict::different);
  for (const char *name : {"global_load_requests",
                           "global_store_requests",
                           "global_store_sectors",
                           "shared_load_requests",
                           "shared_load_wavefronts",
                           "shared_store_requests",
                           "shared_store_wavefronts",
                           "global_atomic_requests",
                           "global_atomic_sectors",
                           "shared_atomic_requests",
                           "shared_atomic_wavefronts"})
    CHECK(judge(row_with(2, 1, name)) == Verdict::different);
}

TEST_CASE("what the GPU does not count is not judged") {
  CHECK(judge({"kernel", {}, {{"shared_load_requests", 5}}}) == Verdict::equal);
}

TEST_CASE("lines and kernels of a part are summed up") {
  const auto report = nlohmann::json::parse(R"({"kernels": [
    {"part": "a", "lines": [
      {"access": "global_load", "requests": 3, "sectors": 12, "wavefronts": 0},
      {"access": "global_load", "requests": 1, "sectors": 4, "wavefronts": 0},
      {"access": "shared_store", "requests": 2, "sectors": 0, "wavefronts": 8}]},
    {"part": "b", "lines": [
      {"access": "global_load", "requests": 10, "sectors": 40, "wavefronts": 0}]}]})");
  Counts counts = emulated(report, "a");
  CHECK(counts["global_load_requests"] == 4);
  CHECK(counts["global_load_sectors"] == 16);
  CHECK(counts["shared_store_wavefronts"] == 8);
  CHECK(emulated(report, "")["global_load_sectors"] == 56);
  Counts hardware;
  const auto launch = nlohmann::json::parse(R"({"kernel": "k", "global_load_requests": 7})");
  add_recorded(hardware, launch);
  add_recorded(hardware, launch);
  CHECK(hardware == Counts{{"global_load_requests", 14}});
}

TEST_CASE("the table shows both sides where they differ, and counts the rows") {
  const std::string text = table(
      {row_with(8, 8), row_with(404, 400), row_with(9, 8), row_with(2, 1, "shared_load_requests")},
      "GPU X");
  CHECK(
      text.rfind("Of 4 kernels the emulator's counts equal those of the GPU X on 1, are within 1 % "
                 "on 1 and differ on 2.\n",
                 0) == 0);
  CHECK(text.find("| kernel | 0 · 8 | ") != std::string::npos);
  CHECK(text.find("| 0 · 404 (GPU: 0 · 400) |") != std::string::npos);
  CHECK(text.find("| 2 · 0 (GPU: 1 · 0) |") != std::string::npos);
  CHECK(text.find("| **different** |") != std::string::npos);
}

TEST_CASE("the table goes between the page's markers") {
  const std::string page = "a\n<!-- note: counters -->\nold\n<!-- note: /counters -->\nb\n";
  const std::string fresh = with_table(page, "new\n");
  CHECK(fresh == "a\n<!-- note: counters -->\n\nnew\n\n<!-- note: /counters -->\nb\n");
  CHECK(with_table(fresh, "new\n") == fresh);
  CHECK_THROWS(with_table("no markers", "new\n"));
}
