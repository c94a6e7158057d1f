#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "lexer.hpp"
#include "rewrite.hpp"
#include "structures.hpp"

namespace {

std::string rewritten(const std::string &source) {
  return rewriter::rewrite(source, [](std::string_view name) { return std::string(name); });
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what is no CUDA stays as it is, byte by byte") {
  for (const char *source : {
           "int main() { return 1 << 2 >> 1; }\n",
           "// k<<<1, 2>>>(x);\n/* __shared__ int a; */\n",
           "const char* s = \"k<<<1, 2>>>(x)\"; char c = '\"';\n",
           "auto r = R\"(k<<<1,1>>>(raw))\"; int big = 1'000'000;\n",
           "std::vector<std::vector<std::vector<int>>> v(3);\n",
           "#define SHIFT(x) \\\n  ((x) << 3)\n",
           "asm volatile(\"\" ::: \"memory\");\n",
           "__attribute__((__noinline__)) void f();\n",
       }) {
    CAPTURE(source);
    CHECK(rewritten(source) == source);
  }
}

TEST_CASE("a byte-order mark is no part of the program") {
  CHECK(rewritten("\xef\xbb\xbfint main() {}\n") == "int main() {}\n");
  CHECK(rewritten("\xef\xbb") == "\xef\xbb"); // this is none
}

TEST_CASE("every form of launch is found and its kernel named") {
  struct {
    const char *source;
    const char *kernel;
  } const cases[] = {
      {"k<<<1, 2>>>();", "k"},
      {"k <<<1, 2>>> (a);", "k"},
      {"k<< <1, 2>> >(a);", "k"},
      {"ns::k<float, 3><<<g, b, s, st>>>(a);", "ns::k<float, 3>"},
      {"k<(N > 3)><<<g, b>>>(a);", "k<(N > 3)>"},
      {"k<std::array<int, 2>><<<g, b>>>(a);", "k<std::array<int, 2>>"},
      {"Foo<T>::template run<int><<<g, b>>>(a);", "Foo<T>::template run<int>"},
      {"(*pointer)<<<g, b>>>(a);", "(*pointer)"},
      {"kernels[i]<<<g, b>>>(a);", "kernels[i]"},
      {"step.kernel<<<g, b>>>(a);", "step.kernel"},
      {"if (x) k<<<g, b>>>(a); else k<<<g, b>>>(a);", "k"},
      {"k<<<(n + 255) / 256, 256, sizeof(A<B<int>>)>>>(a);", "k"},
      {"k<<<n >> 8, 256>>>(a);", "k"},
  };
  for (const auto &c : cases) {
    CAPTURE(c.source);
    const std::string result = rewritten(c.source);
    CHECK(contains(result, "::emu::launch(EMU_NAME(" + std::string(c.kernel) + ")"));
    CHECK_FALSE(contains(result, "<<<"));
  }
}

TEST_CASE("arguments that have no type of their own stay in the call") {
  const std::string result = rewritten("k<<<1, 1>>>(p, NULL, 0, {1, 2}, x + 1, nullptr);");
  CHECK(contains(result, "k(emu_0, NULL, 0, {1, 2}, emu_1, nullptr)"));
  CHECK(contains(result, ", p, nullptr, 0, x + 1, nullptr)"));
}

TEST_CASE("commas of template arguments do not split an argument") {
  const std::string result = rewritten("k<<<1, 1>>>(std::pair<int, int>{1, 2}, a < b, c > d);");
  CHECK(contains(result, "k(emu_0, emu_1, emu_2)"));
}

TEST_CASE("a launch in a macro stays in the macro") {
  const std::string result = rewritten("#define GO(k, ...) k<<<1, 32>>>(__VA_ARGS__)\nint a;\n");
  CHECK(contains(result, "#define GO(k, ...) ::emu::launch("));
  CHECK(contains(result, "__VA_OPT__(,) __VA_ARGS__"));
  CHECK(contains(result, "\nint a;\n"));
}

TEST_CASE("lines keep their numbers") {
  const std::string source = "k\n  <<<1,\n     2>>>( // why\n    a,\n    b);\nint after;\n"
                             "__shared__ int\n  x,\n  y;\nint last;\n";
  const std::string result = rewritten(source);
  const auto line_of = [](const std::string &text, const std::string &what) {
    return std::count(text.begin(), text.begin() + static_cast<long>(text.find(what)), '\n');
  };
  CHECK(line_of(result, "int after") == line_of(source, "int after"));
  CHECK(line_of(result, "int last") == line_of(source, "int last"));
}

TEST_CASE("shared variables: arrays, pointers, several at once, dynamic, aligned, any word order") {
  const std::string in_kernel = "__global__ void k() { ";
  CHECK(contains(rewritten(in_kernel + "__shared__ float tile[32][33]; }"),
                 "using emu_type_tile = float [32][33];"));
  const std::string several = rewritten(in_kernel + "__shared__ int a, *b, c[4]; }");
  CHECK(contains(several, "using emu_type_a = int ;"));
  CHECK(contains(several, "using emu_type_b = int *;"));
  CHECK(contains(several, "using emu_type_c = int [4];"));
  CHECK(
      contains(rewritten(in_kernel + "volatile __shared__ int s[64]; }"), "= volatile int [64];"));
  CHECK(contains(rewritten(in_kernel + "int __shared__ s; }"), "using emu_type_s = int ;"));
  CHECK(contains(rewritten(in_kernel + "__shared__ __align__(16) char s[4]; }"), ", 16};"));
  CHECK(contains(rewritten(in_kernel + "__align__(16) __shared__ char s[4]; }"), ", 16};"));
  CHECK(contains(rewritten(in_kernel + "__shared__ std::pair<int, int> p[2]; }"),
                 "= std :: pair < int , int > [2];"));
  CHECK(contains(rewritten(in_kernel + "extern __shared__ T s[]; }"),
                 "emu_type_s* const s = reinterpret_cast<emu_type_s*>(::emu::dynamic_shared);"));
  CHECK(contains(rewritten(in_kernel + "__shared__ struct { int a; } s[2]; }"),
                 "= struct { int a ; } [2];"));
}

TEST_CASE("shared variables outside functions become stand-ins") {
  CHECK(contains(rewritten("extern __shared__ int s[];"), "::emu::DynamicShared<int > s{};"));
  CHECK(contains(rewritten("namespace a { __shared__ int s[4]; }"), "::emu::FileShared<"));
  CHECK(contains(rewritten("struct A { void f() { __shared__ int s; } };"), "SharedVariable"));
}

TEST_CASE("lambdas declare the shared variables that they use once more") {
  const std::string again = "*static_cast<emu_type_s*>(::emu::shared(emu_key_s));";
  const auto times = [&](const std::string &body) {
    const std::string result = rewritten("__global__ void k() { __shared__ int s; " + body + " }");
    int count = 0;
    for (size_t at = result.find(again); at != std::string::npos; at = result.find(again, at + 1))
      ++count;
    return count;
  };
  for (const char *lambda : {"auto f = [] { return s; };",
                             "auto f = [=](int a) mutable { s = a; };",
                             "auto f = [&](auto a) -> decltype(a) { return s; };",
                             "if (x) [] { s = 1; }(); else b;",
                             "g([] __device__ (int i) { s = i; });",
                             "return [] { return s; }();"}) {
    CAPTURE(lambda);
    CHECK(times(lambda) == 2);
  }
  CHECK(times("auto f = [] { return [] { return s; }; };") == 3);
  for (const char *other : {"auto f = [](int s) { return s; };",
                            "auto f = [](A a) { return a.s + A::s; };",
                            "int a[1]{s}, b[1][1]{{s}};",
                            "if (a[0]) { s = 1; }",
                            "} void f() { auto g = [] { return s; };"}) {
    CAPTURE(other);
    CHECK(times(other) == 1);
  }
}

TEST_CASE("kernels that become void pointers are noted, other casts are left alone") {
  const std::string kernel = "template <class T> __global__ void __launch_bounds__(64) k(T *p);";
  const auto cast = [&](const std::string &use) { return rewritten(kernel + use); };
  CHECK(contains(cast("f((void *)k<int>, 1);"), "f((void *)::emu::known_kernel(k<int>), 1);"));
  CHECK(contains(cast("f((const void*)&a::k);"), "((const void*)::emu::known_kernel(&a::k));"));
  CHECK(contains(cast("void *p = reinterpret_cast<void *>(k<a<int>>);"),
                 "reinterpret_cast<void *>(::emu::known_kernel(k<a<int>>));"));
  CHECK(contains(cast("cudaLaunchKernel((void *)elsewhere, 1);"), "known_kernel(elsewhere)"));
  for (const char *use : {"f((void *)p);", "f((void **)&k2);", "int x = (a * k);", "g(void *k);"})
    CHECK(cast(use) == kernel + use);
}

TEST_CASE("__CUDA_ARCH__ is there for device code") {
  const auto in = [](const std::string &function, const std::string &code) {
    return rewritten(function + " {\n" + code + "\n}\n");
  };
  const std::string device = "template <class T> __device__ T f(T a)";
  CHECK(
      contains(in("__global__ void k()", "#if __CUDA_ARCH__ >= 700"), "#if EMU_CUDA_ARCH >= 700"));
  CHECK(contains(in(device, "#ifdef __CUDA_ARCH__"), "#if 1\n"));
  CHECK(contains(in(device, "#ifndef __CUDA_ARCH__"), "#if 0\n"));
  CHECK(
      contains(in(device, "#if defined(__CUDA_ARCH__) && defined __CUDA_ARCH__"), "#if 1 && 1\n"));
  CHECK(contains(in(device, "if (x) {\n int a = __CUDA_ARCH__; }"), "int a = EMU_CUDA_ARCH;"));
  CHECK(contains(in("void f()", "g([=] __device__(int i) {\n#if __CUDA_ARCH__ > 1\n#endif\n});"),
                 "#if EMU_CUDA_ARCH > 1"));
  CHECK(contains(rewritten("#if __CUDA_ARCH__ < 600\n#endif\n"), "#if EMU_CUDA_ARCH < 600"));
  CHECK(contains(rewritten("__global__ void k() {}\n#if __CUDA_ARCH__ < 600\n#endif\n"),
                 "#if EMU_CUDA_ARCH < 600"));
  const std::string conditions = "#ifdef __CUDA_ARCH__\n#elif defined(__CUDA_ARCH__)\n#endif\n";
  CHECK(rewritten(conditions) == conditions);
  for (const char *function :
       {"void f()", "__host__ __device__ int f(int a)", "int A::f() const"}) {
    const std::string same =
        std::string(function) + " {\n" + conditions + "#if __CUDA_ARCH__ >= 700\n#endif\n}\n";
    CHECK(rewritten(same) == same);
  }
}

TEST_CASE("what cannot be right is refused with its line") {
  const auto line_of_error = [](const std::string &source) {
    try {
      rewritten(source);
    } catch (const rewriter::SourceError &error) {
      return error.line;
    }
    return 0;
  };
  CHECK(line_of_error("\n__global__ void k() { __shared__ int x = 0; }") == 2);
  CHECK(line_of_error("\n\n<<<1, 2>>>(x);") == 3);
  CHECK(line_of_error("void f() {\n k<<<1, 2>>>(x;\n}") == 2);
  CHECK(line_of_error("void f() {\n k<<<1, 2;\n}") == 2);
  CHECK(line_of_error("/* no end") == 1);
  CHECK(line_of_error("\"no end\n") == 1);
  CHECK(line_of_error("auto r = R\"(no end\";") == 1);
}

TEST_CASE("__constant__ goes where the variable is const anyway") {
  for (const std::string stays : {"__constant__ float c[4];",
                                  "static __constant__ const float *p;",
                                  "extern __constant__ int c[];",
                                  "__constant__ int c = sizeof(const int);"})
    CHECK(rewritten(stays).rfind(stays, 0) == 0);
  CHECK(rewritten("__constant__ const float c[4] = {};") == " const float c[4] = {};");
  CHECK(rewritten("static const __constant__ int c = 1;") == "static const  int c = 1;");
  CHECK(rewritten("__constant__ int *const p = 0;") == " int *const p = 0;");
}

TEST_CASE("variables for the device are made known, and nothing else is") {
  const auto made_known = [](const std::string &source) {
    const std::string result = rewritten(source);
    std::string names;
    for (size_t at = 0;
         (at = result.find("DeviceVariable emu_variable_", at)) != std::string::npos;) {
      at = result.find('(', at) + 1;
      names += (names.empty() ? "" : " ") + result.substr(at, result.find(')', at) - at);
    }
    return names;
  };
  CHECK(rewritten("__device__ int a;\nint b;") ==
        "__device__ int a; static const ::emu::DeviceVariable emu_variable_a(a);\nint b;");
  CHECK(made_known("__device__ int a = f(1, 2), b[2][3], *c;") == "a b c");
  CHECK(made_known("static __device__ unsigned long long n = 0;") == "n");
  CHECK(made_known("int __device__ a[2] = {1, 2};") == "a");
  CHECK(made_known("__device__ __constant__ float a[4];") == "a");
  CHECK(made_known("__device__ std::pair<int, float> p{1, 2};") == "p");
  CHECK(made_known("__device__ const float *p;") == "p");
  CHECK(made_known("__device__ __align__(16) char a[16];") == "a");
  CHECK(made_known("__device__ int S::a;") == "S::a");
  CHECK(made_known("namespace { __device__ volatile int flag; }") == "flag");
  for (const char *none : {"__device__ int f(int x);",
                           "__device__ int f() { return 0; }",
                           "__device__ const int a = 1;",
                           "__device__ constexpr int a[2] = {1, 2};",
                           "extern __device__ int a;",
                           "__device__ __managed__ int a;",
                           "template <class T> __device__ T a;",
                           "inline __device__ int a;",
                           "struct S { static __device__ int a; __device__ S() : b(0) {} int b; };",
                           "__device__ S operator+(S, S);",
                           "__global__ void k() { auto f = [] __device__(int x) { return x; }; }",
                           "#define DEVICE __device__\n",
                           "#define VARIABLE __device__ int a;\n"})
    CHECK(made_known(none) == "");
}

TEST_CASE("inline PTX becomes a call that names it, or what it reads of the lane") {
  const std::string kernel = "__global__ void k() { ";
  const auto in_kernel = [&](const std::string &statement) {
    return rewritten(kernel + statement + " }").substr(kernel.size());
  };
  CHECK(in_kernel("asm volatile(\"bar.sync 0;\");") == "::emu::inline_ptx(\"bar.sync 0;\"); }");
  CHECK(in_kernel("asm(\"trap;\");") == "::emu::inline_ptx(\"trap;\"); }");
  CHECK(in_kernel("asm(\"bfind.u32 %0, %1;\" : \"=r\"(a) : \"r\"(b));") ==
        "::emu::inline_ptx(\"bfind.u32 %0, %1;\"); }");
  CHECK(in_kernel("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));") ==
        "(x) = static_cast<unsigned>(::emu::lane_id()); }");
  CHECK(in_kernel("asm volatile(\"mov.u32 %0, %lanemask_lt;\" : \"=r\"(m[1]));") ==
        "(m[1]) = (1u << ::emu::lane_id()) - 1; }");
  CHECK(contains(in_kernel("asm(\"mov.u32 %0, %%smid;\" : \"=r\"(x));"), "inline_ptx"));
  CHECK(contains(rewritten("DEVICE int f() { asm(\"mov.u32 %0, %1;\" : : ); }"), "inline_ptx"));
  CHECK(contains(rewritten("#define BREAK asm(\"brkpt;\")\n"), "#define BREAK ::emu::inline_ptx("));
  for (const char *host : {"long f() { asm volatile(\"rdtsc\" : \"=A\"(x)); }",
                           "__global__ void k() { asm volatile(\"\" ::: \"memory\"); }",
                           "asm(\".globl name\");"})
    CHECK(rewritten(host) == host);
}

TEST_CASE("includes go through the handler, also with blanks after the hash") {
  const std::string result =
      rewriter::rewrite("#  include \"a.cuh\"\n#include <b.h>\n", [](std::string_view name) {
        return name[0] == '"' ? std::string("\"copy\"") : std::string(name);
      });
  CHECK(result == "#  include \"copy\"\n#include <b.h>\n");
}

TEST_CASE("structures are found where the compiler says they are") {
  const struct {
    const char *source;
    std::vector<int> lines;
  } cases[] = {
      {"struct A { int x; };\nclass B : public A {};\nunion C { int x; };\n", {1, 2, 3}},
      {"struct\n  alignas(16)\n  F4\n{\n};", {3}},
      {"struct __align__(16) F4 { int x; };", {1}},
      {"struct [[nodiscard]] Result final\n: Base<int> {\n};", {1}},
      {"typedef struct {\n  struct { int y; } x;\n} Pair;", {3, 2}},
      {"template <class T>\nstruct V<T, sizeof(T)> { T x; };", {2}},
      {"struct A;\nstruct A *next = nullptr;\nstruct A f(struct A a);\nfriend class B;", {}},
      {"template <class T, class U = int>\n__global__ void k(T *p) {\n}", {}},
      {"template <template <class> class C> void f() {}", {}},
  };
  for (const auto &c : cases) {
    CAPTURE(c.source);
    CHECK(rewriter::Structures(c.source).lines() == c.lines);
  }
}
