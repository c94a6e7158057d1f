/// \file
/// The time of a part of a program that does more than launch kernels one after the other: copies, pages that move,
/// several streams and devices.
#pragma once

#include "predict.hpp"

namespace model {

/// Whether it has to be laid out on a timeline; else predict_part() knows as much.
bool needs_timeline(const PartTrace &part);

/// As two events around it would time it, on a device that has other work until the host waits for the first time.
/// \param kernels  by its place in ProgramTrace::launches, what each takes
Prediction predict_timeline(const PartTrace &part,
                            const std::vector<Prediction> &kernels,
                            const Device &device);

} // namespace model
