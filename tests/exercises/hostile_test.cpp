// Files that mean harm, or look like it: each gets its verdict, and nothing is harmed. The screen, which
// finds most of them before they run, is switched off: this is about what lies behind it.
#include "base/files.hpp"
#include "exercises/check.hpp"
#include "exercises/check_build.hpp"
#include "exercises/check_messages.hpp"
#include "exercises/check_run.hpp"
#include "exercises/support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace {

using tutor::Result;
using tutor::Verdict;

const std::string right_kernel = R"(
#include <cuda_runtime.h>
__global__ void block_sum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const unsigned tid = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1;) {
    const unsigned half = (left + 1) / 2;
    if (tid + half < left)
      s_data[tid] += s_data[tid + half];
    __syncthreads();
    left = half;
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
)";
/// The right kernel with something before it, and something else instead of (left + 1) / 2.
std::string answer_with(const std::string &before, const std::string &instead) {
  return before + "\n" + tutor::replaced(right_kernel, "(left + 1) / 2", instead);
}

constexpr double soon = 0.25, usual = 20; // seconds

Result judge(const std::string &source, bool screen = false, double seconds = usual) {
  static const BlockSum here;
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "block_sum.cu";
  tutor::write_file(file, source);
  tutor::CheckOptions options;
  options.screen_calls = screen;
  options.limits.wall_seconds = seconds;
  options.limits.memory_bytes = 1ull << 29; // sooner eaten than the usual
  return tutor::check(here.exercise, file, options);
}

std::string verdict(const std::string &source, bool screen = false, double seconds = usual) {
  const Result result = judge(source, screen, seconds);
  return fmt::format("{} {}", name_of(result.verdict), result.diagnosis);
}

/// Screened, it gets this verdict, or diagnosis, and is told so.
void expect(const std::string &source,
            const std::string &outcome,
            const std::vector<std::string> &words = {}) {
  const Result result = judge(source, true);
  INFO(source, " ", result.message);
  CHECK((outcome == name_of(result.verdict) || outcome == result.diagnosis));
  for (const std::string &one : words) {
    CHECK(holds(result.message, one));
  }
}

} // namespace

TEST_CASE("the kernels that the cases below are made of") {
  CHECK(verdict(right_kernel, true) == "pass ");
  CHECK(verdict(wrong_kernel, true) == "fail wrong_result");
}

TEST_CASE(
    "a right answer that begins with a byte-order mark is right, and a wrong one is screened") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(verdict(mark + right_kernel, true) == "pass ");
  expect(mark + "#include \"/etc/passwd\"\n" + right_kernel, "forbidden_call");
}

TEST_CASE("an update's two versions, of which nobody has kept one") {
  const Result result =
      judge("// mine\n<<<<<<< yours\n'\n=======\n>>>>>>> theirs\n" + right_kernel);
  CHECK(result.verdict == Verdict::build_error);
  CHECK(holds(result.message, ":2: two versions stand here"));
}

