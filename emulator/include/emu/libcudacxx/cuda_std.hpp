/// \file
/// cuda::std is the standard library for device code. Here device code runs on the host, so it is
/// the host's; what CUDA's own headers (<cuda/std/atomic>) declare in cuda::std comes first.
#pragma once

namespace std {}
namespace cuda::std {
using namespace ::std;
}
