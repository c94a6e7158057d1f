#include "streams/task_graph.hpp"

using namespace emu;

CUgraphNode_st *CUgraph_st::add(TaskPointer task, std::vector<CUgraphNode_st *> after) {
  nodes.push_back(
      std::make_unique<CUgraphNode_st>(CUgraphNode_st{this, std::move(task), std::move(after)}));
  return nodes.back().get();
}

cudaGraphNodeType emu::node_type(const TaskPointer &task) {
  switch (task ? task->kind : TaskKind::join) {
  case TaskKind::kernel:
    return cudaGraphNodeTypeKernel;
  case TaskKind::copy:
    return cudaGraphNodeTypeMemcpy;
  case TaskKind::set:
    return cudaGraphNodeTypeMemset;
  case TaskKind::host_function:
    return cudaGraphNodeTypeHost;
  default:
    return cudaGraphNodeTypeEmpty;
  }
}