TEST_CASE("a name without end, in what the linker says") {
  const std::string name(100'000, 'x');
  const Result result =
      judge(right_kernel + "void " + name + "();\nvoid calls() { " + name + "(); }\n");
  CHECK(fmt::format("{} {}", name_of(result.verdict), result.diagnosis) ==
        "build_error link_error");
  CHECK(holds(result.message, "xxx… is not defined"));
  CHECK(result.message.size() < 500);
}

TEST_CASE("names that would take the tutor hours, or gigabytes, do not") {
  const Result reserved =
      judge(right_kernel + "void f() { __" + std::string(250'000, 'a') + "; }\n", true);
  CHECK(reserved.diagnosis == "forbidden_call");
  CHECK(reserved.message.size() < 1000);
  std::string doubled = "template <class, class> struct P {};\nusing T0 = P<int, int>;\n";
  for (int i = 1; i < 40; ++i) {
    doubled += fmt::format("using T{0} = P<T{1}, T{1}>;\n", i, i - 1);
  }
  const Result refused =
      judge(right_kernel + doubled + "struct basic_filebuf {};\nvoid g(T39 *, basic_filebuf *);\n" +
                "void f() { g(nullptr, nullptr); }\n",
            true);
  CHECK(refused.diagnosis == "forbidden_call");
  CHECK(refused.message.size() < 1000);
}

TEST_CASE("expressions that would take the compiler minutes are refused, and long tables are not") {
  const auto judged = [](const std::string &text) { return judge(right_kernel + text, true); };
  std::string sum = "int sum() { return 0", brackets = "int f() { return ", table = "int t[] = {0";
  for (int i = 0; i < 5000; ++i) {
    sum += " + 1";
    table += ", 1";
  }
  brackets += std::string(5000, '(') + "0" + std::string(5000, ')');
  for (const std::string &text : {sum + "; }\n", brackets + "; }\n"}) {
    const Result refused = judged(text);
    CHECK(refused.diagnosis == "forbidden_call");
    CHECK(holds(refused.message, "an expression of more than 4000 words"));
  }
  CHECK(judged(table + "};\n").diagnosis.empty());
}

TEST_CASE("packets without end fill no report") {
  tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
  const std::string name(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    messages.take("nonce\tcase_end\t" + name + "\t1\t");
    messages.take("nonce\tcounter\t" + name + std::to_string(i) + "\t1");
  }
  CHECK(messages.take("nonce\tend\t1000\t0"));
  CHECK_FALSE(messages.complete());
  Result result;
  messages.tell(result);
  CHECK(result.cases.size() + result.counters.size() < 300);
}

TEST_CASE("a fork bomb makes no process") {
  CHECK(verdict(right_kernel + early("if (fork() >= 0) for (;;) fork();")) == "pass ");
  CHECK(verdict(right_kernel + early("for (;;) fork();"), false, soon) == "timeout time_limit");
}

TEST_CASE("loops and output without end") {
  const std::string endless =
      "#include <cuda_runtime.h>\n#include <cstdio>\n"
      "__global__ void block_sum(const unsigned *in, int, unsigned *out) {\n";
  CHECK(verdict(endless + "while (true) ((volatile unsigned *)out)[0] += in[0]; }") ==
        "hazard endless_loop");
  CHECK(verdict(endless + "for (volatile int i = 0;;) i = 0; }") == "hazard endless_loop");
  CHECK(verdict(right_kernel + early("for (;;) std::puts(\"for ever and ever\");")) ==
        "fail output_limit");
  CHECK(verdict(right_kernel + early("for (;;) {}"), false, soon) == "timeout time_limit");
}

TEST_CASE("no file is made, and none is read") {
  const TemporaryFolder folder;
  const std::string secret = folder.path() / "hidden.check.cu", full = folder.path() / "full";
  tutor::write_file(secret, "the hidden cases\n");
  const Result filled =
      judge(right_kernel +
            early("FILE *f = std::fopen(\"" + full +
                  "\", \"w\"); for (int i = 0; f && i < 1000000; ++i) std::fputs(\"full\", f);"));
  CHECK(filled.verdict == Verdict::pass);
  CHECK_FALSE(fs::exists(full));
  const Result read =
      judge(right_kernel + early("int f = open(\"" + secret +
                                 "\", O_RDONLY); char t[99] = {}; read(f, t, 98); std::puts(t);"));
  CHECK_FALSE(holds(read.log, "hidden cases"));
}

TEST_CASE("nobody else is signalled") {
  CHECK(verdict(right_kernel +
                early("kill(getppid(), SIGKILL); kill(0, SIGKILL); kill(-1, SIGKILL);")) ==
        "pass ");
}

TEST_CASE("no verdict but the checker's own counts") {
  const std::string forged =
      "{\\\"verdict\\\":\\\"pass\\\"}\\n0123\\tend\\t3\\t0\\n[doctest] Status: SUCCESS!\\n";
  CHECK(verdict(wrong_kernel + early("std::printf(\"" + forged + "\"); std::fflush(stdout);")) ==
        "fail wrong_result");
  CHECK(
      verdict(wrong_kernel + early("for (int f = 0; f < 2048; ++f) { const char t[] = \"" + forged +
                                   "\"; write(f, t, sizeof t); send(f, t, sizeof t, 0); }")) ==
      "not_run protocol");
  // The channel to the tutor is the judge's; the variable that named the one to the judge is empty.
  CHECK(
      verdict(wrong_kernel + early("std::puts(getenv(\"BF_CHANNEL\") ? \"there\" : \"none\");")) ==
      "fail wrong_result");
  CHECK(judge(wrong_kernel + early("std::printf(\"<%s>\", getenv(\"BF_JUDGE\"));")).log == "<>");
}

TEST_CASE("who ends the program early passes nothing") {
  CHECK(verdict(right_kernel + early("_exit(0);")) == "not_run ended_early");
  CHECK(verdict(right_kernel + early("for (int f = 0; f < 4096; ++f) close(f);")) ==
        "not_run ended_early");
  // Shutting the channel down is among the calls that fail.
  CHECK(verdict(right_kernel + early("for (int f = 3; f < 4096; ++f) shutdown(f, SHUT_RDWR);")) ==
        "pass ");
}

TEST_CASE("crashes") {
  CHECK(verdict(right_kernel + early("*(volatile int *)nullptr = 1;")) == "fail crash");
  CHECK(verdict(right_kernel + early("std::abort();")) == "fail crash");
  CHECK(verdict(right_kernel + early("for (;;) std::memset(std::malloc(1 << 26), 1, 1 << 26);")) ==
        "fail out_of_memory");
  CHECK(verdict(right_kernel + early("for (;;) std::memset(new char[1 << 26], 1, 1 << 26);")) ==
        "fail out_of_memory");
}

TEST_CASE("what replaces the checker's parts does not get that far") {
  CHECK(verdict(right_kernel + "int main() {}") == "build_error link_error");
  CHECK(verdict(right_kernel + "int main() {}", true) == "not_run forbidden_call");
  const std::string take_the_place =
      "#include <string>\nnamespace judge { void send_frame(int, const std::string &) {} }";
  CHECK(verdict(right_kernel + take_the_place, true) == "not_run forbidden_call");
  CHECK(verdict(right_kernel +
                    "namespace checker { void record(int); }\nvoid f() { checker::record(1); }",
                true) == "not_run forbidden_call");
  CHECK(verdict(right_kernel +
                    "extern \"C\" int memcmp(const void *, const void *, size_t) { return 0; }",
                true) == "not_run forbidden_call");
  CHECK(verdict(right_kernel +
                    "static void early() {}\n__attribute__((section(\".preinit_array\"), used)) "
                    "void (*first)() = early;",
                true) == "not_run forbidden_call");
}

TEST_CASE("the screen names what it found") {
  const Result forks = judge(right_kernel + early("fork();"), true);
  CHECK(forks.verdict == Verdict::not_run);
  CHECK(forks.diagnosis == "forbidden_call");
  CHECK(holds(forks.message, "fork is called"));
  const Result text =
      judge("#include <sstream>\n" + right_kernel + early("std::stringstream().str();"), true);
  CHECK(holds(text.message, "std::stringstream is used"));
  const Result includes = judge("#include \"/etc/passwd\"\n" + right_kernel, true);
  CHECK(holds(includes.message, "block_sum.cu:1"));
  CHECK(verdict("#define FILE \"x\"\n#include FILE\n" + right_kernel, true) ==
        "not_run forbidden_call");
  CHECK(verdict("#inclu\\\nde \"../x.cu\"\n" + right_kernel, true) == "not_run forbidden_call");
  CHECK(verdict(right_kernel + "void f() { __asm__(\"nop\"); }", true) == "not_run forbidden_call");
  // Neither does what only looks like it bother anybody.
  CHECK(verdict("// asm, fork(), #include \"/etc/passwd\"\n" + right_kernel +
                    "const char *text = \"asm fork\"; int section = 1'000;\n"
                    "int labyrinth(int fork) { return fork; }\n",
                true) == "pass ");
}

TEST_CASE("what keeps accesses from the instruments, or names them, is refused") {
  const std::string racy = "__global__ void block_sum(const unsigned *in, int n, unsigned *out) {\n"
                           "  SHARED unsigned s_data[1024]; s_data[threadIdx.x] = threadIdx.x < n "
                           "? in[threadIdx.x] : 0;\n"
                           "  if (threadIdx.x == 0) out[blockIdx.x] = s_data[1]; }\n";
  const auto with = [&](const std::string &before, const std::string &shared = "__shared__") {
    return "#include <cuda_runtime.h>\n#define SHARED " + shared + "\n" + before + racy;
  };
  const std::vector<std::string> refused{
      // Those of the first review.
      with("__attribute__((no_sanitize(\"thread\"))) "),
      with("__attribute__((no_sanitize_thread)) "),
      with("EMU_UNOBSERVED "),
      with("namespace emu { extern thread_local bool looking; }\n"),
      with("namespace emu { void stop_observing(); }\n"),
      with("", "static thread_local"),
      with("void f() { as\\\nm(\"nop\"); }\n"),
      with("#define FOO(x) x\nconst char *a = FOO(R\"(\" )\"); void f() { asm(\"\"); }\n"),
      with("#define FOOR\nconst char *a = FOOR\"(\"; void f() { asm(\"nop\"); } const char *b = "
           "\")\";\n"),
      with("extern \"C\" __attribute__((weak)) long send(int, const void *, unsigned long, int) "
           "{ return 0; }\n"),
      with("#pragma weak getenv\n"),
      // Further ones.
      with("#pragma GCC optimize(\"O0\")\n"),
      with("#pragma GCC push_options\n"),
      with("_Pragma(\"GCC optimize (3)\")\n"),
      with("[[gnu::no_sanitize_thread]] "),
      with("[[using gnu: no_sanitize_thread]] "),
      with("#define P(a, b) a##b\n__attribute__((P(no_sanitize, _thread))) "),
      with("#define P(a, b) a##b\nP(__as, m__)(\"nop\");\n"),
      with("void g() __attribute__((alias(\"f\")));\n"),
      with("static int g() __attribute__((weakref(\"send\")));\n"),
      with("void (*f())() __attribute__((ifunc(\"g\")));\n"),
      with("__attribute__((constructor)) void f() {}\n"),
      with("__attribute__((section(\".preinit_array\"))) int x = 1;\n"),
      with("int f() __asm__(\"send\");\n"),
      with("", "__thread static"),
      with("#line 1 \"/etc/passwd\"\n#error here\n"),
      with("# 1 \"/usr/include/stdio.h\" 1\nasm(\"nop\");\n"),
      with("#define __syncthreads() 0\n"),
      with("#define EMU_INLINE inline\n"),
      with("#if __has_include(\"/etc/passwd\")\n#endif\n"),
      with("#if defined(__has_include) && __has_include(\"/etc/passwd\")\n#endif\n"),
      with("#define def __has_include(\"/etc/passwd\")\n"),
      with("extern \"C\" int _ZN3emu7watcherE;\n"),
      with("extern \"C\" void __tsan_func_exit();\n"),
      with("void *f() { return __builtin_return_address(0); }\n"),
      with("int f(int *p) { return __atomic_load_n(p, 0); }\n"),
      with("namespace std { int f(); }\n"),
      with("namespace watched = emu;\n"),
      with("using namespace emu;\n"),
      with("#undef __shared__\n"),
      with("#define __builtin_memcpy(to, from, bytes) 0\n"),
      with("namespace [[maybe_unused]] emu { struct Races { bool wants(); }; }\n"),
      with("namespace [[maybe_unused]] std { int f(); }\n"),
      with("namespace std::mine { int f(); }\n"),
      with("#pragma push_macro(\"__shared__\")\n"),
      with("extern \"C\" void *_GLOBAL_OFFSET_TABLE_[];\n"),
      with("extern \"C\" void *__dso_handle;\n"),
      with("#include <emmintrin.h>\n"),
  };
  for (const std::string &source : refused) {
    const Result result = judge(source, true);
    INFO(source, " ", result.message);
    CHECK(result.diagnosis == "forbidden_call");
    CHECK(result.message.find("block_sum.cu:") == 0);
  }
}

TEST_CASE("the text that is screened is the text that is compiled") {
  // A kernel with a race that no instrument sees, if KEEP is what it means to be.
  const std::string attribute = "__attribute__((no_sanitize_thread))";
  const std::string racy =
      "KEEP __global__ void block_sum(const unsigned *in, int n, unsigned *out) {\n"
      "  __shared__ unsigned s_data[1024]; s_data[threadIdx.x] = threadIdx.x < n ? "
      "in[threadIdx.x] : 0;\n  if (threadIdx.x == 0) out[blockIdx.x] = s_data[1]; }\n";
  const auto where = [&](const std::string &condition) {
    return "#include <cuda_runtime.h>\n#define P2(a, b) a##b\n#define P(a, b) P2(a, b)\n" +
           condition + "\n#define KEEP " + attribute + "\n#else\n#define KEEP\n#endif\n" + racy;
  };
  const std::vector<std::pair<std::string, std::string>> hidden{
      {"#if __INCLUDE_LEVEL__ == 0\n#include <cuda_runtime.h>\n#include \"./block_sum.cu\"\n"
       "#else\n_Pragma(\"GCC system_header\")\n" +
           attribute + racy.substr(4) + "#endif\n",
       "no_sanitize_thread"},
      {"#ifndef INNER\n#define INNER\n#include \"block_sum.cu\"\n#else\n#define KEEP " + attribute +
           "\n" + racy + "#endif\n",
       "no_sanitize_thread"},
      {"#include <cuda_runtime.h>\n#define inclusive_scan sum() {} " + attribute +
           " void other()\n#include <cooperative_groups/scan.h>\n#define KEEP\n" + racy,
       "the macro inclusive_scan is a name in emu/groups/group_collectives.hpp"},
      {"#include <cuda_runtime.h>\n// one line\r#define HIDDEN R\"(\" )\"; " + attribute +
           " void other(); const char *end = \")\"\r\nconst char *begin = HIDDEN;\n#define KEEP\n" +
           racy,
       "a raw string"},
      {"#include <cuda_runtime.h>\n// one line\r#define __syncthreads() 0\r\n#define KEEP\n" + racy,
       "the macro __syncthreads is not yours"},
      {where("#ifdef __CUDA_ARCH__"), "no_sanitize_thread"},
      {where("#ifdef __shared__"), "no_sanitize_thread"},
      {"#include <cuda_runtime.h>\n#define P2(a, b) a##b\n#define P(a, b) P2(a, b)\n"
       "#define word___global__ " +
           attribute + "\n#define KEEP P(word_, __global__)\n" + racy,
       "no_sanitize_thread"},
      {where("#if P(__ha, s_include)(\"learner.o.ii\")"), "does not run"},
      {where("#if P(__ha, s_include)(\"learner.ii\")"),
#ifdef __clang__ // as the one that compiles answers
       "does not run"}, // clang takes no pasted words for it
#else
       "no_sanitize_thread"},
#endif
      {"#include <cuda_runtime.h>\n#define KEEP <:<:gnu::no_sanitize_thread:>:>\n" + racy,
       "the attribute gnu"},
      {"#include <cuda_runtime.h>\n#define KEEP\nnamespace emu <% struct Races <% "
       "__attribute__((weak)) bool "
       "wants(); %>; %>\n" +
           racy,
       "emu"},
      {"#include <cuda_runtime.h>\n#define KEEP asm(\"mov.u32 %0, 1);emu::f(\" : "
       "\"=r\"(x));\n__device__ void f() "
       "{ unsigned x; KEEP }\n#undef KEEP\n#define KEEP\n" +
           racy,
       "shared_race"},
  };
  for (const auto &[text, what] : hidden) {
    const std::string &source = text;
    const Result result = judge(source, true);
    const std::string said = fmt::format("{} {}", result.diagnosis, result.message);
    INFO(source, " ", said);
    CHECK(result.verdict != Verdict::pass);
    if (what != "does not run") { // there is no such file: what remains is the race
      CHECK(holds(said, what));
    } else {
      CHECK(result.diagnosis == "shared_race");
    }
  }
}

TEST_CASE("right answers in unusual style are right") {
  const auto with = [](std::string text, const char *from, const char *to) {
    return tutor::replaced(std::move(text), from, to);
  };
  const auto before = [](const char *code) { return answer_with(code, "(left + 1) / 2"); };
  std::string digraphs = right_kernel;
  for (const auto &[bracket, digraph] :
       {std::pair("{", "<%"), {"}", "%>"}, {"[", "<:"}, {"]", ":>"}, {"#", "%:"}}) {
    digraphs = with(std::move(digraphs), bracket, digraph);
  }
  for (const std::string &source :
       {digraphs,
        with(with(with(with(with(right_kernel, "half", "hälfte"), "left", "übrig"),
                       "__syncthreads();",
                       "__sync\\\nthreads();"),
                  "übrig = hälfte;",
                  "übrig = hälfte; asm volatile(\"\" : \"+r\"(übrig) :: \"memory\");"),
             "\n",
             "\r\n"),
        before("#include <bits/stdc++.h>\nusing namespace std;"),
        // Macros before headers, and what comes with these, in one file: each header is read once.
        before("#define NDEBUG\n#define _GNU_SOURCE\n#define __STDC_FORMAT_MACROS\n"
               "#define _USE_MATH_DEFINES\n#define NOMINMAX\n#define BLOCK_SIZE 1024\n"
               "#define FULL_MASK 0xffffffff\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
               "#define CHECK(x) (x)\n#include <cassert>\n#include <unistd.h>\n"
               "#include <cinttypes>\n#include <cmath>\n#include <map>\n"
               "#include <cooperative_groups.h>\n#include <cuda/atomic>\n"
               "#include <cuda/std/limits>\n#include <cuda_fp16.h>\n"),
        answer_with(
            "#ifdef __has_include\n#endif\n#if defined(__has_include)\n#endif\n"
            "struct _Pair { unsigned _a, _B; const float *_P = nullptr, _Q[2]; };\n"
            "namespace detail { inline int checker() { return 1; } }\n"
            "struct Log { ~Log() {} } at_end;\n#include <concepts>\n"
            "template <std::unsigned_integral U> __device__ auto halve(U n) -> U {\n"
            "  return (n + 1) / 2; }\n"
            "__host__ __device__ constexpr unsigned half_of(unsigned n) { return n - n / 2; }",
            "[](auto n) { return halve(n) + half_of(n) - (n + 1) / 2; }(left)")}) {
    expect(source, "pass");
  }
}

TEST_CASE("what the libraries define is nobody else's, weak or not") {
  // A function of theirs in a line of the submission's: the linker would take it for theirs, too.
  for (const char *code :
       {"#include <map>\nstruct _Rb_tree_node_base; void _Rb_tree_insert_and_rebalance();\n"
        "inline void std::_Rb_tree_insert_and_rebalance(const bool, std::_Rb_tree_node_base *, "
        "std::_Rb_tree_node_base *, std::_Rb_tree_node_base &) noexcept {}\n"
        "auto f() { return &std::_Rb_tree_insert_and_rebalance; }\n",
        "#include <chrono>\nusing Clock = std::chrono::steady_clock;\n"
        "inline Clock::time_point Clock::now() noexcept { return {}; }\n"
        "auto f() { return &Clock::now; }\n",
        "#include <vector>\n#include <string>\nusing Words = std::vector<std::string>;\n"
        "template <> constexpr void Words::push_back(const std::string &) {}\n"
        "void (Words::*f())(const std::string &) { return &Words::push_back; }\n"}) {
    expect(
        right_kernel + code, "forbidden_call", {"functions of the libraries must not be replaced"});
  }
  // Templates of the library's for what is the submission's own are not in its lines, or not theirs.
  const std::string own =
      "#include <algorithm>\n#include <functional>\n#include <map>\n#include <string>\n"
      "#include <unordered_map>\n#include <vector>\nstruct Own { int x; bool operator==(const Own "
      "&) const = default; };\n"
      "template <> struct std::hash<Own> { size_t operator()(const Own &o) const { return o.x; } "
      "};\n"
      "int f(std::vector<Own> v, std::map<int, std::string> m, std::unordered_map<Own, int> u) {\n"
      "  std::sort(v.begin(), v.end(), [](const Own &a, const Own &b) { return a.x < b.x; });\n"
      "  v.push_back({1}); m[1] = std::to_string(v[0].x) + m[2]; u[v[0]] = 2;\n"
      "  const std::function<int(int)> twice = [&](int x) { return 2 * x; };\n"
      "  return twice(u[v[1]]) + static_cast<int>(m.size()); }\n";
  expect(right_kernel + own, "pass");
}

TEST_CASE("no function of C's that the instruments do not see runs in a kernel") {
  for (const char *copy : {"cudaMemcpy(to, from, 1, cudaMemcpyDefault)",
                           "auto f = ::cudaMemcpyAsync; f(to, from, 1, cudaMemcpyDefault, 0)",
                           "strncpy(to, from, 1)",
                           "::strncpy(to, from, 1)",
                           "std::strncpy(to, from, 1)",
                           "auto f = strncpy; f(to, from, 1)"}) {
    for (const char *whose :
         {"__device__", "__host__ __device__", "template <class T> constexpr"}) {
      const std::string helper =
          fmt::format("#include <cstring>\n{} void copy({} *to, const char *from) {{ {}; }}",
                      whose,
                      std::string(whose).starts_with("template") ? "T" : "char",
                      copy);
      expect(answer_with(helper, "(left + 1) / 2; char c[2]; copy(c, \"a\")"), "build_error");
    }
  }
}

TEST_CASE("no class of the library copies memory for a kernel where no instrument sees it") {
  for (const char *code :
       {"#include <sstream>\nusing namespace std;\n__device__ void copy(void *to, const void "
        "*from) "
        "{\n  stringbuf b; b.sputn(static_cast<const char *>(from), 4); "
        "b.sgetn(static_cast<char *>(to), 4); }\n",
        "#include <streambuf>\nstruct B : std::streambuf { __device__ void copy(void *to, const "
        "void "
        "*from) {\n  char *f = (char *)from; setg(f, f, f + 4); xsgetn((char *)to, 4); } };\n"
        "__device__ void copy(void *to, const void *from) { B b; b.copy(to, from); }\n",
        "#include <locale>\nusing namespace std;\n__device__ void copy(void *to, const char *from) "
        "{\n  use_facet<ctype<char>>(locale::classic()).narrow(from, from + 4, 0, (char *)to); "
        "}\n"}) {
    const Result result = judge(right_kernel + code, true);
    INFO(code, " ", result.message);
    CHECK(result.verdict != Verdict::pass);
    CHECK((result.verdict == Verdict::build_error || result.diagnosis == "forbidden_call"));
  }
}

TEST_CASE("what a kernel comes to, by whatever way, is its own file's or a GPU's") {
  struct Case {
    const char *head, *call, *named;
  };
  for (const Case &c : {
           Case{"#include <charconv>\n", "double d; std::from_chars(p, p + 1, d)", "from_chars"},
           Case{"#include <charconv>\nusing namespace std;\n",
                "char t[9]; to_chars(t, t + 9, 1.5)",
                "to_chars"},
           Case{"#include <functional>\n#include <string_view>\n",
                "return std::hash<std::string_view>{}(std::string_view(p, 1))",
                "_Hash_bytes"},
           Case{"#include <cmath>\n", "long double d; modfl(*p, &d)", "modfl"},
           Case{"#include <cmath>\n", "return nanf(p)", "nanf"},
           Case{"#include <new>\nnamespace library = std;\n",
                "library::set_new_handler((library::new_handler)p)",
                "set_new_handler"},
           Case{"#include <cstring>\nstruct Copy { decltype(&strncpy) f = &strncpy; };\n"
                "__device__ const Copy copies[2] = {};\n",
                "char t[2]; copies[*p & 1].f(t, p, 1)",
                "strncpy"},
           Case{"", "cudaDeviceSetLimit(cudaLimitMallocHeapSize, *p)", "cudaDeviceSetLimit"},
           Case{"",
                "cudaPointerAttributes a; cudaPointerGetAttributes(&a, p)",
                "cudaPointerGetAttributes"},
           // Of these the program has another one, which comes first.
           Case{"#include <string>\nusing std::string;\n",
                "string s(8, 'a'); s.replace(0, *p & 3, p, *p & 7); return s[0]",
                "_M_replace"},
       }) {
    const std::string helper = fmt::format(
        "{}struct Host {{ template <class T> __device__ unsigned operator()(const T *p) const {{ "
        "{}; return 0; }} }};",
        c.head,
        c.call);
    expect(answer_with(helper, "(left + 1) / 2 + (Host()((const char *)in) == 12345)"),
           "build_error",
           {"calling a __host__ function(", c.named});
  }
  // Its host code may call them, beside kernels that use what nvcc lets pass.
  expect(
      answer_with(
          "#include <algorithm>\n#include <array>\n#include <charconv>\n#include <cstdio>\n"
          "#include <optional>\n#include <string>\n#include <vector>\n"
          "struct Half { __device__ virtual unsigned of(unsigned n) const = 0; };\n"
          "struct Up : Half { __device__ unsigned of(unsigned n) const override { return (n + 1) "
          "/ 2; } };\n"
          "__device__ __noinline__ unsigned half_of(unsigned n) {\n"
          "  std::array<unsigned, 3> a{0, 1, n};\n"
          "  switch (n) { case 0: return 0; case 1: return 1; case 2: return 1; case 3: return 2; "
          "case 4: return 2; case 5: printf(\"\"); return 3; }\n"
          "  const Up up; const Half *half = &up;\n"
          "  return std::optional<unsigned>(half->of(a.at(2))).value(); }\n"
          "int on_host(const char *p, int n) { double d = 0; std::from_chars(p, p + n, d);\n"
          "  std::vector<char> v; v.assign(p, p + n); char t[9]; strncpy(t, p, 8);\n"
          "  switch (n) { case 0: puts(\"a\"); break; case 1: puts(\"b\"); break; case 2: "
          "snprintf(t, 9, \"c\"); break; case 3: puts(\"d\"); break; case 5: fflush(stdout); }\n"
          "  return static_cast<int>(v.size() + std::to_string(d).size()); }",
          "half_of(left)"),
      "pass");
}

TEST_CASE("what the library reads for a kernel is seen") {
  for (const char *read : {"unsigned(std::string_view(p, 4).find('x'))",
                           "unsigned(std::string_view(p, 4) == std::string_view(\"abcd\", 4))",
                           "unsigned(printf(\"%5d%.*s\", 1, 4, p))",
                           "unsigned(printf(\"%-+ 05.3ld%s\", 1l, p))",
                           "unsigned(printf(\"%s\\n\", p))"}) {
    const std::string helper =
        fmt::format("#include <cstdio>\n#include <string_view>\n"
                    "__device__ unsigned past_the_end(const char *p) {{ return 2 * {}; }}",
                    read);
    expect(tutor::replaced(answer_with(helper, "(left + 1) / 2"),
                           "in[i] : 0;",
                           "in[i] : past_the_end((const char *)(in + i));"),
           "out_of_bounds");
  }
}

TEST_CASE("what the emulator does unseen is not found by the types of arguments") {
  const std::string given = "#include <cuda_fp16.h>\n#include <mma.h>\n"
                            "template <class T> struct V { unsigned v; };\n"
                            "__device__ unsigned seen(const unsigned *p) {\n";
  for (const char *code :
       {"  return own_copy(*(const V<__half> *)p).v; }\n",
        "  float s[4] = {}; __half a[8], b[4]; multiply_matrices<16, 8, 16>(s, a, b, "
        "{}); return s[0]; }\n"}) {
    expect(given + code + right_kernel, "build_error");
  }
}

TEST_CASE("what stands in for an access is one, and built-in variables are no memory") {
  const auto prefix = [](const std::string &before, const std::string &step) {
    return before +
           "__global__ void block_sum(const unsigned *in, int n, unsigned *out) {\n"
           "  __shared__ unsigned s_data[1024];\n  const unsigned tid = threadIdx.x;\n"
           "  const unsigned i = blockIdx.x * blockDim.x + tid;\n"
           "  s_data[tid] = i < n ? in[i] : 0;\n"
           "  unsigned keep = ((volatile unsigned *)s_data)[tid];\n  " +
           step + "\n  if (tid == blockDim.x - 1) out[blockIdx.x] = keep;\n}\n";
  };
  const std::string head = "#include <cuda_runtime.h>\n#include <new>\n";
  // Threads that hand on a sum without a barrier, one after the other, unseen.
  expect(prefix(head,
                "if (tid > 0) keep += s_data[tid - 1]; asm volatile(\"\" : \"=r\"(s_data[tid]) : "
                "\"0\"(keep));"),
         "shared_race",
         {"write"});
  for (const char *step :
       {"if (tid == 0) gridDim.z = 0; keep = gridDim.z += keep;",
        "auto &g = gridDim; if (tid == 0) g.z = 0; keep = g.z += keep;",
        "asm(\"add.u32 %0, %0, %1;\" : \"+r\"(gridDim.z) : \"r\"(keep)); keep = gridDim.z;",
        "keep += tid ? (unsigned)(size_t)std::get_new_handler() : 0; "
        "std::set_new_handler((std::new_handler)(size_t)keep);"}) {
    expect(prefix(head, step), "build_error");
  }
}

TEST_CASE("a stream of the C library's does not lead to the judge") {
  CHECK(verdict(right_kernel +
                    "#include <cstdio>\nstruct Start { Start() { for (int f = 3; f < 999; "
                    "++f) { stdout->_fileno = f; std::fputs(\"lies\", stdout); "
                    "std::fflush(stdout); } stdout->_fileno = 1; } } start;\n",
                true) == "pass ");
}

TEST_CASE("a message of the compiler's without end") {
  std::string words;
  for (int i = 0; i < 50'000; ++i) {
    words += "q ";
  }
  const Result result = judge("#error " + words + "\n" + right_kernel, true);
  CHECK(result.diagnosis == "compile_error");
#ifdef __clang__
  CHECK(holds(result.message, "block_sum.cu:1: q q"));
#else
  CHECK(holds(result.message, "block_sum.cu:1: #error q q"));
#endif
  CHECK(result.message.size() < 2000);
}

TEST_CASE("a file in another encoding is told how to be saved") {
  std::string wide = "\xff\xfe";
  for (const char c : right_kernel) {
    wide += c;
    wide += '\0';
  }
  expect(
      wide, "build_error", {"block_sum.cu is no plain text (UTF-16, perhaps): save it as UTF-8"});
  CHECK(verdict("// na\xefve, as Latin-1 has it\n" + right_kernel, true) == "pass ");
}

TEST_CASE("a judge of another build says so") {
  const BlockSum here;
  const TemporaryFolder folder;
  const fs::path learner = folder.path() / "learner";
  tutor::write_file(learner, "#!/bin/sh\nexec '" PROBE_PROGRAM "' greet\n");
  fs::permissions(learner, fs::perms::owner_all);
  const tutor::CheckTools tools(here.course.root(), tutor::Backend::cpu);
  Result result;
  CHECK(holds(failure_of([&] {
                tutor::run_cases(here.exercise,
                                 {learner, tools.checker(here.exercise).judge, folder.path()},
                                 {},
                                 result);
              }),
              "are of different builds of the course: build them again (cmake --build"));
}

TEST_CASE("inline PTX is an answer like any other") {
  expect(answer_with(
             "#define TILE 1024\n#include <cooperative_groups.h>\n"
             "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300\n#error too old\n#endif\n"
             "__device__ unsigned half_of(unsigned n) { unsigned h; asm volatile(\"add.u32 %0, %1, "
             "1;\\n\\t\"\n"
             "\"shr.u32 %0, %0, 1;\" : \"=&r\"(h) : \"r\"(n) : \"memory\"); return h; }",
             "half_of(left); asm volatile(\"\" ::: \"memory\")"),
         "pass");
}

TEST_CASE("what a submission names is on the list, or it does not run") {
  for (const char *code :
       {"#include <pthread.h>\n#include <signal.h>\nvoid f() { pthread_kill(pthread_self(), 9); "
        "}\n",
        "#include <fstream>\nstatic std::ifstream f(\"x\");\n",
        "#include <unistd.h>\nvoid f() { char c; (void)!read(0, &c, 1); }\n",
        "extern \"C\" long __send(int, const void *, unsigned long, int);\n"
        "void f() { __send(3, \"\", 1, 0); }\n",
        "extern \"C\" long __libc_start_main;\nlong f() { return __libc_start_main; }\n",
        "#include <stdlib.h>\nconst char *f() { return getenv(\"x\"); }\n",
        "#include <stdlib.h>\nvoid *operator new(unsigned long n) { return malloc(n); }\n"}) {
    expect(right_kernel + code, "forbidden_call");
  }
  // What exercises and the standard library's headers need is on it.
  CHECK(
      verdict(
          right_kernel +
              "#include <algorithm>\n#include <cassert>\n#include <cmath>\n#include <cstdio>\n"
              "#include <future>\n#include <iostream>\n#include <map>\n#include <memory>\n"
              "#include <string>\n#include <thread>\n#include <vector>\n"
              "struct Base { virtual ~Base() {} };\nstruct Own : Base {};\n"
              "bool g(Base *b) { const auto p = std::make_shared<int>(1), q = p;\n"
              "  return std::async([q] { return *q; }).get() + (dynamic_cast<Own *>(b) != "
              "nullptr); }\n"
              "float f(float x) { assert(x > 0); std::vector<std::string> v{\"a\"}; std::map<int, "
              "float> m; m[1] = std::sqrt(x) + tanhf(x); std::sort(v.begin(), v.end()); "
              "std::cout << v[0]; printf(\"%f\", INFINITY); return m[1] * fmaf(x, x, x); }\n",
          true) == "pass ");
}

TEST_CASE("what a submission declares is its own, whatever it is called") {
  expect(answer_with(
             "#define _BLOCK 1024\n#define __HALF__(x) (((x) + 1) / 2)\n"
             "struct lab { unsigned n; __device__ __attribute__((noinline)) unsigned half() { "
             "return __HALF__(n); } };\n"
             "namespace checker { __device__ unsigned half(unsigned _Left) { return lab{_Left}.half"
             "(); } }\nnamespace learner { int send; }\nusing doctest = unsigned;\n"
             "extern \"C\" __device__ unsigned half_of(unsigned n) { return checker::half(n); }",
             "doctest(half_of(left)); const unsigned emu = 1, _Emu = emu; (void)_Emu"),
         "pass");
}

TEST_CASE("of a name that a header has, too, both places are told") {
  struct Case {
    const char *before, *own, *header;
  };
  for (const Case &c :
       {Case{"#define _Tp 3\n#include <map>\n", "the macro _Tp", "which this file includes"},
        Case{"#define T 3\n#include <cooperative_groups/reduce.h>\n",
             "the macro T is a name in",
             "emu/groups/group_"},
        Case{"#include <cuda_runtime.h>\nstruct emu { int x; };\n",
#ifdef __clang__
             "of 'emu'",
             "emu/ptx/ptx.hpp"}}) {
#else
             "struct emu",
             "emu/engine/fiber.hpp"}}) {
#endif
    expect(c.before + right_kernel, "build_error", {c.own, c.header});
  }
}

