// The time model on kernels whose time can be worked out by hand.
#include "block_memory.hpp"
#include "footprint.hpp"
#include "lower.hpp"
#include "machine.hpp"
#include "predict.hpp"
#include "registers.hpp"
#include "values.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace model;

namespace {

// out[i] = in[i], 16 bytes per thread, as clang writes it: two halves.
const char *const copy_ptx = R"(
	ld.param.u64 %rd1, [param_0];
	ld.param.u64 %rd2, [param_1];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r1, %r1, %r2, %r3;
	mul.wide.u32 %rd3, %r1, 16;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.u64 %rd6, [%rd4+8];
	st.global.u64 [%rd5+8], %rd6;
	ld.global.u64 %rd7, [%rd4];
	st.global.u64 [%rd5], %rd7;
)";

// A loop of a million turns, one multiply-add each.
const char *const loop_ptx = R"(
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, 1000000;
	mov.f32 %f1, 0f3F800000;
LBB0_1:
	fma.rn.f32 %f1, %f1, %f1, %f1;
	add.s32 %r1, %r1, -1;
	setp.ne.s32 %p1, %r1, 0;
	@%p1 bra LBB0_1;
	st.global.f32 [%rd1], %f1;
)";

// Decoupled look-back: a lane walks from block to block until one has told the sum of all before it.
const char *const look_back_ptx = R"(
	mov.b64 %rd1, param_0;
	ld.param.u64 %rd2, [%rd1];
	mov.u32 %r1, %ctaid.x;
LBB0_1:
	add.s32 %r1, %r1, -1;
	mul.wide.s32 %rd3, %r1, 8;
	add.s64 %rd4, %rd2, %rd3;
LBB0_2:
	ld.volatile.global.u64 %rd5, [%rd4];
	setp.eq.s64 %p1, %rd5, 0;
	@%p1 bra LBB0_2;
	setp.ne.s64 %p2, %rd5, 2;
	@%p2 bra LBB0_1;
	st.global.u64 [%rd4+8], %rd5;
)";

// Three sums under a condition. Each has one definition, under the predicate that its reader has, too.
const char *const guarded_ptx = R"(
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	setp.gt.u32 %p1, %r1, 7;
LBB0_1:
	@%p1 ld.global.u32 %r2, [%rd3];
	@%p1 st.global.u32 [%rd3+128], %r2;
	@%p1 ld.global.u32 %r3, [%rd3+256];
	@%p1 st.global.u32 [%rd3+384], %r3;
	@%p1 ld.global.u32 %r4, [%rd3+512];
	@%p1 st.global.u32 [%rd3+640], %r4;
	@%p1 bra LBB0_1;
)";

constexpr uint64_t in = 1ull << 32, out = 1ull << 40; // addresses; nobody reads there

/// A kernel of two parameters of 64 bits, param_0 and param_1.
Function kernel(const std::string &body) {
  return parse_ptx(R"(
.visible .entry kernel(.param .u64 param_0, .param .u64 param_1)
{
	.reg .pred %p<5>;
	.reg .b32 %r<9>;
	.reg .f32 %f<4>;
	.reg .f64 %fd<3>;
	.reg .b64 %rd<24>;
)" + body + "\tret;\n}\n")
      .functions.at("kernel");
}

LaunchTrace trace(const std::string &body, Extent grid, Extent block, uint64_t bytes) {
  Function f = kernel(body);
  as_ptxas_does(f);
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.parameters.resize(f.parameter_bytes);
  const uint64_t parameters[] = {in, out};
  std::copy_n(
      reinterpret_cast<const uint8_t *>(parameters), f.parameter_bytes, launch.parameters.begin());
  LaunchTrace t;
  t.grid = grid;
  t.block = block;
  t.function = lower(f);
  t.touched = {{in, in + bytes}, {out, out + bytes}};
  for (uint64_t b : sampled_blocks(grid))
    run_unrolled(t.function.unrolled, t.blocks.emplace_back(execute_block(f, launch, b)));
  return t;
}

Device h200() { return read_device(DEVICES_FOLDER "/h200.json"); }

double simulated_l2(const LaunchTrace &t) {
  return predict_launch(t, h200(), L2State::warm).terms.at("l2");
}

