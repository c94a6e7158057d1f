#include "judge/serve_call.hpp"

#include "judge/calls.hpp"

#include <array>
#include <utility>

namespace judge {
namespace {

/// A parameter while the call lasts.
template <class P, bool object = leads_to_object<P>()> struct Parameter {
  P value;
  void take(Reader &question) { question.get(value); }
  P get() { return value; }
  void put_result(Writer &) const {}
};
template <class P> struct Parameter<P, true> {
  using Object = std::remove_const_t<std::remove_pointer_t<P>>;
  Object object{};
  bool there = false;

  void take(Reader &question) {
    there = question.get<std::uint8_t>() != 0;
    if (there && !is_result<P>)
      question.get(object);
  }
  P get() { return there ? &object : nullptr; }
  void put_result(Writer &answer) const {
    if (is_result<P> && there)
      answer.put(object);
  }
};

template <auto function> struct Serve;
template <class Error, class... P, Error (*function)(P...)> struct Serve<function> {
  static void serve(Reader &question, Writer &answer) {
    std::tuple<Parameter<P>...> parameters;
    std::apply(
        [&](auto &...each) {
          (each.take(question), ...);
          answer.put(function(each.get()...));
          (each.put_result(answer), ...);
        },
        parameters);
  }
};

using Serving = void (*)(Reader &, Writer &);
template <std::size_t... i>
constexpr std::array<Serving, sizeof...(i)> all(std::index_sequence<i...>) {
  return {&Serve<std::tuple_element_t<i, Calls>::address>::serve...};
}
constexpr auto servers = all(std::make_index_sequence<std::tuple_size_v<Calls>>());

} // namespace

void serve_call(Reader &question, Writer &answer) {
  const auto number = question.get<std::uint32_t>();
  if (number >= servers.size())
    throw Malformed("no such function of CUDA's");
  servers[number](question, answer);
}

} // namespace judge
