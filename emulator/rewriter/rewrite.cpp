#include "rewrite.hpp"

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
  if (options.observed)
    result.text += structures(code, structure);
  return result;
}

} // namespace rewriter