/// Warps whose threads make one access each, to a place as many bytes behind the neighbour's on its left.
LaunchTrace one_access(const std::string &instruction, int bytes_apart, uint64_t bytes) {
  const std::string ptx = fmt::format(R"(
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, {};
	add.s64 %rd3, %rd1, %rd2;
	{}
)",
                                      bytes_apart,
                                      instruction);
  return trace(ptx, {132 * 64, 1, 1}, {32, 1, 1}, bytes);
}

} // namespace

TEST_CASE("a large copy takes its bytes by the bandwidth, and memory binds") {
  const unsigned blocks = 1u << 18;
  const uint64_t bytes = uint64_t{blocks} * 256 * 16;
  const auto t = trace(copy_ptx, {blocks, 1, 1}, {256, 1, 1}, bytes);
  int requests = 0;
  for (const Step &step : t.blocks[0].warps[0])
    if (step.sectors > 0) {
      CHECK(step.sectors == 16); // two halves of 8 bytes were joined
      ++requests;
    }
  CHECK(requests == 2);
  const Device device = h200();
  const Prediction p = predict_launch(t, device, L2State::cold);
  const double ideal_ms = 2e-6 * static_cast<double>(bytes) / device.copy_gbps;
  CHECK(p.refused.empty());
  CHECK(p.ms > 0.95 * ideal_ms);
  CHECK(p.ms < 1.3 * ideal_ms);
  CHECK(p.term == "memory");
  CHECK(p.low < p.ms);
  CHECK(p.ms < p.high);
}

TEST_CASE("of a long loop a few turns are followed, and stand for all of them") {
  const auto t = trace(loop_ptx, {1, 1, 1}, {32, 1, 1}, 4);
  double turns = 0;
  size_t followed = 0;
  for (const Step &step : t.blocks[0].warps[0])
    if (t.function.code[step.pc].unit == Unit::fma) {
      turns += static_cast<double>(step.weight);
      ++followed;
    }
  CHECK(turns == doctest::Approx(1e6).epsilon(1e-4));
  CHECK(followed < 100);
  // Each turn waits for the one before: a million chains of one multiply-add, at the least.
  const Device device = h200();
  const Prediction p = predict_launch(t, device, L2State::warm);
  CHECK(p.ms > 1e6 * device.latency_alu / device.clock_ghz * 1e-6);
  CHECK(p.ms < 6 * 1e6 * device.latency_alu / device.clock_ghz * 1e-6);
}

TEST_CASE("what cannot be followed is refused, and the device's limits hold") {
  LaunchTrace t = trace(loop_ptx, {1, 1, 1}, {32, 1, 1}, 4);
  t.dynamic_shared = 300 * 1024;
  const Prediction p = predict_launch(t, h200(), L2State::warm);
  CHECK(p.refused == "a block of it does not fit on an SM of this device");
  // Of an instruction without a time the kernel that has it knows the name, and no other.
  const Module module = parse_ptx(
      ".visible .entry f(\n)\n{\n\tfrobnicate.u32 %r1, %r2;\n\tmma.sync.m16n8k16 %r1, %r2;\n}\n"
      ".visible .entry g(\n)\n{\n\tret;\n}\n");
  CHECK(module.functions.at("f").unknown == "frobnicate.u32");
  CHECK(module.functions.at("g").unknown.empty());
  // A function that the emulator's engine has and the model has not is named as the program has it.
  CHECK_THROWS_WITH(
      trace("\tcall.uni \n\t_ZN3emu11commit_bulkEv, \n\t(\n\t);\n", {1, 1, 1}, {32, 1, 1}, 4),
      "it calls emu::commit_bulk(), which is not modelled");
}

