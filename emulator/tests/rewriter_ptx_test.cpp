// Inline PTX: what the rewriter makes of it.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "../include/emu/ptx/opcodes.hpp"
#include "matches.hpp"
#include "rewrite.hpp"

TEST_CASE("inline PTX becomes a call for each instruction, or one that names them all") {
  const auto becomes = [](const std::string &statement, const std::string &expected) {
    CAPTURE(statement);
    const std::string text = rewriter::rewrite("__device__ void f() { " + statement + " }").text;
    CHECK(text.find(expected) != std::string::npos);
  };
  const std::string run = "::emu::ptx::run<", site = "(::emu::ptx::here(), ";
  becomes(R"(asm volatile("bar.sync 0;");)",
          "do { " + run + "\"bar.sync\">" + site + "0ll); } while (0);");
  becomes(R"(asm("mov.u32 %0, %%laneid;" : "=r"(m[1]));)",
          "do { auto &&emu_0 = (m[1]); " + run + "\"mov.u32\">" + site +
              "emu_0, (static_cast<unsigned>(::emu::lane_id()))); } while (0);");
  becomes(R"(asm("ld.v2.f32 {%0, %1}, [%2+8];" : "=f"(x), "=f"(y) : "l"(p) : "memory");)",
          "do { auto &&emu_0 = (x); auto &&emu_1 = (y); const auto emu_2 = (p); " + run +
              "\"ld.v2.f32\">" + site +
              "::std::forward_as_tuple(emu_0, emu_1), "
              "::emu::ptx::Address{::emu::ptx::get<uint64_t>(emu_2) + "
              "static_cast<uint64_t>(8ll)}); } while (0);");
  becomes(R"(asm("{ .reg .pred p; // why\n" "@!p mov.f32 %0, 0f3F800000; }" :: "f"(a));)",
          "do { const auto emu_0 = (a); { [[maybe_unused]] ::emu::ptx::Register<\"pred\"> "
          "emu_r_p{}; if (!emu_r_p) " +
              run + "\"mov.f32\">" + site +
              "emu_0, __builtin_bit_cast(float, 0x3F800000u)); } } while (0);");
  // A branch passes by no declaration; labels are of their braces.
  becomes(R"(asm("{ wait_%=: @p bra.uni wait_%=; .reg .pred p; bra $end; $end: }");)",
          "do { { __label__ emu_l_wait_; __label__ emu_l__end; [[maybe_unused]] "
          "::emu::ptx::Register<\"pred\"> emu_r_p{}; emu_l_wait_: __attribute__((unused)); if "
          "(emu_r_p) goto emu_l_wait_; goto emu_l__end; emu_l__end: __attribute__((unused)); } } "
          "while (0);");
  for (const std::string text : {"L: call f;", "mov.u32 %[d], 1;"})
    becomes("asm(\"" + text + "\" : [d] \"=r\"(x));", "::emu::inline_ptx(\"" + text + "\");");
  for (const char *host :
       {"long f() { asm volatile(\"rdtsc\" : \"=A\"(x)); }", "asm(\".globl name\");"})
    CHECK(rewriter::rewrite(host).text.find(host) != std::string::npos);
}

TEST_CASE("an instruction of PTX that is not there is named in one line, once, with what to use") {
  const auto warnings = [](const std::string &body) {
    return rewriter::rewrite("__device__ void f() {\n" + body + "\n}").warnings;
  };
  const auto told =
      warnings("asm(\"wgmma.fence.sync.aligned;\");\n"
               "asm(\"add.u32 %0, %1, %1;\" : \"=r\"(a) : \"r\"(b));\n"
               "asm(\"wgmma.fence.sync.aligned; bmsk.clamp.b32 %0, 1, 2;\" : \"=r\"(a));\n"
               "asm(\"no.such.thing;\");\n"
               "asm(\"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0], "
               "[%1];\" : : \"r\"(a), \"r\"(b));");
  REQUIRE(told.size() == 4);
  CHECK(told[0].line == 2);
  CHECK(told[0].what ==
        "PTX's wgmma.fence.sync.aligned is not in the emulator; try: mma.sync by each warp");
  CHECK(told[1].line == 4);
  CHECK(told[1].what == "PTX's bmsk.clamp.b32 is not in the emulator; try: shl and sub");
  CHECK(told[2].what == "PTX's no.such.thing is not in the emulator");
  CHECK(told[3].what.find("try: a map of cuTensorMapEncodeTiled") != std::string::npos);
}

TEST_CASE("a row of the table of PTX is the first that fits") {
  const auto row = [](std::string_view instruction) {
    return emu::ptx::opcodes[emu::ptx::find_opcode(instruction)].words;
  };
  CHECK(row("mul.wide.u32") == "mul.wide");
  CHECK(row("mul.lo.u32") == "mul");
  CHECK(row("barrier.cta.red.popc.aligned.u32") == "barrier.red");
  CHECK(row("cp.async.bulk.wait_group.read") == "cp.async.bulk.wait_group");
  CHECK(row("cp.async.bulk.prefetch.tensor.2d.L2.global.tile") == "cp.async.bulk.prefetch");
  CHECK(row("cp.async.wait_group") == "cp.async.wait_group");
  CHECK(emu::ptx::find_opcode("frobnicate.u32") == emu::ptx::opcode_count);
  for (size_t i = 0; i < emu::ptx::opcode_count;
       ++i) { // none stands behind one that takes all of its
    CAPTURE(emu::ptx::opcodes[i].words);
    CHECK(emu::ptx::find_opcode(emu::ptx::opcodes[i].words) == i);
  }
}

TEST_CASE("the table of PTX has the opcodes that the headers run, and no others") {
  std::set<std::string> run = {"bra"}; // the rewriter's
  const std::filesystem::path folder = std::filesystem::path(EMULATOR_HEADERS) / "emu/ptx";
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const Match &use : matches(replaced(text, "\n *", " "), "\\bis<op>\\(([^()]*)\\)"))
      for (const Match &word : matches(use.groups[1], "\"([a-z0-9]+)\""))
        run.insert(word.groups[1]);
  }
  std::set<std::string> listed;
  for (const emu::ptx::Opcode &opcode : emu::ptx::opcodes)
    if (std::string_view words = opcode.words; opcode.here)
      listed.insert(std::string(emu::ptx::take_word(words)));
  CHECK(run == listed);
}
