#include "rewrite.hpp"

#include <string_view>

#include "passes.hpp"

namespace rewriter {

namespace {

// Where structures are defined: the compiler says of the copies it makes of them that they stand there,
// and the instruments must know to look further.
std::string structures(const Code &code, const Structure &structure) {
  std::string places;
  for (const size_t name : structure.class_names)
    places += "{\"" + code.file(name) + "\", " + std::to_string(code[name].line) + "},\n";
  return places.empty() ? ""
                        : "\n[[gnu::used, gnu::section(\"emu_structures\")]] static "
                          "::emu::StructurePlace emu_structures[] = {\n" +
                              places + "};\n";
}

// Whether a type may be meant that is aligned to 16 bytes or more. CUDA's own have names that say so; others ask for
// their alignment, or are assembler's.
bool has_wide_types(const Code &code) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (!code.is_name(i))
      continue;
    if (code.is_one_of(i, "atomic atomic_ref asm __asm __asm__"))
      return true;
    for (const char *const part : {"float4",
                                   "int4",
                                   "double2",
                                   "double4",
                                   "long2",
                                   "long4",
                                   "128",
                                   "align",
                                   "vector_size",
                                   "cuDoubleComplex",
                                   "curand",
                                   "TensorMap"})
      if (code.text(i).find(part) != std::string_view::npos)
        return true;
  }
  return false;
}

} // namespace

Result rewrite(std::string_view text, const Options &options) {
  const Code code(text);
  const Structure structure(code);
  Edits edits(code);
  Result result;
  const Unit unit{code, structure, options, edits, result};
  rewrite_kernels(unit);
  check_sides(unit);
  rewrite_shared(unit);
  rewrite_waits(unit);
  rewrite_words(unit);
  result.text = edits.apply();
  result.has_wide_types = has_wide_types(code);
  if (options.observed)
    result.text += structures(code, structure);
  return result;
}

} // namespace rewriter