TEST_CASE(
    "blocks that look back: each look is there once, and as often as the steady state needs") {
  const unsigned blocks = 1u << 16;
  const auto t = trace(look_back_ptx, {blocks, 1, 1}, {32, 1, 1}, 1u << 20);
  REQUIRE(t.blocks[1].looks.size() == 1);
  CHECK(t.blocks[1].looks[0].walks);
  CHECK(t.blocks[1].warps[0].size() < 20); // the turns of the waiting loop are gone
  const Device device = h200();
  const Prediction p = predict_launch(t, device, L2State::warm);
  REQUIRE(p.refused.empty());
  CHECK(!p.assumes.empty());
  // Blocks follow each other no faster than what one tells is seen by as many as it may hold back.
  const double cycles = p.ms * 1e6 * device.clock_ghz / blocks;
  const int at_once = device.sms * p.blocks_per_sm;
  CHECK(cycles > device.latency_l2 / at_once);
  CHECK(cycles < 4 * device.latency_l2);
}

TEST_CASE("a register that is written under a predicate is not needed before") {
  // The address (8 bytes) and the value on its way.
  CHECK(live_registers(kernel(guarded_ptx)) <= 4);
}

TEST_CASE(
    "a device function in front of a kernel is no part of it, and a function of the mathematical "
    "library costs what it has on a GPU") {
  const char *const ptx = R"(
.visible .func  (.param .b32 func_retval0) helper(.param .b32 helper_param_0)
{
	.reg .f32 %f<3>;
	ld.param.f32 %f1, [helper_param_0];
	mul.f32 %f2, %f1, %f1;
	st.param.f32 [func_retval0+0], %f2;
	ret;
}
.visible .entry kernel(.param .u64 kernel_param_0)
{
	.reg .f32 %f<4>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [kernel_param_0];
	ld.global.f32 %f1, [%rd1];
	mov.f32 %f2, 0f00000000;
	add.rp.f32 %f3, %f1, %f2;
	st.global.f32 [%rd1], %f3;
	ret;
}
)";
  const Module module = parse_ptx(ptx);
  const Function &f = module.functions.at("kernel");
  REQUIRE(f.code.size() == 6);
  REQUIRE(f.code[3].op == Op::call);
  const LibraryCall *first = find_library_call(library_call_name(0));
  REQUIRE(first != nullptr);
  const Lowered call = lower(f).code[3];
  CHECK(call.slots == static_cast<float>(first->arithmetic));
  CHECK(call.special == static_cast<float>(first->special));
}

TEST_CASE("sectors that warps store in parts, each in its own time, are filled from memory, but "
          "not behind a barrier "
          "or where blocks that follow each other store side by side") {
  const auto l2 =
      [](const std::string &block_x, const std::string &block_y, const std::string &between) {
        const std::string ptx = fmt::format(R"(
	.shared .align 8 .b8 s_tile[2048];
	ld.param.u64 %rd1, [param_0];
	ld.param.u64 %rd2, [param_1];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, {};
	mov.u32 %r4, {};
	shl.b32 %r3, %r3, 5;
	shl.b32 %r4, %r4, 3;
	add.s32 %r1, %r1, %r3;
	add.s32 %r2, %r2, %r4;
	shl.b32 %r5, %r2, 12;
	add.s32 %r5, %r5, %r1;
	mul.wide.u32 %rd3, %r5, 8;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.f64 %fd1, [%rd4];
	add.f64 %fd2, %fd1, %fd1;
	{}
	shl.b32 %r6, %r1, 12;
	add.s32 %r6, %r6, %r2;
	mul.wide.u32 %rd5, %r6, 8;
	add.s64 %rd6, %rd2, %rd5;
	st.global.f64 [%rd6], %fd2;
)",
                                            block_x,
                                            block_y,
                                            between);
        const bool down = block_x == "%ctaid.y";
        const Extent grid = down ? Extent{512, 128, 1} : Extent{128, 512, 1};
        return simulated_l2(trace(ptx, grid, {32, 8, 1}, 1 << 27));
      };
  const double apart = l2("%ctaid.x", "%ctaid.y", ""),
               together = l2("%ctaid.x", "%ctaid.y", R"(mov.u32 %r7, %tid.y;
	shl.b32 %r7, %r7, 5;
	mov.u32 %r8, %tid.x;
	add.s32 %r7, %r7, %r8;
	mul.wide.u32 %rd7, %r7, 8;
	mov.u64 %rd8, s_tile;
	add.s64 %rd7, %rd8, %rd7;
	st.shared.f64 [%rd7], %fd2;
	bar.sync 0;
	ld.shared.f64 %fd2, [%rd7];)");
  CHECK(apart > 1.15 * together);
  CHECK(l2("%ctaid.y", "%ctaid.x", "") == doctest::Approx(together).epsilon(0.02));
}

