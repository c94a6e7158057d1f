#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutor {

/// What a linker has complained of first: a name that is not defined, or that is defined twice.
struct LinkFault {
  std::optional<std::string> missing, twice;
};

/// Finds it in the words of GNU's linkers, or of mold and lld. A learner chooses how long such a name is: the
/// rest of a long one is cut off.
LinkFault link_fault_in(std::string_view output);

} // namespace tutor