TEST_CASE("a global array of the host is no shared memory: device code cannot name it") {
  CHECK(verdict("#include <cuda_runtime.h>\nunsigned s_data[1024];\n"
                "__global__ void block_sum(const unsigned *in, int n, unsigned *out) {\n"
                "  s_data[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;\n"
                "  if (threadIdx.x == 0) { unsigned sum = 0;\n"
                "    for (unsigned i = 0; i < blockDim.x; ++i) sum += s_data[i];\n"
                "    out[blockIdx.x] = sum; } }\n",
                true) == "build_error compile_error");
}

TEST_CASE("nothing of the checker is in the learner's program") {
  const BlockSum here;
  const TemporaryFolder folder;
  tutor::Result result;
  const tutor::CheckTools tools(here.course.root(), tutor::Backend::cpu);
  const auto programs = tutor::build_programs(tools,
                                              here.exercise,
                                              {tools.checker(here.exercise)},
                                              right_kernel,
                                              folder.path(),
                                              {},
                                              result);
  REQUIRE(programs.size() == 1);
  const std::string bytes = tutor::read_file(programs[0]);
  CHECK(holds(bytes, "block_sum"));
  for (const char *of_the_checker : {"every size, in blocks",
                                     "one barrier per round",
                                     "too_many_barriers",
                                     "last_round_missing",
                                     "wrong_result",
                                     "DOCTEST",
                                     "expect_same",
                                     "BlockSums"}) {
    INFO(of_the_checker);
    CHECK_FALSE(holds(bytes, of_the_checker));
  }
}