TEST_CASE("what is filled and how long that takes is as an H200 was measured") {
  std::ifstream file(DEVICES_FOLDER "/../../docs/results/nvidia-h200_stores_in_part.json");
  const auto kernels = nlohmann::json::parse(file).at("kernels");
  std::vector<double> all_filled_per_ns, fill_ns;
  for (const auto &apart : kernels) {
    if (apart["name"] != "load_and_store" || apart["next_block"] != "apart" ||
        apart["rows"] != 4096)
      continue;
    const auto beside = std::find_if(kernels.begin(), kernels.end(), [&](const auto &other) {
      return other["next_block"] == "beside" && other["name"] == apart["name"] &&
             other["bytes"] == apart["bytes"] && other["rows"] == apart["rows"] &&
             other["block_rows"] == apart["block_rows"];
    });
    const auto of = [&](const char *key) { return apart[key].get<double>(); };
    const double sectors = of("rows") * of("cols") * of("bytes") / 32,
                 filled = of("filled") / sectors, ns = 1e3 * of("us"),
                 lines_of_block = std::max(1.0, of("block_rows") * of("bytes") / 128),
                 lines = of("rows") * of("cols") / of("block_rows") * lines_of_block;
    all_filled_per_ns.push_back(2 * sectors / ns / filled); // loaded and stored
    fill_ns.push_back((ns - 1e3 * beside->at("us").get<double>()) / (filled * lines));
  }
  const auto median = [](std::vector<double> values) {
    REQUIRE(values.size() == 4);
    std::sort(values.begin(), values.end());
    return (values[1] + values[2]) / 2;
  };
  CHECK(h200().all_filled_per_ns == doctest::Approx(median(all_filled_per_ns)).epsilon(0.005));
  CHECK(h200().fill_ns == doctest::Approx(median(fill_ns)).epsilon(0.005));
}

TEST_CASE("a short loop that counts by a constant is unrolled once more, and then its loads go "
          "ahead together") {
  const char *const ptx = R"(
	ld.param.u64 %rd1, [param_0];
	ld.param.u64 %rd2, [param_1];
	mov.u32 %r1, 0;
	mov.f32 %f1, 0f00000000;
LBB0_1:
	ld.global.f32 %f2, [%rd1];
	add.f32 %f1, %f1, %f2;
	add.s64 %rd1, %rd1, 128;
	add.s32 %r1, %r1, 1;
	setp.lt.s32 %p1, %r1, 64;
	@%p1 bra LBB0_1;
	st.global.f32 [%rd2], %f1;
)";
  const auto t = trace(ptx, {1, 1, 1}, {32, 1, 1}, 1 << 20);
  REQUIRE(t.function.unrolled.size() == 1);
  int together = 0, most = 0;
  for (const Step &step : t.blocks[0].warps[0]) {
    const Lowered &l = t.function.code[step.pc];
    together = l.action == Action::load && step.sectors > 0 ? together + 1
               : l.unit == Unit::fma                        ? 0
                                                            : together;
    most = std::max(most, together);
  }
  CHECK(most == 4);
}

TEST_CASE("in front of a loop that is unrolled once more it is asked how many turns are left, "
          "where nobody knows") {
  const auto asked = [](const std::string &bound) {
    const std::string ptx = fmt::format(R"(
	ld.param.u64 %rd1, [param_0];
	ld.param.u64 %rd2, [param_1];
	mov.u32 %r2, %ntid.x;
	mov.u32 %r1, 0;
	mov.f32 %f1, 0f00000000;
LBB0_1:
	ld.global.f32 %f2, [%rd1];
	add.f32 %f1, %f1, %f2;
	add.s64 %rd1, %rd1, 128;
	add.s32 %r1, %r1, 1;
	setp.lt.s32 %p1, %r1, {};
	@%p1 bra LBB0_1;
	st.global.f32 [%rd2], %f1;
)",
                                        bound);
    const auto t = trace(ptx, {1, 1, 1}, {64, 1, 1}, 1 << 20);
    REQUIRE(t.function.unrolled.size() == 1);
    const size_t questions = t.function.unrolled[0].questions;
    const auto &steps = t.blocks[0].warps[1];
    return questions == 0 ? 0 : std::count_if(steps.begin(), steps.end(), [&](const Step &step) {
      return step.pc == questions;
    });
  };
  CHECK(asked("64") == 0);
  CHECK(asked("%r2") == 1);
}

