#include "judge/connection.hpp"

#include "checker/channel.hpp"
#include "judge/mirrors.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

namespace judge {
namespace {

constexpr int learner_gone = 3, learner_lies = 4, learner_of_another_build = 5,
              checker_asks_too_much = 6; // exit codes of this process

int socket_to_learner = -1; // set before constructors run

void take_connection(int, char **, char **environment) {
  socket_to_learner = take_socket("BF_LEARNER", environment);
}
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const taken_first)(int, char **, char **) = take_connection;

bool is_of_emulator(const char *entry) { return std::strncmp(entry, "EMU_", 4) == 0; }

/// Mostly nothing has changed since the last question: what was told then are these entries, in this order.
bool is_environment(const std::vector<std::string> &told) {
  auto next = told.begin();
  for (char **entry = environ; *entry; ++entry)
    if (is_of_emulator(*entry) && (next == told.end() || *next++ != *entry))
      return false;
  return next == told.end();
}

/// Checkers tell the emulator by its variables which device to play. It is in the other process.
void put_environment(Writer &question) {
  static std::vector<std::string> entries;
  static std::map<std::string, std::string> told;
  if (is_environment(entries))
    return question.put<std::uint64_t>(0);
  entries.clear();
  for (char **entry = environ; *entry; ++entry)
    if (is_of_emulator(*entry))
      entries.emplace_back(*entry);
  std::map<std::string, std::string> now;
  for (const std::string &entry : entries)
    if (const std::size_t end = entry.find('='); end != entry.npos)
      now[entry.substr(0, end)] = entry.substr(end + 1);
  std::map<std::string, std::string> changed; // to nothing: unset
  for (const auto &[name, value] : now)
    if (const auto before = told.find(name); before == told.end() || before->second != value)
      changed[name] = value;
  for (const auto &[name, value] : told)
    if (now.count(name) == 0)
      changed[name] = "";
  question.put<std::uint64_t>(changed.size());
  for (const auto &[name, value] : changed) {
    question.put_text(name);
    question.put_text(value);
  }
  told = std::move(now);
}

[[noreturn]] void end(int code, const std::string &why) {
  if (code == learner_lies)
    checker::detail::send("protocol", {why});
  std::_Exit(code);
}

/// The question, with what has changed here since the last one.
std::string put_together(Ask what, const Writer &arguments) {
  Writer question;
  put_environment(question);
  mirrors().put_changes(question);
  question.put(what);
  hold_in_frame(question.bytes().size() + arguments.bytes().size());
  return question.bytes() + arguments.bytes();
}

/// What goes along with the next question.
struct Told {
  std::uint64_t count = 0;
  Writer all{};
};
Told &told() {
  static Told &made = *new Told; // used by destructors of the checker's own globals
  return made;
}

void hear_greeting() {
  const std::string bytes = receive_frame(socket_to_learner);
  Reader greeting(bytes);
  if (greeting.get<std::uint64_t>() == layout() && greeting.at_end())
    return;
  checker::detail::send("other_build", {});
  std::_Exit(learner_of_another_build);
}

void converse(const std::string &question, const std::function<void(Reader &)> &read) {
  static bool greeted = false;
  if (!std::exchange(greeted, true))
    hear_greeting();
  const Told before = std::exchange(told(), {});
  Writer first;
  first.put(before.count);
  send_frame(socket_to_learner, first.bytes() + before.all.bytes() + question);
  const std::string bytes = receive_frame(socket_to_learner);
  Reader answer(bytes);
  read(answer);
  mirrors().take_changes(answer);
  if (!answer.at_end())
    throw Malformed("an answer goes on behind its end");
}

} // namespace

void believing(const std::function<void()> &take) {
  try {
    take();
  } catch (const Gone &gone) {
    end(learner_gone, gone.what());
  } catch (const Malformed &lie) {
    end(learner_lies, lie.what());
  } catch (const std::bad_alloc &) {
    end(learner_lies, "an answer that needs more memory than a check may use");
  }
}

void hold_in_frame(std::size_t bytes) {
  constexpr std::size_t beside = 4096; // what a frame tells of the bytes
  if (bytes + beside <= longest_frame)
    return;
  checker::detail::send("too_much", {std::to_string(longest_frame >> 20)});
  std::_Exit(checker_asks_too_much);
}

void ask(Ask what, const Writer &arguments, const std::function<void(Reader &)> &read) {
  believing([&] { converse(put_together(what, arguments), read); });
}

void tell(Ask what, const Writer &arguments) {
  believing([&] {
    constexpr std::size_t most = 2048; // bytes beside a question that fills its frame
    const std::string one = put_together(what, arguments);
    if (told().all.bytes().size() + one.size() > most)
      return converse(one, [](Reader &) {});
    told().all.put_text(one);
    ++told().count;
  });
}

} // namespace judge
