#include "machine.hpp"

#include <unordered_map>

namespace model {
namespace {

const std::unordered_map<std::string, LibraryCall> library_calls = {
    {"sqrtf", {6, 1, false}},  {"expf", {6, 1, false}},    {"exp2f", {4, 1, false}},
    {"logf", {18, 0, false}},  {"log2f", {18, 0, false}},  {"log10f", {19, 0, false}},
    {"sinf", {22, 0, false}},  {"cosf", {22, 0, false}},   {"tanf", {30, 1, false}},
    {"powf", {50, 2, false}},  {"tanhf", {10, 2, false}},  {"erff", {16, 1, false}},
    {"atanf", {16, 1, false}}, {"atan2f", {24, 1, false}}, {"fmodf", {24, 1, false}},
    {"cbrtf", {10, 2, false}}, {"hypotf", {12, 1, false}}, {"sqrt", {12, 1, true}},
    {"exp", {24, 0, true}},    {"log", {30, 1, true}},     {"sin", {30, 0, true}},
    {"cos", {30, 0, true}},    {"pow", {80, 2, true}},     {"tanh", {30, 1, true}},
    {"erf", {40, 1, true}},    {"hypot", {20, 1, true}}};

} // namespace

const LibraryCall *find_library_call(const std::string &name) {
  const auto found = library_calls.find(name);
  return found == library_calls.end() ? nullptr : &found->second;
}

} // namespace model