TEST_CASE(
    "a loop is not unrolled once more that also asks before each turn what lanes may differ in") {
  const auto unrolled = [](const std::string &question, int guard_line) {
    const std::string ptx = fmt::format(R"(
	ld.param.u64 %rd1, [param_0];
	ld.param.u32 %r5, [param_1];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, %ctaid.x;
	mov.f32 %f1, 0f00000000;
	setp.lt.s32 %p1, %r2, %r5;
	setp.lt.s32 %p2, {};
	and.pred %p3, %p1, %p2;
	.loc	1 {} 3
	@!%p3 bra LBB0_2;
	mov.u32 %r4, %r2;
	.loc	1 4 3
LBB0_1:
	ld.global.f32 %f2, [%rd1];
	add.f32 %f1, %f1, %f2;
	add.s64 %rd1, %rd1, 128;
	add.s32 %r4, %r4, 1;
	setp.lt.s32 %p4, %r4, %r5;
	@%p4 bra LBB0_1;
LBB0_2:
	st.global.f32 [%rd1], %f1;
)",
                                        question,
                                        guard_line);
    return lower(kernel(ptx)).unrolled.size();
  };
  CHECK(unrolled("%r1, %r5", 4) == 0);
  CHECK(unrolled("%r3, %r5", 4) == 1); // the same for a block
  CHECK(unrolled("%r1, %r5", 3) == 1); // an if around the loop
}

TEST_CASE("words of one number lie side by side in local memory, and stores go on to the L2") {
  const auto stored = [](int words_per_lane) {
    const std::string ptx = fmt::format(R"(
	.local .align 4 .b8 __local_depot0[128];
	mov.u64 %rd1, __local_depot0;
	mov.u32 %r1, %tid.x;
	mul.lo.s32 %r2, %r1, {};
	cvt.u64.u32 %rd2, %r2;
	add.s64 %rd3, %rd1, %rd2;
	st.local.u32 [%rd3], %r1;
)",
                                        4 * words_per_lane);
    const LaunchTrace t = trace(ptx, {132 * 64, 1, 1}, {32, 1, 1}, 0);
    for (const Step &step : t.blocks[0].warps[0])
      if (step.local_sectors > 0)
        return std::pair(step, simulated_l2(t));
    return std::pair(Step(), 0.0);
  };
  const auto [together, little] = stored(0);
  CHECK(together.lines == 1);
  CHECK(together.local_sectors == 4);
  CHECK(together.whole == 4);
  const auto [apart, much] = stored(1);
  CHECK(apart.lines == 32);
  CHECK(apart.local_sectors == 32);
  CHECK(apart.whole == 0);
  CHECK(much > 16 * little);
}

TEST_CASE(
    "of a store the L2 takes whole sectors at once, and of those stored in part a half more for "
    "each piece of 64 bytes") {
  const auto stored = [](const std::string &type, int bytes_apart) {
    const LaunchTrace t = one_access("st.global." + type + " [%rd3], %rd1;", bytes_apart, 0);
    for (const Step &step : t.blocks[0].warps[0])
      if (step.sectors > 0)
        return std::tuple(
            int(step.sectors), int(step.whole), int(step.pieces_in_part), simulated_l2(t));
    return std::tuple(0, 0, 0, 0.0);
  };
  const auto counts = [](const auto &of) {
    return std::tuple(std::get<0>(of), std::get<1>(of), std::get<2>(of));
  };
  const auto side_by_side = stored("u64", 8), alone = stored("u64", 16384),
             halves = stored("u32", 8), words = stored("u32", 32);
  CHECK(counts(side_by_side) == std::tuple(8, 8, 0));
  CHECK(counts(halves) == std::tuple(8, 0, 4));
  CHECK(counts(alone) == std::tuple(32, 0, 32)); // eight bytes are no fuller a sector than four
  CHECK(counts(words) == std::tuple(32, 0, 16));
  CHECK(std::get<3>(stored("u32", 16384)) / std::get<3>(alone) == doctest::Approx(1));
  CHECK(std::get<3>(words) / std::get<3>(alone) == doctest::Approx(0.75));
}

