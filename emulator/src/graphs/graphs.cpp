#include "graphs/graphs.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <unordered_set>

#include "context/api.hpp"
#include "context/handles.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "streams/capture.hpp"
#include "streams/streams.hpp"

/// A graph that is ready to be launched, independent of the one it was made of.
struct CUgraphExec_st {
  static constexpr const char *destroyed_by = "cudaGraphExecDestroy";
  struct Step {
    emu::TaskPointer task;
    std::vector<size_t> after; // earlier steps
    CUgraphNode_st *of;
  };
  std::vector<Step> steps; // each after those that it depends on
};

using namespace emu;

namespace {

using Step = CUgraphExec_st::Step;

std::recursive_mutex graphs_mutex; // of all graphs, and what is made of them

/// Calls `use(Object &)` if the graph, or what was made of one, exists.
template <class Object> cudaError_t with(Object *handle, auto use) {
  return device_call([&] {
    const std::lock_guard lock(graphs_mutex); // without which none is destroyed
    return handles<Object>().contains(handle) ? use(*handle) : cudaErrorInvalidValue;
  });
}

template <class Object> cudaError_t destroy(Object *handle) {
  return release_call([&] {
    const std::lock_guard lock(graphs_mutex);
    return handles<Object>().destroy(handle, cudaErrorInvalidValue);
  });
}

/// The nodes so that each comes after those that it depends on, else in the order of addition.
/// Fewer than there are if they wait for each other in a circle.
std::vector<CUgraphNode_st *> in_order(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> order;
  std::unordered_set<CUgraphNode_st *> placed;
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto &node : graph.nodes) {
      const bool ready = std::all_of(node->after.begin(), node->after.end(), [&](auto *before) {
        return placed.contains(before);
      });
      if (!ready || !placed.insert(node.get()).second)
        continue;
      order.push_back(node.get());
      progress = true;
    }
  }
  return order;
}

cudaError_t make_steps(const CUgraph_st &graph, std::vector<Step> &steps) {
  const std::vector<CUgraphNode_st *> order = in_order(graph);
  if (order.size() != graph.nodes.size())
    return cudaErrorInvalidValue;
  std::map<const CUgraphNode_st *, size_t> place;
  for (CUgraphNode_st *node : order) {
    Step step{node->task, {}, node};
    for (const CUgraphNode_st *before : node->after)
      step.after.push_back(place[before]);
    place[node] = steps.size();
    steps.push_back(std::move(step));
  }
  return cudaSuccess;
}

void launch_steps(const CUgraphExec_st &exec, const QueuePointer &queue, uint64_t launch) {
  const auto mark = [&](const TaskPointer &task) {
    task->graph_launch = launch;
    return task;
  };
  // Nodes come after what the stream has done so far, and before what it does next.
  const TaskPointer begin = mark(std::make_shared<Task>(TaskKind::join, "cudaGraphLaunch"));
  submit_after(queue, begin);
  std::vector<TaskPointer> made;
  for (const Step &step : exec.steps) {
    made.push_back(mark(step.task ? std::make_shared<Task>(Work(*step.task))
                                  : std::make_shared<Task>(TaskKind::join, "empty node")));
    std::vector<TaskPointer> after;
    for (const size_t before : step.after)
      after.push_back(made[before]);
    if (after.empty())
      after.push_back(begin);
    submit_beside(queue, made.back(), after);
  }
  submit_after(queue, mark(std::make_shared<Task>(TaskKind::join, "cudaGraphLaunch")), made);
}

/// Gives as many as there is room for; without a place for them, tells how many there are.
cudaError_t list(const std::vector<CUgraphNode_st *> &all, cudaGraphNode_t *nodes, size_t *count) {
  if (count == nullptr)
    return cudaErrorInvalidValue;
  if (nodes != nullptr)
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < all.size() ? all[i] : nullptr;
  if (nodes == nullptr || *count > all.size())
    *count = all.size();
  return cudaSuccess;
}

std::vector<CUgraphNode_st *> nodes_if(const CUgraph_st &graph, bool only_roots) {
  std::vector<CUgraphNode_st *> found;
  for (const auto &node : graph.nodes)
    if (!only_roots || node->after.empty())
      found.push_back(node.get());
  return found;
}

} // namespace

