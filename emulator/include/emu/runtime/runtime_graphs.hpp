// Graphs: work that is described once, captured from streams or put together node by node, and
// launched as a whole.
//
// Not there: child graphs, conditional and memory nodes, and what launches graphs from a device.
#pragma once

#include "emu/runtime/driver_types.hpp"
#include "emu/runtime/runtime_launch.hpp"

struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
typedef CUgraph_st *cudaGraph_t;
typedef CUgraphNode_st *cudaGraphNode_t;
typedef CUgraphExec_st *cudaGraphExec_t;

enum cudaStreamCaptureMode : unsigned int {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};

enum cudaGraphNodeType : unsigned int {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
};

enum cudaGraphInstantiateFlags : unsigned int {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
  cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagDeviceLaunch = 4,
  cudaGraphInstantiateFlagUseNodePriority = 8,
};

enum cudaGraphExecUpdateResult : unsigned int {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3,
};

struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode;
  cudaGraphNode_t errorFromNode;
};

struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams; // one pointer to each argument
  void **extra; // must be null
};

struct cudaMemsetParams {
  void *dst;
  size_t pitch; // bytes; unused for one row
  unsigned int value;
  unsigned int elementSize; // 1, 2 or 4 bytes
  size_t width; // elements
  size_t height;
};

struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void *userData;
};

struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

// ------------------------------------------------------------------------------ capturing

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);

// ------------------------------------------------------------------------------ graphs

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
/// With `nodes` null only their number is told.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph,
                              cudaGraphNode_t *from,
                              cudaGraphNode_t *to,
                              cudaGraphEdgeData *data,
                              size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *data,
                                     size_t count);
/// Writes the graph as a picture's description, in the language DOT.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaKernelNodeParams *parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaMemcpy3DParms *parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node,
                                     cudaGraph_t graph,
                                     const cudaGraphNode_t *after,
                                     size_t after_count,
                                     void *to,
                                     const void *from,
                                     size_t size,
                                     cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node,
                                   cudaGraph_t graph,
                                   const cudaGraphNode_t *after,
                                   size_t after_count,
                                   const cudaMemsetParams *parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node,
                                 cudaGraph_t graph,
                                 const cudaGraphNode_t *after,
                                 size_t after_count,
                                 const cudaHostNodeParams *parameters);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node,
                                  cudaGraph_t graph,
                                  const cudaGraphNode_t *after,
                                  size_t after_count);

// ------------------------------------------------------------------------------ running them

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0);
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                                 cudaGraph_t graph,
                                                 unsigned long long flags = 0) {
  return cudaGraphInstantiate(exec, graph, flags);
}
/// As it was before CUDA 12.
inline cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t /*log_bytes*/) {
  return cudaGraphInstantiate(exec, graph, 0ull);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
/// Takes over the parameters of a graph of the same shape.
cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                               cudaGraphNode_t node,
                                               void *to,
                                               const void *from,
                                               size_t size,
                                               cudaMemcpyKind kind);