TEST_CASE("a sector alone costs a turn of a slice of the L2, less than 64 bytes on the way") {
  const auto loaded = [](const std::string &type, int bytes_apart) {
    return simulated_l2(
        one_access("ld.global." + type + " %rd4, [%rd3];", bytes_apart, uint64_t{1} << 20));
  };
  const double pieces = loaded("u64", 8) / 4, alone = loaded("u64", 128) / 32;
  CHECK(alone / pieces == doctest::Approx(4382.0 / 5120));
  CHECK(loaded("u64", 32) / 16 / pieces == doctest::Approx(1)); // both sectors of each piece
}

TEST_CASE(
    "a warp's arrival at a barrier takes two cycles of the SM, as many warps as come at once") {
  const auto cycles = [](int barriers) {
    std::string ptx;
    for (int k = 0; k < barriers; ++k)
      ptx += "\tbar.sync 0;\n";
    const LaunchTrace t = trace(ptx, {132 * 8, 1, 1}, {256, 1, 1}, 0);
    return predict_launch(t, h200(), L2State::warm).simulated.cycles;
  };
  CHECK((cycles(200) - cycles(100)) / 100 >= 8 * 8 * 2); // of eight blocks of eight warps
}

// Adds 1 to a word whose number `place` puts into %r3, from the thread's in %r3 and the block's size in %r1.
LaunchTrace
counting(const std::string &place, unsigned threads, const char *what = "u32 [%rd3], 1") {
  const std::string ptx = fmt::format(R"(
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, %ntid.x;
	mov.u32 %r3, %tid.x;
	{}
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd3, %rd1, %rd2;
	red.global.add.{};
)",
                                      place,
                                      what);
  return trace(ptx, {132 * 64 * 32 / threads, 1, 1}, {threads, 1, 1}, 1 << 20);
}

TEST_CASE("places of atomics that a block has in common with its neighbour are not common to all "
          "blocks") {
  const auto homes = [](const char *place, unsigned threads) {
    return footprint(counting(place, threads), h200(), 32, true).traffic.atomic_homes;
  };
  const char *of_block = "mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, %r1, %r3;";
  const double own = homes(of_block, 64), half = homes(of_block, 32), common = homes("", 32);
  CHECK(half == doctest::Approx(own)); // of 256 bytes that are at home in one slice
  CHECK(common == doctest::Approx(1));
  CHECK(own > 60 * common);
}

TEST_CASE("an atomic of all of a sector's words takes its home as long as an H200 says, less than "
          "one of a part") {
  const auto ns = [](const char *place, const char *what = "u32 [%rd3], 1") { // of a warp
    const LaunchTrace t = counting(place, 256, what);
    const Simulated s = predict_launch(t, h200(), L2State::warm).simulated;
    return s.atomics / h200().clock_ghz / (132 * 64);
  };
  CHECK(ns("and.b32 %r3, %r3, 7;") == doctest::Approx(32 / 13.63).epsilon(0.01));
  CHECK(ns("and.b32 %r3, %r3, 3;") == doctest::Approx(32 / 5.46).epsilon(0.01));
  CHECK(ns("and.b32 %r3, %r3, 0;") == doctest::Approx(32 / 1.366).epsilon(0.01));
  const char *floats = "f32 [%rd3], 0f3F800000";
  CHECK(ns("and.b32 %r3, %r3, 0;", floats) == doctest::Approx(32 / 0.569).epsilon(0.01));
  CHECK(ns("shl.b32 %r3, %r3, 3;", floats) == doctest::Approx(ns("shl.b32 %r3, %r3, 3;")));
}