namespace emu {

CUgraph_st *make_graph() { return handles<CUgraph_st>().enter(new CUgraph_st); }

bool is_graph(cudaGraph_t graph) { return handles<CUgraph_st>().contains(graph); }

cudaError_t replace_task(cudaGraphExec_t exec, cudaGraphNode_t node, const TaskPointer &task) {
  return with(exec, [&](CUgraphExec_st &) {
    for (Step &step : exec->steps)
      if (step.of == node && node_type(step.task) == node_type(task)) {
        step.task = task;
        return cudaSuccess;
      }
    return cudaErrorInvalidValue;
  });
}

void destroy_graphs() {
  const std::lock_guard lock(graphs_mutex);
  handles<CUgraph_st>().destroy_all();
  handles<CUgraphExec_st>().destroy_all();
}

} // namespace emu

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  return device_call([&] {
    if (graph == nullptr || flags != 0)
      return cudaErrorInvalidValue;
    *graph = make_graph();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  return with(graph, [&](CUgraph_st &) {
    if (clone == nullptr)
      return cudaErrorInvalidValue;
    *clone = make_graph();
    std::map<const CUgraphNode_st *, CUgraphNode_st *> copies;
    for (const auto &node : graph->nodes)
      copies[node.get()] = (*clone)->add(node->task, {});
    for (const auto &node : graph->nodes)
      for (const CUgraphNode_st *before : node->after)
        copies[node.get()]->after.push_back(copies[before]);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return destroy(graph); }

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return with(graph, [&](CUgraph_st &) { return list(nodes_if(*graph, false), nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return with(graph, [&](CUgraph_st &) { return list(nodes_if(*graph, true), nodes, count); });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph,
                              cudaGraphNode_t *from,
                              cudaGraphNode_t *to,
                              cudaGraphEdgeData *data,
                              size_t *count) {
  return with(graph, [&](CUgraph_st &) {
    if (count == nullptr || (from == nullptr) != (to == nullptr))
      return cudaErrorInvalidValue;
    size_t found = 0;
    for (const auto &node : graph->nodes)
      for (CUgraphNode_st *before : node->after) {
        if (from != nullptr && found < *count) {
          from[found] = before;
          to[found] = node.get();
          if (data != nullptr)
            data[found] = {};
        }
        ++found;
      }
    *count = from == nullptr ? found : std::min(found, *count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *,
                                     size_t count) {
  return with(graph, [&](CUgraph_st &) {
    if (count > 0 && (from == nullptr || to == nullptr))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (from[i] == nullptr || to[i] == nullptr || from[i]->graph != graph ||
          to[i]->graph != graph)
        return cudaErrorInvalidValue;
      std::vector<CUgraphNode_st *> &after = to[i]->after;
      if (from[i] == to[i] || std::find(after.begin(), after.end(), from[i]) != after.end())
        return cudaErrorInvalidValue;
      after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int) {
  return with(graph, [&](CUgraph_st &) {
    FILE *file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr)
      return cudaErrorOperatingSystem;
    std::fprintf(file, "digraph graph_of_tasks {\n");
    std::map<const CUgraphNode_st *, size_t> number;
    for (const auto &node : graph->nodes) {
      const size_t mine = number[node.get()] = number.size();
      std::fprintf(
          file, "  n%zu [label=\"%s\"]\n", mine, node->task ? node->task->name.c_str() : "empty");
    }
    for (const auto &node : graph->nodes)
      for (const CUgraphNode_st *before : node->after)
        std::fprintf(file, "  n%zu -> n%zu\n", number[before], number[node.get()]);
    std::fprintf(file, "}\n");
    return std::fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return with(graph, [&](CUgraph_st &) {
    constexpr unsigned long long known =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;
    if (exec == nullptr || (flags & ~known) != 0)
      return cudaErrorInvalidValue;
    auto made = std::make_unique<CUgraphExec_st>();
    if (const cudaError_t error = make_steps(*graph, made->steps))
      return error;
    *exec = handles<CUgraphExec_st>().enter(made.release());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return with(exec, [&](CUgraphExec_st &) { return validate_stream(stream); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  CUgraphExec_st copy;
  uint64_t launch = 0;
  const cudaError_t error = with(exec, [&](CUgraphExec_st &) {
    if (const cudaError_t bad = validate_stream(stream))
      return bad;
    copy = *exec; // a host function may well destroy it
    static uint64_t launches = 0; // under the lock
    launch = ++launches;
    return cudaSuccess;
  });
  if (error != cudaSuccess)
    return error;
  return device_call([&] {
    const QueuePointer queue = queue_of(stream);
    if (tasks_are_tracked()) {
      if (const cudaError_t forbidden = forbid_while_captured(*queue))
        return forbidden;
      launch_steps(copy, queue, launch);
      return cudaSuccess;
    }
    for (const Step &step : copy.steps)
      if (step.task && sticky_error() == cudaSuccess)
        step.task->run();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return destroy(exec); }

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec,
                                cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result) {
  return with(exec, [&](CUgraphExec_st &) {
    if (result == nullptr || !is_graph(graph))
      return cudaErrorInvalidValue;
    *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    std::vector<Step> steps;
    if (make_steps(*graph, steps) != cudaSuccess || steps.size() != exec->steps.size()) {
      result->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step &old = exec->steps[i];
      if (node_type(steps[i].task) == node_type(old.task) && steps[i].after == old.after)
        continue;
      const bool moved = steps[i].after != old.after;
      *result = {moved ? cudaGraphExecUpdateErrorTopologyChanged
                       : cudaGraphExecUpdateErrorNodeTypeChanged,
                 steps[i].of,
                 nullptr};
      return cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < steps.size(); ++i)
      exec->steps[i].task = steps[i].task; // its nodes keep the names by which they are known
    return cudaSuccess;
  });
}
