#include "machine.hpp"

#include <cmath>
#include <cstring>
#include <map>

namespace model {
namespace {

/// A register's bits as a number of the type, and back.
template <class T> T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t to_bits(T value) {
  uint64_t result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

#define BF_ENTRY(T, NAME, ARITHMETIC, SPECIAL, VALUE) \
  {#NAME, \
   {ARITHMETIC, \
    SPECIAL, \
    sizeof(T) == 8, \
    []([[maybe_unused]] uint64_t a, [[maybe_unused]] uint64_t b) { return VALUE; }}},
#define BF_MATH_1(T, NAME, ARITHMETIC, SPECIAL) \
  BF_ENTRY(T, NAME, ARITHMETIC, SPECIAL, to_bits<T>(::NAME(from_bits<T>(a))))
#define BF_MATH_2(T, NAME, ARITHMETIC, SPECIAL) \
  BF_ENTRY(T, NAME, ARITHMETIC, SPECIAL, to_bits<T>(::NAME(from_bits<T>(a), from_bits<T>(b))))
#define BF_CUDA_1(T, NAME, ARITHMETIC, SPECIAL) \
  BF_ENTRY(T, \
           NAME, \
           ARITHMETIC, \
           SPECIAL, \
           to_bits<T>(1 / std::sqrt(from_bits<T>(a)))) // of its size, or so
const std::map<std::string, LibraryCall> library_calls = {
#include "device/library_calls.def"
};
#undef BF_MATH_1
#undef BF_MATH_2
#undef BF_CUDA_1
#undef BF_ENTRY

} // namespace

const LibraryCall *find_library_call(const std::string &name) {
  const auto found = library_calls.find(name);
  return found == library_calls.end() ? nullptr : &found->second;
}

const std::string &library_call_name(size_t place) {
#define BF_MATH_1(T, NAME, ...) #NAME,
#define BF_MATH_2 BF_MATH_1
#define BF_CUDA_1 BF_MATH_1
  static const std::vector<std::string> names = {
#include "device/library_calls.def"
  };
#undef BF_MATH_1
#undef BF_MATH_2
#undef BF_CUDA_1
  return names.at(place);
}

} // namespace model
