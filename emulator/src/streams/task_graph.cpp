#include "streams/task_graph.hpp"

using namespace emu;

CUgraphNode_st *
CUgraph_st::add(cudaGraphNodeType type, TaskPointer task, std::vector<CUgraphNode_st *> after) {
  nodes.push_back(std::make_unique<CUgraphNode_st>(
      CUgraphNode_st{this, type, std::move(task), std::move(after)}));
  return nodes.back().get();
}

cudaGraphNodeType emu::node_type(const Task &task) {
  switch (task.kind) {
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