TEST_CASE("what is loaded from the memory in part costs that part of what a cold L2 does") {
  const auto launch_us = [](uint64_t mib) {
    LaunchTrace t = trace(copy_ptx, {unsigned(mib << 20) / 4096, 1, 1}, {256, 1, 1}, mib << 20);
    return 1000 * predict_alone(t, h200()).terms.at("launch");
  };
  const double warm = h200().launch_us + h200().idle_us;
  CHECK(launch_us(4) == doctest::Approx(warm));
  CHECK(launch_us(256) == doctest::Approx(warm + h200().cold_us));
  CHECK(launch_us(18) >
        warm + 0.1 * h200().cold_us); // with what is written, more than a half of the L2 keeps
  CHECK(launch_us(18) < warm + 0.5 * h200().cold_us);
}

TEST_CASE("two doubles beside each other in shared memory are one load, as two floats are") {
  const auto loads = [](const char *type, int bytes) {
    const std::string text = fmt::format(R"(
	.shared .align 16 .b8 s_in[256];
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, %tid.y;
	mul.wide.u32 %rd2, %r1, 128;
	mov.u64 %rd3, s_in;
	add.s64 %rd4, %rd3, %rd2;
	ld.shared.{0} %rd5, [%rd4];
	ld.shared.{0} %rd6, [%rd4+{1}];
	add.s64 %rd7, %rd5, %rd6;
	st.global.u64 [%rd1], %rd7;
)",
                                         type,
                                         bytes);
    Function f = kernel(text);
    as_ptxas_does(f);
    return std::ranges::count_if(
        f.code, [](const Instruction &i) { return i.op == Op::ld && i.space == Space::shared; });
  };
  CHECK(loads("u64", 8) == 1);
  CHECK(loads("u32", 4) == 1);
  CHECK(loads("u64", 16) == 2); // not in one place of sixteen bytes
}

TEST_CASE(
    "a division of 32 bits takes as long as an H200 measured, in one warp and where many wait "
    "for the unit") {
  const char *const ptx = R"(
	ld.param.u64 %rd1, [param_0];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
	mov.u32 %r4, -256;
LBB0_1:
	or.b32 %r3, %r1, 1;
	add.s32 %r5, %r3, %r2;
	rem.u32 %r1, %r4, %r5;
	add.s32 %r2, %r2, 1;
	setp.ne.s32 %p1, %r2, 400;
	@%p1 bra LBB0_1;
	st.global.u32 [%rd1], %r1;
)";
  const auto cycles_of_turn = [&](unsigned blocks_per_sm) {
    const LaunchTrace t = trace(ptx, {132 * blocks_per_sm, 1, 1}, {256, 1, 1}, 0);
    return predict_launch(t, h200(), L2State::warm).simulated.cycles / 400;
  };
  CHECK(cycles_of_turn(8) == doctest::Approx(513).epsilon(0.1)); // 32 in each of 16 warps
  CHECK(cycles_of_turn(1) == doctest::Approx(147).epsilon(0.2));
}

TEST_CASE("redux compares as its type does") {
  std::array<uint64_t, 32> values{};
  for (size_t lane = 0; lane < 32; ++lane)
    values[lane] = static_cast<uint32_t>(static_cast<int>(lane) - 16);
  const auto reduced = [&](Kind kind, Type type) {
    Instruction i;
    i.op = Op::redux;
    i.kind = kind;
    i.type = type;
    Lanes result{}, valid{};
    exchange_lanes(i, ~0u, {values.data(), nullptr, nullptr, nullptr}, result, valid);
    return static_cast<uint32_t>(result[5]);
  };
  CHECK(reduced(Kind::min, Type::s32) == static_cast<uint32_t>(-16));
  CHECK(reduced(Kind::max, Type::s32) == 15);
  CHECK(reduced(Kind::min, Type::u32) == 0);
  CHECK(reduced(Kind::max, Type::u32) == ~0u);
  CHECK(reduced(Kind::add, Type::s32) == static_cast<uint32_t>(-16));
  CHECK(reduced(Kind::and_, Type::u32) == 0);
  CHECK(reduced(Kind::or_, Type::u32) == ~0u);
}

