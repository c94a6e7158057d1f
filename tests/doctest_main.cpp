#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

/// Programs that begin otherwise have one of their own.
__attribute__((weak)) int main(int argc, char **argv) { return doctest::Context(argc, argv).run(); }
