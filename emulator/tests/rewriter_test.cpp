#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "headers.hpp"
#include "lexer.hpp"
#include "matches.hpp"
#include "merge.hpp"
#include "process.hpp"
#include "rewrite.hpp"

namespace {

std::string rewritten(const std::string &source) {
  std::string text = rewriter::rewrite(source).text;
  // What keeps host and device apart has tests of its own.
  text = replaced(text,
                  "\n#pragma GCC diagnostic [a-z]+ \"-Wdeprecated-declarations\"\n# [0-9]+ "
                  "\"[^\"]*\"\n|__attribute__\\(\\(deprecated\\(\"emu:[a-z-]*\"\\)\\)\\) ",
                  "");
  return replaced(text, "\n# 1 \"/emulator/include/[^\"]*\" 3\n(.*)\n# [0-9]+ \"[^\"]*\"\n", "", 1);
}

std::vector<std::string> refusals(const std::string &source) {
  std::vector<std::string> found;
  for (const rewriter::Refusal &refusal : rewriter::rewrite(source).refusals)
    found.push_back(std::to_string(refusal.line) + ": " + refusal.what);
  return found;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("what is no CUDA stays as it is, byte by byte") {
  for (const char *source : {
           "const char* s = \"k<<<1, 2>>>(x)\"; char c = '\"';\n",
           "auto r = R\"(k<<<1,1>>>(raw))\"; int big = 1'000'000;\n",
           "std::vector<std::vector<std::vector<int>>> v(3);\n",
           "S &operator<<(S &, int); int a = operator<< <int>(s, 1);\n",
           "asm volatile(\"\" ::: \"memory\");\n",
           "__attribute__((__noinline__)) void f();\n",
           "#pragma unroll 4\n# 7 \"other.h\" 1\nint x;\n",
       }) {
    CAPTURE(source);
    CHECK(rewritten(source) == source);
  }
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
      {"k<1 << 4><<<g, b>>>(a);", "k<1 << 4>"},
      {"k<sizeof(T) < 8><<<g, b>>>(a);", "k<sizeof(T) < 8>"},
      {"k<std::array<int, 2>><<<g, b>>>(a);", "k<std::array<int, 2>>"},
      {"Foo<T>::template run<int><<<g, b>>>(a);", "Foo<T>::template run<int>"},
      {"(*pointer)<<<g, b>>>(a);", "(*pointer)"},
      {"kernels[i++]<<<g, b>>>(a);", "kernels[i++]"},
      {"step.kernel<<<g, b>>>(a);", "step.kernel"},
      {"if (x) k<<<g, b>>>(a); else k<<<g, b>>>(a);", "k"},
      {"k<<<(n + 255) / 256, 256, sizeof(A<B<int>>)>>>(a);", "k"},
      {"k<<<n >> 8, 256>>>(a < b, c > (d));", "k"},
  };
  for (const auto &c : cases) {
    CAPTURE(c.source);
    const std::string result = rewritten(std::string("template <int N> __global__ void k(int);\n"
                                                     "void f() { ") +
                                         c.source + "}");
    CHECK(contains(result, "(::emu::configure(\"" + std::string(c.kernel) + "\", "));
    CHECK(contains(result, "), " + std::string(c.kernel)));
    CHECK_FALSE(contains(result, "<<<"));
  }
}

TEST_CASE("lines keep their numbers") {
  const std::string source =
      "# 1 \"a.cu\"\nvoid f() {\nk\n  <<<1,\n     2>>>(\n    a,\n    b);\nint after; }\n"
      "__shared__ int\n  x,\n  y;\nint last;\n";
  const std::string result = rewriter::rewrite(source).text;
  const auto line_of = [](const std::string &text, const std::string &what) {
    int line = 0;
    const size_t end = text.find(what);
    for (size_t at = 0; at < end; ++at)
      if ((at == 0 || text[at - 1] == '\n') && text[at] == '#' && std::isdigit(text[at + 2]))
        line = std::atoi(text.c_str() + at + 2) - 2;
      else
        line += text[at] == '\n';
    return line;
  };
  for (const char *what : {"int after", "int last", "a,", "b)"}) {
    CAPTURE(what);
    CHECK(line_of(result, what) == line_of(source, what));
  }
}

TEST_CASE("kernels hand their parameters to a launch of their body") {
  const auto starts = [](const std::string &kernel, const std::string &entry) {
    CAPTURE(kernel);
    CHECK(contains(rewritten(kernel), entry));
  };
  starts("__global__ void k(float *p, int) {}",
         "::emu::run_kernel(\"k\", reinterpret_cast<const void *>(static_cast<void (*)("
         "::emu::InType<decltype(p)>, "
         "::emu::InType<decltype(emu_p2)>)>(k)), \"p,emu_p2;\", []([[maybe_unused]] const "
         "::uint3 "
         "&threadIdx, ");
  starts("__global__ void k(int *p) { extern __shared__ T s[]; }", ">(k)), \"p;s:T\", ");
  starts("template <class T, int = 3, class... R> __global__ void k(R... r) {}",
         "(::emu::InType<decltype(r)>...)>(k<T, emu_t2, R...>)), ");
  starts("template <> __global__ void k<int>(int *p) {}", ">(k<int>)), ");
  starts("namespace a { __global__ void k(int k) {} }", ">(::a::k)), ");
  starts("__global__ void __launch_bounds__(64, 2) k(int *p) {}", "void  k(int *p) {");
  starts("__global__ void __cluster_dims__(2, n) k(int *p) {}", ">(k), 0, 0, (2), (n)>);");
  starts("template <int n> __launch_bounds__(n) __global__ void k(int *p) {}", ">(k<n>), (n)>);");
  starts("__global__ void __launch_bounds__(n, 2) k(int *p) {}", ">(k), (n), (2)>);");
  starts("__global__ void k(void (*f)(int), const int (&a)[3]) {}",
         "(::emu::InType<decltype(f)>, ::emu::InType<decltype(a)>)");
}

TEST_CASE("kernels are noted that have bounds or may become untyped pointers") {
  const auto noted = [](const std::string &source, const rewriter::Options &options = {}) {
    return contains(rewriter::rewrite(source, options).text, "::emu::noted_kernel<");
  };
  const std::string body = "__global__ void k(int *p) {}\n", launch = "k<<<1, 2>>>(p); }\n";
  for (const std::string &alone :
       {"static " + body + "void f() { " + launch,
        "namespace { " + body + "} void f() { " + launch,
        "template <int n> " + body + "void f() { k<3>" + launch.substr(1)}) {
    CAPTURE(alone);
    CHECK_FALSE(noted(alone));
    for (const char *use : {"void *g() { return (void *)k; }",
                            "void *g() { return (void *)&k<3>; }",
                            "auto g = f(k);",
                            "template __global__ void k<3>(int *);",
                            "template <> __global__ void k<3>(int *);"})
      CHECK(noted(alone + use));
  }
  CHECK(noted("static __launch_bounds__(64) " + body));
  // Another file may name these, but for a stranger's.
  rewriter::Options stranger;
  stranger.guarded = true;
  for (const std::string &others : {body,
                                    "namespace a { " + body + "}",
                                    "extern \"C\" " + body,
                                    std::string("template <> __global__ void l<3>(int *p) {}\n")}) {
    CAPTURE(others);
    CHECK(noted(others + "void f() { " + launch));
  }
  CHECK_FALSE(noted(body + "void f() { " + launch, stranger));
  CHECK(noted(body + "void *g = (void *)k;", stranger));
}

TEST_CASE("shared variables: arrays, pointers, several at once, dynamic, aligned, any word order") {
  const auto in_kernel = [](const std::string &code) {
    return rewritten("__global__ void k() { " + code + " }");
  };
  CHECK(contains(in_kernel("__shared__ float tile[32][33];"),
                 "using emu_type_tile = float [32][33];"));
  const std::string several = in_kernel("__shared__ int a, *b, c[4];");
  CHECK(contains(several, "using emu_type_a = int ;"));
  CHECK(contains(several, "using emu_type_b = int *;"));
  CHECK(contains(several, "using emu_type_c = int [4];"));
  CHECK(contains(in_kernel("volatile __shared__ int s[64];"), "= volatile int [64];"));
  CHECK(contains(in_kernel("int __shared__ s;"), "using emu_type_s = int ;"));
  for (const char *aligned : {"__shared__ __align__(16) char s[4];",
                              "alignas(16) __shared__ char s[4];",
                              "__attribute__((aligned(16))) __shared__ char s[4];"})
    CHECK(contains(in_kernel(aligned), ", 16, {"));
  CHECK(contains(in_kernel("[[maybe_unused]] __shared__ float u[32];"),
                 "using emu_type_u = float [32];"));
  CHECK(contains(in_kernel("extern __shared__ T s[];"),
                 "emu_type_s &s = reinterpret_cast<emu_type_s &>(*::emu::dynamic_shared);"));
  CHECK(contains(in_kernel("switch (a) { case 0: __shared__ int s; s = 1; }"),
                 "(*static_cast<emu_type_s *>(::emu::shared(emu_key_s))) = 1;"));
}

TEST_CASE("functions declare the shared variables that they use once more") {
  const std::string again = "*static_cast<emu_type_s *>(::emu::shared(emu_key_s));";
  const auto times = [&](const std::string &source) {
    const std::string result = rewritten(source);
    int count = 0;
    for (size_t at = result.find(again); at != std::string::npos; at = result.find(again, at + 1))
      ++count;
    return count;
  };
  const auto in_kernel = [&](const std::string &body) {
    return times("__global__ void k() { __shared__ int s; " + body + " }");
  };
  for (const char *lambda : {"auto f = [] { return s; };",
                             "auto f = [=](int a) mutable { s = a; };",
                             "auto f = [&](auto a) -> decltype(a) { return s; };",
                             "if (x) [] { s = 1; }(); else b;",
                             "g([] __device__ (int i) { s = i; });",
                             "struct A { __device__ int f() { return s; } };",
                             "return [] { return s; }();"}) {
    CAPTURE(lambda);
    CHECK(in_kernel(lambda) == 2);
  }
  CHECK(in_kernel("auto f = [] { return [] { return s; }; };") == 3);
  for (const char *other : {"auto f = [](int s) { return s; };",
                            "auto f = [](A a) { return a.s + A::s; };",
                            "int a[1]{s}, b[1][1]{{s}};",
                            "if (a[0]) { s = 1; }",
                            "} __device__ void f() { auto g = [] { return s; };"}) {
    CAPTURE(other);
    CHECK(in_kernel(other) == 1);
  }
  CHECK(times("__shared__ int s; __global__ void k() { s = 1; } __device__ int f(int s) { return "
              "s; }") == 1);
}

TEST_CASE("each function has the body of its pass") {
  const auto merged = [](const std::string &host, const std::string &device) {
    const std::string text = rewriter::merge(host, device);
    return replaced(replaced(text, "\n# [0-9]+ \"[^\"]*\"\n", ""), " +", " ");
  };
  CHECK(merged("int f() { return 1; }", "int f() { return 2; }") == "int f() { return 1; }");
  CHECK(contains(merged("__global__ void k() { h; }", "__global__ void k() { d; }"), "{ d; }"));
  CHECK(contains(merged("__host__ __device__ int f() { return 1; }",
                        "__host__ __device__ int f() { return 2; }"),
                 "{ if (::emu::in_kernel()) {return 2;} else {return 1;} }"));
  CHECK(contains(
      merged("void f() { g([] __device__ { h; }); }", "void f() { g([] __device__ { d; }); }"),
      "g([] __device__ { d; });"));
  CHECK(contains(merged("struct A { int x; };", "struct __align__(16) A { int x; };"),
                 "__align__(16)"));
  CHECK(merged("__device__ int add() { } int b;", "int b;") == " int b;");
  CHECK(contains(merged("int b;", "__device__ int add() { } int b;"), "add"));
}

TEST_CASE("what cannot be right is refused with its line") {
  const auto line_of_error = [](const std::string &source) {
    try {
      rewriter::rewrite(source);
    } catch (const rewriter::SourceError &error) {
      return error.line;
    }
    return 0;
  };
  CHECK(line_of_error("\n__global__ void k() { __shared__ int x = 0; }") == 2);
  CHECK(line_of_error("\n\n<<<1, 2>>>(x);") == 3);
  CHECK(line_of_error("void f() {\n k<<<1, 2>>>(x;\n}") == 2);
  CHECK(line_of_error("void f() {\n k<<<1, 2;\n}") == 2);
  CHECK(line_of_error("\"no end\n") == 1);
}

TEST_CASE("host and device are kept apart by names alone, where these are enough") {
  using Refused = std::vector<std::string>;
  const std::string given = "__device__ int d(int); __global__ void k(int *);\n";
  const auto in = [&](const std::string &source) { return refusals(given + source); };
  CHECK(in("int main() { return d(1); }") ==
        Refused{"2: calling a __device__ function(\"d\") from a __host__ function(\"main\") is not "
                "allowed"});
  for (const char *call : {"void f() { k(0); }", "__global__ void g() { h(1, k(0)); }"})
    CHECK(in(call) == Refused{"2: a __global__ function call must be configured"});
  CHECK(in("void f() { if (g()) {} ::T<int> a(1), b{2}, &k(0); const auto c(1), k(2); }").empty());
  CHECK(in("__global__ int g() { }") ==
        Refused{"2: a __global__ function must have a void return type"});
  CHECK(in("int main() { __shared__ int s; }") ==
        Refused{"2: a static \"__shared__\" variable declaration is not allowed inside a host "
                "function body"});
  CHECK(in("__global__ void g(int *p) {\n*p = std::max(1, 2); }") ==
        Refused{"3: calling a __host__ function(\"std::max\") from a __global__ function(\"g\") is "
                "not allowed"});
  CHECK(in("__device__ float f() { return std::numeric_limits<float>::max(); }") ==
        Refused{"2: calling a constexpr __host__ function(\"std::numeric_limits::max\") from a "
                "__device__ function(\"f\") is not allowed; there are INFINITY (<cmath>), FLT_MAX "
                "(<cfloat>) and INT_MAX (<climits>)"});
  for (const std::string refused :
       {"__global__ void distance(int, int *); void f() { distance(1, 0); }",
        "__global__ void g() { std::cout << 1; }",
        "__global__ void g() { rand(); }",
        "void f(float *p) { p[threadIdx.x] = 1; }",
        "void f() { __syncthreads(); }",
        "void f() { [] __device__ { std::swap(a, b); }; }"}) {
    CAPTURE(refused);
    CHECK(in(refused).size() == 1);
  }
  for (const char *valid :
       {"void f() { k<<<1, 1>>>(0); }",
        "void f() { auto d = [](int a) { return a; }; d(1); }",
        "void f(int (*k)(int)) { k(1); }",
        "void f(A a) { a.d(1); b::d(2); }",
        "void f() { [] __device__ { return d(1); }; int x = std::max(1, 2); }",
        "__global__ void g() { float x = std::sqrt(2.f) + d(std::move(1)); }",
        "__global__ void g() { constexpr int x = std::numeric_limits<int>::digits; }",
        "void f(dim3 blockDim) { int x = blockDim.x; }",
        "void f() { dim3 blockDim(1, 2); int x = blockDim.x; }",
        "void atomicAdd(A, int); void f(A a) { atomicAdd(a, 1); }",
        "auto g() -> void; __global__ auto h() -> void { }",
        "__global__ void distance(int *); void f() { distance(v.begin(), v.end()); }",
        "int rand(int); __device__ int rand(A); __global__ void g() { rand(a); }"})
    CHECK(in(valid) == Refused{});
  // What reads and writes memory that it is handed, by whatever name it is called.
  for (const std::string refused : {"__global__ void g(char *a) { strncpy(a, a + 1, 1); }",
                                    "__global__ void g(char *a) { a[0] = ::strlen(a); }",
                                    "__global__ void g(char *a) { std::memcmp(a, a + 1, 4); }",
                                    "__device__ void g() { auto copy = strncpy; }",
                                    "__device__ void g() { auto copy = cudaMemcpyAsync; }",
                                    "__global__ void g(int *a) { ::cudaMemcpy(a, a + 1, 4, "
                                    "cudaMemcpyDefault); }",
                                    "void f() { [] __device__ { (strcpy)(a, b); }; }"}) {
    CAPTURE(refused);
    CHECK(in(refused).size() == 1);
  }
  const std::string helper = "__host__ __device__ void f(char *a) { strncpy(a, a + 1, 1); }\n"
                             "template <class T> constexpr T g(T a) { return a + strlen(\"\"); }";
  CHECK(in(helper).empty()); // nvcc but warns
  rewriter::Options guarded;
  guarded.guarded = true;
  CHECK(rewriter::rewrite(helper, guarded).refusals.size() == 2);
  for (const char *valid : {"void f(char *a) { strncpy(a, a + 1, strlen(a)); }",
                            "__global__ void g(int strlen) { int x = strlen; }",
                            "__device__ int strcmp(A, A); __global__ void g(A a) { strcmp(a, a); }",
                            "__global__ void g(S *s) { s->puts(1); own::puts(2); }"})
    CHECK(rewriter::rewrite(valid, guarded).refusals.empty());
  for (const char *keeps : {"__device__ void g(unsigned n) { std::set_new_handler((H)n); }",
                            "__device__ void g(unsigned n) { ::srand(n); }",
                            "__device__ void g(unsigned n) { *__errno_location() = n; }"})
    CHECK(in(keeps).size() == 1);
  rewriter::Options relaxed;
  relaxed.relaxed_constexpr = true;
  const std::string both =
      "__global__ void g() { std::max(1, std::numeric_limits<int>::max()); std::rand(); }";
  CHECK(refusals(both).size() == 3);
  CHECK(rewriter::rewrite(both, relaxed).refusals.size() == 1);
}

// The compiler resolves all other uses: one program with a mistake in each line that says so.
TEST_CASE("host and device are kept apart by the compiler") {
  namespace fs = std::filesystem;
  const fs::path source = HOST_AND_DEVICE;
  const rewriter::Ended ended =
      rewriter::run({CUDA_REWRITER,
                     CXX_COMPILER,
                     "-std=c++20",
                     "-w",
                     "-fsyntax-only",
                     "-isystem",
                     EMULATOR_HEADERS,
                     "-c",
                     source.string(),
                     "-o",
                     fs::temp_directory_path() / "build-first-host-and-device.o"});
  CHECK(ended.status == 1);
  std::ifstream file(source);
  std::string line;
  size_t expected = 0;
  for (int number = 1; std::getline(file, line); ++number) {
    const size_t mark = line.find("// refused: ");
    const std::string place = source.string() + ":" + std::to_string(number) + ":";
    size_t at = ended.said.find(place);
    while (at != std::string::npos &&
           ended.said.substr(at, 500).find(": error: ") >= ended.said.substr(at).find('\n'))
      at = ended.said.find(place, at + 1); // a note about this line
    CAPTURE(line);
    CHECK((at == std::string::npos) == (mark == std::string::npos));
    if (at == std::string::npos || mark == std::string::npos)
      continue;
    ++expected;
    CHECK(contains(ended.said.substr(at, ended.said.find('\n', at) - at), line.substr(mark + 12)));
  }
  CHECK(expected >= 8);
}

TEST_CASE("constant variables have a section under observation unless they are const") {
  const auto has_section = [](const std::string &source) {
    rewriter::Options observed;
    observed.observed = true;
    return contains(rewriter::rewrite(source, observed).text, "section(\"emu_constant\")");
  };
  for (const char *has : {"__constant__ float c[4];",
                          "static __constant__ const float *p;",
                          "extern __constant__ int c[];",
                          "__constant__ int c = sizeof(const int);"})
    CHECK(has_section(has));
  for (const char *has_none : {"__constant__ const float c[4] = {};",
                               "static const __constant__ int c = 1;",
                               "__constant__ int *const p = 0;"})
    CHECK_FALSE(has_section(has_none));
}

TEST_CASE("variables for the device are made known, and nothing else is") {
  const auto made_known = [](const std::string &source) {
    const std::string result = rewritten(source);
    std::string names;
    for (size_t at = 0;
         (at = result.find("DeviceVariable emu_variable_", at)) != std::string::npos;) {
      at = result.find('(', at) + 1;
      names += (names.empty() ? "" : " ") + result.substr(at, result.find(',', at) - at);
    }
    return names;
  };
  CHECK(rewritten("__device__ int a;\nint b;") ==
        " int a; static const ::emu::DeviceVariable emu_variable_a(a, \"a\");\nint b;");
  CHECK(made_known("__device__ int a = f(1, 2), b[2][3], *c;") == "a b c");
  CHECK(made_known("static __device__ unsigned long long n = 0;") == "n");
  CHECK(made_known("int __device__ a[2] = {1, 2};") == "a");
  CHECK(made_known("__device__ __constant__ float a[4];") == "a");
  CHECK(made_known("__device__ std::pair<int, float> p{1, 2};") == "p");
  CHECK(made_known("__device__ const float *p;") == "p");
  CHECK(made_known("__device__ alignas(16) char a[16];") == "a");
  CHECK(made_known("__device__ int S::a;") == "S::a");
  CHECK(made_known("namespace { __device__ volatile int flag; }") == "flag");
  CHECK(made_known("inline __device__ int a;") == "a");
  for (const char *managed : {"__device__ __managed__ int a;", "static __managed__ int a = 1;"})
    CHECK(contains(rewritten(managed), "ManagedVariable emu_variable_a(a, \"a\");"));
  CHECK(made_known("template <> __device__ int v<float> = 3;") == "v<float>");
  CHECK(contains(rewritten("template <class T, int n = (1 > 0)> __device__ T v[n] = {};"),
                 "template <class T, int n>  const ::emu::DeviceVariable "
                 "emu_variable_v<T, n>::known(v<T, n>, \"v\");"));
  CHECK(contains(rewritten("template <class... T> __device__ int v<A<T...>> = 1;"),
                 "emu_variable_v_A_T_____<T...>::known(v<A<T...>>, \"v<A<T...>>\");"));
  for (const char *none : {"__device__ int f(int x);",
                           "__device__ int f() { return 0; }",
                           "__device__ const int a = 1;",
                           "__device__ constexpr int a[2] = {1, 2};",
                           "extern __device__ int a;",
                           "__device__ __managed__ int a;",
                           "struct S { static __device__ int a; __device__ S() : b(0) {} int b; };",
                           "__device__ S operator+(S, S);",
                           "__global__ void k() { auto f = [] __device__(int x) { return x; }; }",
                           "template <class T> __device__ T f(T x);",
                           "template <class> __device__ int v;"})
    CHECK(made_known(none) == "");
}

TEST_CASE("structures are found where the compiler says they are") {
  const struct {
    std::string source;
    std::vector<int> lines;
  } cases[] = {
      {"struct A { int x; };\nclass B : public A {};\nunion C { int x; };\n", {1, 2, 3}},
      {"struct\n  alignas(16)\n  F4\n{\n};", {3}},
      {"struct alignas(16) F4 { int x; };", {1}},
      {"struct [[nodiscard]] Result final\n: Base<int> {\n};", {1}},
      {"typedef struct {\n  struct { int y; } x;\n} Pair;", {3, 2}},
      {"template <class T>\nstruct V<T, sizeof(T)> { T x; };", {2}},
      {"struct A;\nstruct A *next = nullptr;\nstruct A f(struct A a);\nfriend class B;", {}},
      {"template <class T, class U = int>\n__global__ void k(T *p) {\n}", {}},
      {"template <template <class> class C> void f() {}", {}},
  };
  for (const auto &c : cases) {
    CAPTURE(c.source);
    rewriter::Options observed;
    observed.observed = true;
    const std::string text = rewriter::rewrite(c.source, observed).text;
    std::vector<int> lines;
    for (const Match &place : matches(text, "\\{\"\", ([0-9]+)\\},"))
      lines.push_back(std::stoi(place.groups[1]));
    CHECK(lines == c.lines);
  }
}

TEST_CASE("types that are aligned to 16 bytes or more are told by names") {
  const auto has_wide_types = [](const char *source) {
    return rewriter::rewrite(source).has_wide_types;
  };
  for (const char *const wide : {"void k(float4 *p) { p->x = 1; }",
                                 "auto v = make_ulonglong2(1, 2);",
                                 "struct alignas(16) Pair { double a, b; };",
                                 "struct __attribute__((aligned(16))) Pair { double a, b; };",
                                 "typedef float Four __attribute__((vector_size(16)));",
                                 "cuda::atomic<Pair> *p;",
                                 "void k() { asm volatile(\"membar.gl;\"); }"}) {
    CAPTURE(wide);
    CHECK(has_wide_types(wide));
  }
  CHECK(!has_wide_types(
      "void k(double *p, float2 v, const char *s) { atomicAdd(p, v.x); s = \"float4\"; }"));
  CHECK(
      !has_wide_types("# 1 \"types.hpp\" 1 3\nfloat4 of_the_system;\n# 1 \"a.cu\" 2\nfloat x;\n"));
}

TEST_CASE("where an element of what ?: chooses is taken, the compiler sees no ?:") {
  const auto has = [&](const std::string &expression, const std::string &text) {
    return contains(rewriter::rewrite("void f() { " + expression + "; }").text, text);
  };
  CHECK(has("(a ? b : c)[i / 2] = 1", "(::emu::chosen(a ? b : c))[i / 2] = 1"));
  CHECK(has("((a ? b : c))[i][j]", "((::emu::chosen(a ? b : c)))[i][j]"));
  CHECK(has("(x, a ? b : c)[i]", "(x, ::emu::chosen(a ? b : c))[i]"));
  CHECK(!has("(a)[i], (b[a ? 1 : 2])[i], (a ? b : c) + d[i]", "chosen"));
  CHECK(!has("if (int *p = a ? b : c) [=] {}()", "chosen"));
}

TEST_CASE("threadIdx and its kin are const for the program, by whatever way it comes to them") {
  const std::string constant = "static_cast<__typeof__(gridDim) const &>(gridDim)";
  for (const char *reads : {"__device__ void f() { gridDim.z = 1; }",
                            "__global__ void f() { auto &g = gridDim; }",
                            "__global__ void f(int *p) { [&] { p[0] = gridDim.x; }(); }",
                            "__device__ void f() { dim3 *g = &gridDim; }",
                            "__device__ void f() { { dim3 gridDim; } gridDim.z = 1; }",
                            "__device__ void f() { for (dim3 gridDim; 0;) {} gridDim.z = 1; }",
                            "__device__ void f(unsigned &z = gridDim.z);",
                            "struct S { unsigned &z = gridDim.z; };",
                            "constexpr unsigned &f() { return gridDim.z; }"}) {
    CAPTURE(reads);
    CHECK(contains(rewritten(reads), constant));
  }
  CHECK(contains(rewritten("__device__ void f() { ++::gridDim.z; }"),
                 "++static_cast<__typeof__(::gridDim) const &>(::gridDim).z"));
  for (const std::string own : {"void f() { dim3 gridDim(1); k<<<gridDim, 2>>>(); }",
                                "void f(dim3 gridDim, dim3 &blockDim) {}",
                                "struct S { dim3 gridDim; S(dim3 g) : gridDim(g) {} };",
                                "void f(cudaLaunchParams p) { p.gridDim = 1; }",
                                "enum { blockDim = 256, gridDim = 2 };",
                                "__device__ void f() { dim3 gridDim = own(); gridDim.x += 1; }",
                                "__device__ void f() { decltype(gridDim) g; own::gridDim = 1; }"}) {
    CAPTURE(own);
    CHECK_FALSE(contains(rewritten(own), "static_cast"));
  }
}

TEST_CASE("an empty asm takes and gives in C++, where instruments see it") {
  const auto in_kernel = [](const std::string &code) {
    return rewritten("__global__ void g() { " + code + " }");
  };
  CHECK(contains(
      in_kernel("asm volatile(\"\" : \"=r\"(*p), \"+r\"(a[1]) : \"0\"(v), \"n\"(3) : "
                "\"memory\");"),
      "do { auto &&emu_0 = (*p); ::std::remove_cvref_t<decltype(emu_0)> emu_0_in; auto "
      "&&emu_1 = (a[1]); ::std::remove_cvref_t<decltype(emu_1)> emu_1_in = emu_1; const "
      "auto emu_2_in = (v); asm volatile ( \"\" : \"=r\" (emu_0_in) , \"+r\" (emu_1_in) : "
      "\"0\" (emu_2_in) , \"n\" (3) : \"memory\" ) ; emu_0 = emu_0_in; emu_1 = emu_1_in; } "
      "while (0);"));
  CHECK(
      contains(in_kernel("asm volatile(\"\" : : [x] \"r\"(*p));"),
               "const auto emu_0_in = (*p); asm volatile ( \"\" : : [ x ] \"r\" (emu_0_in) ) ; }"));
  CHECK(contains(in_kernel("asm volatile(\"\" ::: \"memory\");"),
                 "do { asm volatile ( \"\" :: : \"memory\" ) ; } while (0);"));
}

TEST_CASE("digraphs are brackets where they are not parts of strings and names") {
  CHECK(rewriter::without_digraphs("int a<:2:> = <%1, 2%>; f(\"<%:>\");") ==
        "int a[ 2 ] = { 1, 2 }; f(\"<%:>\");");
  CHECK(rewriter::without_digraphs("v<::T> x; a < :: b; \"") == "v<::T> x; a < :: b; \"");
}

TEST_CASE("a header that is not there is named with what to do") {
  CHECK(rewriter::explain_missing_header(
            "a.cu:1:9: fatal error: cuda_fp8.h: No such file or directory")
            .starts_with(
                "a.cu:1:9: error: the emulator has no <cuda_fp8.h>: of the short floating-point"));
}

TEST_CASE("compilers speak English, whatever their user does: their words are read") {
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  setenv("LANGUAGE", "de", 1);
  const rewriter::Ended ended = rewriter::run({"sh", "-c", "echo \"$LC_ALL$LANGUAGE $HOME\" >&2"});
  unsetenv("LC_ALL");
  unsetenv("LANGUAGE");
  CHECK(ended.said == "C.UTF-8 " + std::string(std::getenv("HOME")) + "\n");
}
