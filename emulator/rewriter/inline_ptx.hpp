/// \file
/// What `asm` becomes in device code: the instructions are a GPU's.
#pragma once

#include <string>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// An instruction that the emulator does not have.
struct MissingInstruction {
  std::string name;
  std::string instead; // what to use; empty: nothing
};

/// An `asm` statement: its brackets are the tokens `open` and `close`.
class InlineAsm {
public:
  InlineAsm(const Code &code, size_t keyword);

  bool is_statement() const { return is_statement_; }
  size_t close() const { return close_; }
  /// Only there to keep the compiler from moving code.
  bool is_empty() const;
  /// The same where it is empty: what goes in and out does so in C++, which instruments see.
  std::string barrier() const;
  /// Instructions of PTX have a dot between letters (mov.u32), a host's have not.
  bool looks_like_ptx() const;

  /// The same in C++, a call of emu::ptx::run() for each instruction (emu/ptx/ptx.hpp); what is no plain sequence of
  /// instructions, a call that ends the launch and names them.
  /// \param missing  gets those that are not there
  std::string replacement(std::vector<MissingInstruction> &missing) const;

private:
  /// To an output: what is const stays so.
  std::string reference(Range expression) const;

  const Code &code_;
  size_t keyword_, open_, close_ = 0;
  bool is_statement_ = false;
};

} // namespace rewriter
