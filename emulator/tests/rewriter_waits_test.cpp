#include <doctest/doctest.h>

#include <string>

#include "rewrite.hpp"

TEST_CASE("loops of device functions with volatile words let others run") {
  const std::string hint = " ::emu::volatile_hint()";
  const struct {
    std::string before, after;
  } loops[] = {
      {"while (*p) ;", "while (" + hint + ", *p) ;"},
      {"do {} while (*p);", "do {} while (" + hint + ", *p);"},
      {"for (;;) if (*p) break;", "for (;" + hint + ", true;) if (*p) break;"},
      {"for (int i = 0; i < *p; ++i) {}", "for (int i = 0;" + hint + ", i < *p; ++i) {}"},
      {"while (int n = *p) {}", "while (int n = *p) {" + hint + ";}"},
      {"while (auto [n, m] = next(p)) {}", "while (auto [n, m] = next(p)) {" + hint + ";}"},
      {"while (mask & *p == 1) ;", "while (" + hint + ", mask & *p == 1) ;"},
      {"auto g = [&] { while (*p) ; };", "auto g = [&] { while (" + hint + ", *p) ; };"},
      {"while (int n{*p}) {}", "while (int n{*p}) {" + hint + ";}"},
      {"while (decltype(n) m = *p) {}", "while (decltype(n) m = *p) {" + hint + ";}"},
      {"while (*s = *p, y == 0) ;", "while (" + hint + ", *s = *p, y == 0) ;"},
      {"do { x = *p; } while (x);", "do { x = *p; } while (" + hint + ", x);"},
      {"while (x) if (*p) break;", "while (" + hint + ", x) if (*p) break;"},
      {"again: if (*p) goto again;", "again:" + hint + "; if (*p) goto again;"},
      {"struct S { public: int n, : 3; int : 5; }; switch (x) { default: ; } out: *p = 1;",
       "struct S { public: int n, : 3; int : 5; }; switch (x) { default: ; } out: *p = 1;"},
      {"auto q = p + x; while (*q) ;", "auto q = p + x; while (" + hint + ", *q) ;"},
      {"auto &q = p[1]; while (q) ;", "auto &q = p[1]; while (" + hint + ", q) ;"},
      {"auto q = &p[1]; while (*q) ;", "auto q = &p[1]; while (" + hint + ", *q) ;"},
      {"auto n = *p; while (n) --n;", "auto n = *p; while (n) --n;"},
      {"auto n = x ? p[1] : 0; while (n) --n;", "auto n = x ? p[1] : 0; while (n) --n;"},
      {"\n#pragma omp for\nfor (int i = 0; i < *p; ++i) {}",
       "\n#pragma omp for\nfor (int i = 0; i < *p; ++i) {}"},
      {"\n#pragma unroll\nfor (int i = 0; i < *p; ++i) {}",
       "\n#pragma unroll\nfor (int i = 0;" + hint + ", i < *p; ++i) {}"},
      {"while (x) ++x; y = *p;", "while (x) ++x; y = *p;"},
      {"for (int x : a) {}", "for (int x : a) {}"},
  };
  for (const auto &[before, after] : loops) {
    const std::string text =
        rewriter::rewrite("__device__ void f(volatile int *p) {" + before + "}\n").text;
    CAPTURE(text);
    CHECK(text.find("\n" + hint + ";" + after + "\n") !=
          std::string::npos); // calls of f may be turns
  }
  for (const char *source :
       {"__device__ volatile int flag; __global__ void k() { while (flag) ; }\n",
        "struct F { volatile int f; }; __device__ void g(F *p) { while (p->f) ; }\n",
        "typedef volatile int V; __device__ void g(V *p) { while (*(V *)p) ; }\n",
        "__device__ void g(int *p) { __volatile__ int *v = p; while (*v) ; }\n"})
    CHECK(rewriter::rewrite(source).text.find("while ( ::emu::volatile_hint(), ") !=
          std::string::npos);
  for (const char *source : {"void f(volatile int *p) { while (*p) ; }\n",
                             "__device__ void f(int *p) { while (*p) ; }\n",
                             "__device__ void f(int *p) { while (*p) asm volatile(\"\"); }\n"})
    CHECK(rewriter::rewrite(source).text.find("volatile_hint") == std::string::npos);
}
