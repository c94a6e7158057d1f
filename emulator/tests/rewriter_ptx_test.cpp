// Inline PTX: what the rewriter makes of it.
#include <doctest/doctest.h>

#include <string>

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
