/// \file
/// What the program itself calls the arrays that a kernel touches: for messages.
#pragma once

#include <string>
#include <vector>

#include "emu/engine/launch.hpp"

namespace emu {

struct Region;
struct ThreadAccess;

class ArrayNames {
public:
  /// Those of this kernel's parameters count from here on.
  void launch_begins(const KernelBody &body);

  /// A parameter that points into this memory.
  struct Array {
    std::string name; ///< empty: there is none
    const char *first = nullptr; ///< its element 0
    long element = 0; ///< bytes of each, as it is declared; 0: nobody knows

    /// "in[1023]", "in[1020] to in[1023]", or "bytes 8 to 11 of in" where elements have no size.
    std::string part(long offset, long bytes) const;
  };
  /// Of several the last one that does not lie behind the address, or else the first one.
  Array array_at(const Region &region, const char *address) const;

  /// What an access touches: "in[1023]", "s_tile[3][17]", "s_total"; empty if it has no name.
  std::string element(const ThreadAccess &access) const;

  /// What an access touches that was made from this pointer, memory of nobody's: empty if no parameter is the pointer.
  std::string of_parameter(const char *pointer, const ThreadAccess &access) const;

  /// "byte 17 of s_memory": where an access begins that may lie across elements; empty if that has no name.
  std::string place(const ThreadAccess &access) const;

  /// The same as element() for what lies in no variable of the block, past the end of the one that it is named after.
  std::string beside(const ThreadAccess &access) const;

private:
  std::string of_launch(const ThreadAccess &access) const;
  std::string shared_element(const ThreadAccess &access) const;

  std::vector<Array> pointers_; ///< parameters
  Array launch_memory_; ///< stands for the launch's shared memory
};

ArrayNames &array_names();

} // namespace emu
