#include "judge/calls.hpp"
#include "judge/messages.hpp"

#include <initializer_list>

namespace judge {
namespace {

template <class P> constexpr std::size_t crossing_size() {
  if constexpr (leads_to_object<P>())
    return sizeof(std::remove_pointer_t<P>);
  else
    return sizeof(P);
}

template <class... P> void add_sizes(std::uint64_t &number, cudaError_t (*)(P...)) {
  for (const std::size_t size : {sizeof...(P), crossing_size<P>()...})
    number = (number ^ size) * 0x100000001b3 + 1;
}
template <class... P> void add_sizes(std::uint64_t &number, ncclResult_t (*)(P...)) {
  add_sizes(number, static_cast<cudaError_t (*)(P...)>(nullptr));
}

template <class... Each> void add_calls(std::uint64_t &number, std::tuple<Each...>) {
  (add_sizes(number, Each::address), ...);
}

} // namespace

std::uint64_t layout() {
  std::uint64_t number = layout_of_messages() ^ layout_version;
  add_calls(number, Calls());
  for (const std::uint64_t value : {sizeof(emu::LaunchConfig),
                                    sizeof(emu::TimelineModel),
                                    sizeof(cudaFuncAttributes),
                                    static_cast<std::size_t>(Ask::timeline),
                                    static_cast<std::size_t>(emu::Access::count)})
    number = (number ^ value) * 0x100000001b3 + 1;
  return number;
}

} // namespace judge