TEST_CASE(
    "what becomes of a program behind its cases, when kernels do nothing, takes no verdict away") {
  tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
  messages.take("nonce\tcase_begin\tone");
  messages.take("nonce\tcase_end\tone\t1\t");
  CHECK_FALSE(messages.take("nonce\tend\t1\t0\tand more")); // it may crash, or hang, from here on
  CHECK(messages.finished());
  CHECK(messages.complete());
  CHECK_FALSE(messages.anything_wrong());
  messages.take("nonce\tcase_begin\twho does the work");
  messages.take("nonce\tfail\tworked_on_the_host\tright, and kernels do nothing");
  messages.take("nonce\tcase_end\twho does the work\t0\tright, and kernels do nothing");
  CHECK(messages.take("nonce\tend\t2\t1"));
  CHECK(messages.complete());
  Result result;
  messages.tell(result);
  CHECK(result.diagnosis == "worked_on_the_host");
}

TEST_CASE("control characters that a program has put into a message stay there") {
  tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
  messages.take("nonce\tcase_begin\tone");
  messages.take("nonce\tfail\texception\t\x1b[2J\x07gone");
  messages.take("nonce\tcase_end\tone\t0\t\x1b[2J\x07gone");
  Result result;
  messages.tell(result);
  CHECK(result.message == "an exception: ?[2J?gone");
  CHECK(result.cases.at(0).message == "an exception: ?[2J?gone");
}
