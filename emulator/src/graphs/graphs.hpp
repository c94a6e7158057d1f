// Graphs behind their handles.
#pragma once

#include "streams/task_graph.hpp"

namespace emu {

CUgraph_st *make_graph();
bool is_graph(cudaGraph_t graph);
/// The node that `exec` has made of `node` does another task of the same kind from here on.
cudaError_t replace_task(cudaGraphExec_t exec, cudaGraphNode_t node, const TaskPointer &task);

/// Part of cudaDeviceReset.
void destroy_graphs();

} // namespace emu
