// What graph_nodes.cpp needs of graphs.cpp.
#pragma once

#include "graphs.hpp"

namespace emu {

bool is_graph(cudaGraph_t graph);
/// The node that `exec` has made of `node` does another task of the same kind from here on.
cudaError_t replace_task(cudaGraphExec_t exec, cudaGraphNode_t node, const TaskPointer &task);

} // namespace emu