TEST_CASE("bfi puts as many bits as it is told where it is told") {
  const auto inserted = [](Type type, uint64_t a, uint64_t b, uint64_t at, uint64_t length) {
    Instruction i;
    i.op = Op::bfi;
    i.type = type;
    Lanes from[4], result{};
    const std::array<uint64_t, 4> operands = {a, b, at, length};
    for (size_t k = 0; k < 4; ++k)
      from[k].fill(operands[k]);
    compute_lanes(
        i, ~0u, {from[0].data(), from[1].data(), from[2].data(), from[3].data()}, 4, result);
    return result[31];
  };
  CHECK(inserted(Type::u32, 0xff, 0, 8, 4) == 0xf00);
  CHECK(inserted(Type::u32, 0, 0xffffffff, 8, 8) == 0xffff00ff);
  CHECK(inserted(Type::u32, 0xabcd, 0x11111111, 16, 16) == 0xabcd1111);
  CHECK(inserted(Type::u32, 0xabcd, 0x11111111, 28, 16) == 0xd1111111);
  CHECK(inserted(Type::u32, 5, 7, 40, 3) == 7);
  CHECK(inserted(Type::u32, 5, 7, 3, 0) == 7);
  CHECK(inserted(Type::u64, 1, 0, 63, 1) == uint64_t{1} << 63);
  CHECK(inserted(Type::u64, ~uint64_t{0}, 0, 0, 64) == ~uint64_t{0});
}

TEST_CASE("what a block has written is read in other widths, and beside what was there") {
  const Function function;
  const Launch launch = [] {
    Launch l;
    l.memory_at = [](uint64_t address) {
      return std::pair<uint64_t, uint64_t>{address & ~uint64_t{63}, 0};
    };
    return l;
  }();
  BlockMemory memory(function, launch, 0);
  std::vector<uint8_t> local;
  const uint64_t base = 4096;
  memory.write(local, base, 8, 0, 0x1122334455667788);
  CHECK(memory.read(local, base, 8, 0) == 0x1122334455667788);
  CHECK(memory.read(local, base, 4, 0) == 0x55667788);
  CHECK(memory.read(local, base + 4, 4, 0) == 0x11223344);
  CHECK(memory.read(local, base + 3, 1, 0) == 0x55);
  memory.write(local, base + 2, 2, 0, 0xabcd);
  CHECK(memory.read(local, base, 8, 0) == 0x11223344abcd7788);
  memory.write(local, base + 6, 4, 0, 0xdeadbeef);
  CHECK(memory.read(local, base, 8, 0) == 0xbeef3344abcd7788);
  CHECK(memory.read(local, base + 6, 4, 0) == 0xdeadbeef);
  CHECK(memory.read(local, base + 8, 8, 0) == 0xdead);
}

TEST_CASE("a vector that is loaded or not is one load, as nvcc makes it, not a word's for each of "
          "its four") {
  // uint4 a = i < n ? in[i] : none, as clang 14 writes it
  std::string text = R"(
	.local .align 16 .b8 	__local_depot0[16];
	.reg .b64 	%SP;
	.reg .b64 	%SPL;
	mov.u64 	%SPL, __local_depot0;
	cvta.local.u64 	%SP, %SPL;
	ld.param.u64 %rd1, [param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 16;
)";
  for (int word = 0; word < 4; ++word)
    text += fmt::format(R"(
	add.s64 %rd{0}, %rd2, {3};
	cvta.global.u64 %rd{1}, %rd{0};
	add.u64 %rd{2}, %SP, {3};
	selp.b64 %rd{4}, %rd{1}, %rd{2}, %p1;
	ld.u32 %r{5}, [%rd{4}];
)",
                        4 * word + 3,
                        4 * word + 4,
                        4 * word + 5,
                        4 * word,
                        4 * word + 6,
                        word + 2);
  text += R"(
	add.s32 %r2, %r2, %r3;
	add.s32 %r2, %r2, %r4;
	add.s32 %r2, %r2, %r5;
	st.global.u32 [%rd2], %r2;
)";
  Function f = kernel(text);
  as_ptxas_does(f);
  const auto is_load = [](const Instruction &i) {
    return i.op == Op::ld && i.space == Space::generic;
  };
  REQUIRE(std::ranges::count_if(f.code, is_load) == 1);
  CHECK(std::ranges::find_if(f.code, is_load)->to.size() == 4);
  CHECK(std::ranges::count(f.code, Op::selp, &Instruction::op) == 1);
}
