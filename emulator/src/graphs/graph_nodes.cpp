// Nodes that are added to a graph, or changed, one by one.
//
// What a node does is what the call of the same name would submit: that call is made, and the task
// that comes of it is caught.
#include "graphs/graphs.hpp"

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "streams/scheduler.hpp"

using namespace emu;

namespace {

/// Makes `call()` and keeps the task that it submits.
cudaError_t catch_task(TaskPointer &task, auto call) {
  const CaughtTask catcher(task);
  const cudaError_t error = call();
  if (error != cudaSuccess || !task)
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  task->returns = Returns::at_once;
  return cudaSuccess;
}

cudaError_t kernel_task(TaskPointer &task, const cudaKernelNodeParams *p) {
  if (p == nullptr || p->func == nullptr || p->extra != nullptr)
    return cudaErrorInvalidValue;
  return catch_task(task, [&] {
    return launch_noted(
        p->func, {p->gridDim, p->blockDim, p->sharedMemBytes, nullptr, false}, p->kernelParams);
  });
}

cudaError_t memset_task(TaskPointer &task, const cudaMemsetParams *p) {
  if (p == nullptr || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return cudaErrorInvalidValue;
  const size_t width = p->width * p->elementSize;
  const size_t pitch = p->height > 1 ? p->pitch : width;
  const int value = p->elementSize == 1 ? static_cast<int>(p->value) : 0;
  const cudaError_t error =
      catch_task(task, [&] { return cudaMemset2DAsync(p->dst, pitch, value, width, p->height); });
  if (error != cudaSuccess || p->elementSize == 1)
    return error;
  // Elements of several bytes: a row of them, copied over what cudaMemset has done.
  task->run = [zeros = task->run, p = *p, pitch] {
    zeros();
    for (size_t row = 0; row < p.height; ++row)
      for (size_t i = 0; i < p.width; ++i) {
        char *place = static_cast<char *>(p.dst) + row * pitch + i * p.elementSize;
        for (unsigned byte = 0; byte < p.elementSize; ++byte)
          place[byte] = static_cast<char>(p.value >> 8 * byte);
      }
  };
  return cudaSuccess;
}

/// Checks the graph and what the node comes after, calls `make(TaskPointer &)`, and adds it.
cudaError_t add_node(cudaGraphNode_t *node,
                     cudaGraph_t graph,
                     const cudaGraphNode_t *after,
                     size_t count,
                     auto make) {
  return device_call([&] {
    if (node == nullptr || !is_graph(graph) || (count > 0 && after == nullptr))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (after[i] == nullptr || after[i]->graph != graph)
        return cudaErrorInvalidValue;
    TaskPointer task;
    if (const cudaError_t error = make(task))
      return error;
    *node = graph->add(task, std::vector<CUgraphNode_st *>(after, after + count));
    return cudaSuccess;
  });
}

/// The node does from here on what `make(TaskPointer &)` gives.
cudaError_t set_node(cudaGraphExec_t exec, cudaGraphNode_t node, auto make) {
  return device_call([&] {
    TaskPointer task;
    const cudaError_t error = make(task);
    return error != cudaSuccess ? error : replace_task(exec, node, task);
  });
}

} // namespace

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return query_call([&] {
    return node == nullptr ? cudaErrorInvalidValue : answer(type, node_type(node->task));
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaKernelNodeParams *parameters) {
  return add_node(node, graph, after, after_count, [&](TaskPointer &task) {
    return kernel_task(task, parameters);
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaMemcpy3DParms *parameters) {
  return add_node(node, graph, after, after_count, [&](TaskPointer &task) {
    return catch_task(task, [&] { return cudaMemcpy3DAsync(parameters); });
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node,
                                     cudaGraph_t graph,
                                     const cudaGraphNode_t *after,
                                     size_t after_count,
                                     void *to,
                                     const void *from,
                                     size_t size,
                                     cudaMemcpyKind kind) {
  return add_node(node, graph, after, after_count, [&](TaskPointer &task) {
    return catch_task(task, [&] { return cudaMemcpyAsync(to, from, size, kind); });
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaMemsetParams *parameters) {
  return add_node(node, graph, after, after_count, [&](TaskPointer &task) {
    return memset_task(task, parameters);
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node,
                                 cudaGraph_t graph,
                                 const cudaGraphNode_t *after,
                                 size_t after_count,
                                 const cudaHostNodeParams *parameters) {
  return add_node(node, graph, after, after_count, [&](TaskPointer &task) {
    if (parameters == nullptr)
      return cudaErrorInvalidValue;
    return catch_task(
        task, [&] { return cudaLaunchHostFunc(nullptr, parameters->fn, parameters->userData); });
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node,
                                  cudaGraph_t graph,
                                  const cudaGraphNode_t *after,
                                  size_t after_count) {
  return add_node(node, graph, after, after_count, [](TaskPointer &) { return cudaSuccess; });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  return set_node(exec, node, [&](TaskPointer &task) { return kernel_task(task, parameters); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                               cudaGraphNode_t node,
                                               void *to,
                                               const void *from,
                                               size_t size,
                                               cudaMemcpyKind kind) {
  return set_node(exec, node, [&](TaskPointer &task) {
    return catch_task(task, [&] { return cudaMemcpyAsync(to, from, size, kind); });
  });
}
