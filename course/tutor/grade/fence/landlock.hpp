#pragma once

#include <filesystem>
#include <vector>

/// \file
/// Which files a process may read and write, seen to by the kernel (Landlock, Linux 5.13 and newer).

namespace fence {

/// The version of Landlock that this kernel has; 0: none.
int landlock_version();

/// From now on this process, and all that it starts or becomes, reads (and runs) only what lies
/// under `readable`, and writes only under `writable`; nothing else, no matter who owns it. Where
/// the kernel can: it also makes no TCP connection and sends no signal to those outside.
/// Paths that are not there are passed over.
/// \return false, with errno, where the kernel cannot
bool restrict_files(const std::vector<std::filesystem::path> &readable,
                    const std::vector<std::filesystem::path> &writable);

} // namespace fence
