// The tasks of a graph, and what comes before what.
#pragma once

#include <memory>
#include <vector>

#include "emu/runtime/runtime_graphs.hpp"
#include "streams/tasks.hpp"

struct CUgraphNode_st {
  CUgraph_st *graph;
  emu::TaskPointer task; // what a launch submits a copy of; null in an empty node
  std::vector<CUgraphNode_st *> after;
};

struct CUgraph_st {
  static constexpr const char *destroyed_by = "cudaGraphDestroy";
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes; // in the order in which they were added

  CUgraphNode_st *add(emu::TaskPointer task, std::vector<CUgraphNode_st *> after);
};

namespace emu {

/// What a task is as a node.
cudaGraphNodeType node_type(const TaskPointer &task);

} // namespace emu
