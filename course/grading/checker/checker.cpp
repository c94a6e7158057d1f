#include "checker/checker.hpp"

#include "checker/channel.hpp"
#include "checker/detail.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include <observation/words.hpp>

namespace checker {
namespace detail {
namespace {

struct Explanation {
  std::string diagnosis;
  std::string text;
};

/// The case that runs, and what the cases before it came to.
struct State {
  std::uint64_t seed_of_case = 0;
  std::uint64_t inputs = 0; ///< seeds handed out in this case
  std::vector<Explanation> explanations; ///< those that hold
  bool failed = false;
  std::string message;
  std::string
      basis; ///< of what is noted next: "stated" by expect(), "result": numbers that are wrong

  int order = 0; ///< the drawn one that work runs in; 0: none
  bool drew = false; ///< the checker has drawn one in this case
  bool all_in_order = false; ///< all cases do
  std::string wrong_in_order; ///< numbers, then, and errors of CUDA's: the first that was noted
  bool unobserved = false;
  bool without_kernels = false;
  bool compared = false; ///< any numbers, without kernels or with all in order

  std::map<std::pair<std::string, std::string>, std::string>
      perhaps; ///< of a hazard in this case, by its kind and words; of no kind: of any but CUDA's errors
  std::map<int, std::uint64_t>
      left_behind; ///< by the learner's line: how often, up to the last case
  emu::FailedCall failed_call; ///< of what was observed last; line 0: none that matters
  std::string absent; ///< lanes that had exited were named: harmless, or the cause of what is wrong
  std::vector<std::pair<std::string, std::string>>
      streams; ///< what the emulator calls them, and the learner
  bool own_numbers = false; ///< of the answer are among the values of this case
  std::string right; ///< what was compared last, and right
  std::string hazard; ///< the first one of all cases
  std::string failure; ///< the diagnosis of the first one of all cases
};

State &state() {
  static State instance;
  return instance;
}

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t hash(const char *text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (; *text; ++text)
    value = (value ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return value;
}

std::string with_learners_names(std::string text) {
  for (const auto &[number, name] : state().streams)
    for (std::size_t at = 0; (at = text.find(number, at)) != std::string::npos; at += name.size()) {
      const std::size_t end = at + number.size();
      if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0)
        text.replace(at, number.size(), name);
    }
  return text;
}

/// Whether what is wrong now was right as long as nobody came in between.
bool first_in_drawn_order() {
  const State &s = state();
  return s.order != 0 && s.failure.empty() && s.hazard.empty();
}

/// Names the line that has written the numbers, where only one can have.
[[noreturn]] void end_with_numbers(const std::string &diagnosis, const std::string &text) {
  const emu::LineReport *line = only_writing_line();
  if (line && state().failed_call.where.line == 0 && text.find("never written") == text.npos)
    note_failure(diagnosis, text, line, false, "writes the results");
  end_case(diagnosis, text);
}

/// "33 values: element 0: expected 1, got 2"; an explanation that names the values does it for both.
[[noreturn]] void end_with_mismatch(const std::string &what, const std::string &text) {
  if (!state().absent.empty())
    end_case("absent_lanes", state().absent + " (" + text + ")");
  state().basis = "result";
  if (first_in_drawn_order()) // by chance it may look like anything
    end_case("wrong_result", what + ": " + text.substr(0, text.find(" (off by")));
  const auto &known = state().explanations;
  if (known.empty()) {
    const std::string &right = state().right;
    const std::string own =
        state().own_numbers ? ". Among the values are numbers that your code names" : "";
    end_with_numbers("wrong_result",
                     what + ": " + text + own +
                         (right.empty()
                              ? ". It looks like no mistake that is known here: let the code "
                                "that makes this number tell what it has, with printf()"
                              : ". What was compared before is right: " + right +
                                    ". What is new here: an end that fills no block, more blocks, "
                                    "or a number too large for its type?"));
  }
  const std::string &said = known[0].text;
  const std::string before =
      said.substr(0, said.find(": ")); // "transpose of 33 values" ends with it
  const bool named = said.starts_with(what + ": ") ||
                     (!before.empty() && what.size() >= before.size() && what.ends_with(before));
  const std::string rest = named                             ? ""
                           : what.starts_with(before + ": ") ? what.substr(before.size() + 2) + ": "
                                                             : what + ": ";
  end_with_numbers(known[0].diagnosis, said + " (" + rest + text + ")");
}

} // namespace

void begin_case(const char *name) {
  State &s = state();
  if (s.failed)
    (void)cudaDeviceReset();
  s.failed = false;
  s.message.clear();
  s.explanations.clear();
  s.right.clear();
  s.own_numbers = false;
  s.perhaps.clear();
  s.absent.clear();
  s.basis.clear();
  s.failed_call = {};
  s.drew = false;
  s.streams.clear();
  s.inputs = 0;
  s.seed_of_case = lab::random_u64(channel_seed(), hash(name));
  // All blocks are counted, and of a very large launch nobody knows which.
  setenv("EMU_OBSERVE_COUNTED", "1024", 1);
  setenv("EMU_OBSERVE_DRAW", std::to_string(1 + s.seed_of_case % 1'000'000).c_str(), 1);
}

static void send_hazard(const std::string &kind,
                        const std::string &text,
                        const emu::Observation &seen,
                        const emu::Hazard &hazard) {
  const auto &here = hazard.here, &other = hazard.other;
  const emu::KernelReport *launch = emu::launch_of(seen, hazard);
  constexpr unsigned one[3] = {1, 1, 1};
  const auto thread = [&](const emu::HazardSide &side) { // none of what no kernel does
    return hazard.kernel.empty() ? "" : emu::coordinates(side.thread, launch ? launch->block : one);
  };
  const auto block = [&](const emu::HazardSide &side) {
    return hazard.kernel.empty() ? "" : emu::coordinates(side.block, launch ? launch->grid : one);
  };
  send("hazard",
       {kind,
        with_own_number(text),
        here.where.file,
        std::to_string(here.where.line),
        thread(here),
        block(here),
        other.where.file,
        std::to_string(other.where.line),
        thread(other),
        block(other),
        here.did,
        other.did});
  State &s = state();
  s.hazard = s.hazard.empty() ? kind : s.hazard;
}

// What one case has made and the next one finds again may be kept for all calls. What grows from case to case is
// left behind by each. (What the checker's own calls make has no line.)
static void look_for_leaks() {
  if (!emu::observing())
    return;
  emu::start_observing();
  const emu::Observation seen = emu::stop_observing();
  std::map<int, std::uint64_t> left;
  for (const emu::Hazard &hazard : seen.hazards) {
    const int line = hazard.here.where.line;
    if (hazard.kind != "leak" || line == 0)
      continue;
    const std::uint64_t before = state().left_behind[line];
    left[line] = hazard.count;
    if (before > 0 && hazard.count > before && !state().failed) {
      const std::string text =
          hazard.message + ": with each call more is left behind. Try: " + hazard.advice;
      send_hazard("leak", text, seen, hazard);
      note_failure("leak", text);
    }
  }
  state().left_behind = left;
}

void note_own_numbers_among_values() { state().own_numbers = true; }

bool end_case_normally() {
  if (!state().failed && !state().without_kernels && state().order == 0)
    look_for_leaks();
  return !state().failed;
}

const std::string &case_message() { return state().message; }

/// \param said  of the hazard
static std::string perhaps_of(const std::string &kind, const std::string &said = {}) {
  std::string of_all;
  const auto &all = state().perhaps;
  for (auto one = all.rbegin(); one != all.rend(); ++one) { // that for any words comes last
    const auto &[of, text] = *one;
    const auto &[its_kind, words] = of;
    if (said.find(words) == said.npos)
      continue;
    if (its_kind == kind)
      return text;
    if (its_kind.empty() && of_all.empty() && kind != "cuda_error" && kind != "came_between")
      of_all = text;
  }
  return of_all;
}

static void note_that_somebody_came(const std::string &text, const emu::SourceLine &where) {
  const std::string order = std::to_string(std::exchange(state().order, 0));
  const std::string perhaps = perhaps_of("came_between");
  note_failure("came_between",
               "right as long as nobody comes in between, wrong in the drawn order " + order +
                   (perhaps.empty()
                        ? ": between two accesses of a thread there is room for those of others, "
                          "even if each of the two is atomic"
                        : ". " + perhaps) +
                   " (" + text + ")",
               where);
}

/// \param line  the kernel's, if it is one of a kernel
static void note_once(const std::string &diagnosis,
                      const std::string &text,
                      const emu::SourceLine &where,
                      const emu::LineReport *line,
                      bool drawn,
                      const std::string &did) {
  State &s = state();
  if (s.failed)
    return;
  s.failed = true;
  s.message = with_own_number(text);
  if (s.failure.empty())
    s.failure = diagnosis;
  drawn = drawn && line->worst.active != 0;
  constexpr std::size_t rows = 5;
  send("fail",
       {diagnosis,
        s.message,
        where.file,
        std::to_string(where.line),
        line ? "kernel" : "",
        drawn ? emu::drawing(*line, {.columns = 78, .rows = rows}) : "",
        s.basis,
        did});
  if (!drawn || !std::getenv("CHECKER_PICTURE"))
    return;
  constexpr std::size_t piece = 3000; // a field has room for more
  const std::string svg = emu::picture_svg(*line, "");
  for (std::size_t at = 0; at < svg.size(); at += piece)
    send("picture", {svg.substr(at, piece)});
}

void note_failure(const std::string &diagnosis,
                  const std::string &text,
                  const emu::SourceLine &where) {
  State &s = state();
  if (s.all_in_order) { // what else is stated where nobody looks on is of GPUs
    s.failed = true;
    if ((s.basis == "result" || diagnosis == "cuda_error" || diagnosis == "exception") &&
        s.wrong_in_order.empty())
      s.wrong_in_order = text;
  } else if (!s.failed && first_in_drawn_order())
    note_that_somebody_came(text, where);
  else
    note_once(diagnosis, text, where, nullptr, false, "");
}

void note_failure(const std::string &diagnosis,
                  const std::string &text,
                  const emu::LineReport *line,
                  bool drawn,
                  const std::string &did) {
  if (!line || line->where.line == 0 || state().order != 0)
    note_failure(diagnosis, text);
  else
    note_once(diagnosis, text, line->where, line, drawn, did);
}

/// What an error's name does not tell those who meet it for the first time; empty for most.
static std::string meaning_of(const std::string &error) {
  return error == "cudaErrorStreamCaptureUnjoined"
             ? ", as another stream was captured, too, and was given work that this one does not "
               "wait for: a record tells of what its stream was given before it, and the last "
               "work of the other one stands behind"
         : error == "cudaErrorStreamCaptureMerge"
             ? ", as both streams are captured for themselves: capturing begins in one, and the "
               "other comes in by waiting for an event of it"
         : error == "cudaErrorStreamCaptureUnsupported"
             ? ", as nobody can wait for a stream that is being captured: nothing of it runs yet"
         : error == "cudaErrorStreamCaptureUnmatched"
             ? ", as capturing has begun in another stream, and ends where it began"
         : error == "cudaErrorStreamCaptureIsolation"
             ? ", as of two streams that one makes wait for the other only one is being captured: "
               "an event has to be recorded in the captured stream, behind the beginning"
             : "";
}

/// The numbers of a launch, as an observation writes it: "<<<(8, 1, 1), (1056, 1, 1), 0>>>".
struct LaunchNumbers {
  unsigned long long grid[3], block[3], bytes;
  unsigned long long blocks() const { return grid[0] * grid[1] * grid[2]; }
  unsigned long long threads() const { return block[0] * block[1] * block[2]; }
};
constexpr unsigned long long most_threads = 1024; // of a block

static std::optional<LaunchNumbers> numbers_of(const std::string &launch) {
  LaunchNumbers n = {};
  const int read = std::sscanf(launch.c_str(),
                               "<<<(%llu, %llu, %llu), (%llu, %llu, %llu), %llu",
                               &n.grid[0],
                               &n.grid[1],
                               &n.grid[2],
                               &n.block[0],
                               &n.block[1],
                               &n.block[2],
                               &n.bytes);
  return read == 7 ? std::optional(n) : std::nullopt;
}

/// ", and a block has at most 1024 threads", of a launch that would have more; else empty.
static std::string too_many_threads(const std::string &launch) {
  const auto numbers = numbers_of(launch);
  return numbers && numbers->threads() > most_threads
             ? ", and a block has at most " + std::to_string(most_threads) + " threads"
             : "";
}

void end_case(const std::string &diagnosis, const std::string &text) {
  const emu::FailedCall &call = state().failed_call;
  const std::string line = std::to_string(call.where.line);
  const std::string which =
      "call in line " + line +
      (call.launch.empty() ? "" : ", which is " + call.launch + too_many_threads(call.launch));
  std::string all = text;
  if (call.where.line > 0 && text.find(call.error) == std::string::npos)
    all += std::string(text.ends_with('?') ? "" : ".") + " The " + which +
           (call.launch.empty() ? "" : ",") + " has failed: " + call.error + meaning_of(call.error);
  else if (call.where.line > 0 && text.find("line " + line) == std::string::npos)
    all += std::string(text.ends_with('?') ? "" : ".") + " It is the " + which;
  note_failure(diagnosis, all, call.where);
  DOCTEST_FAIL(all);
  std::abort(); // doctest has thrown
}

std::string verdict_so_far() {
  const State &s = state();
  if (!s.hazard.empty())
    return "hazard " + s.hazard;
  return s.failure.empty() ? "pass" : "fail " + s.failure;
}

// What a program gets away with passes, and is said, once for all lines that do the same. (What is left behind shows at
// the end of a case; and that a vote names lanes that have exited is no luck: nobody waits for them.)
static void note_luck(const emu::Observation &seen) {
  std::map<std::string, std::set<int>> lines;
  for (const emu::Hazard &hazard : seen.hazards)
    if (hazard.warning && hazard.kind != "exited_at_barrier" && hazard.kind != "leak" &&
        hazard.kind != "absent_lanes" && hazard.here.where.line > 0)
      lines[hazard.message + (hazard.advice.empty() ? "" : ". Better: " + hazard.advice)].insert(
          hazard.here.where.line);
  for (const auto &[text, which] : lines) {
    std::string where = emu::numbered("line", which);
    where[0] = 'L';
    note(where + (which.size() > 1 ? " come" : " comes") + " out right, by luck: " + text);
  }
}

namespace {
void tell_failed_call_before(const std::string &part,
                             const emu::Observation &seen,
                             const emu::Hazard &hazard);
}

/// ", from round to round: the barrier in line 20 does not part them then"; empty if the advice names none.
static std::string barrier_in_vain(const std::string &advice) {
  for (const std::string before : {"the one in line ", "move the __syncthreads() of line "})
    if (const std::size_t at = advice.find(before); at != advice.npos)
      return ", from round to round: the barrier in line " +
             std::to_string(std::atoi(advice.c_str() + at + before.size())) +
             " does not part them then";
  return {};
}

static bool asks_for_barrier(const std::string &advice) {
  return advice.starts_with("a __sync") || advice.starts_with("move the __sync");
}

/// Two lines that race as well, in another place than those of `told`, where it is a barrier that is missing; empty if
/// there are none.
static std::string other_gap(const emu::Observation &seen, const emu::Hazard &told) {
  const auto lines = [](const emu::Hazard &hazard) {
    return std::minmax({hazard.here.where.line, hazard.other.where.line});
  };
  const auto [upper, lower] = lines(told);
  // Threads that part at the end of a loop race in whatever they come to next.
  const bool parted = told.advice.find("the loop of line") != told.advice.npos;
  const bool lacks_barrier = (asks_for_barrier(told.advice) && !parted) ||
                             told.advice.starts_with("another index, if the two should not share");
  for (const emu::Hazard &hazard : seen.hazards) {
    const auto [first, second] = lines(hazard);
    const bool same_place = upper < lower && first < lower && upper < second;
    if (lacks_barrier && hazard.kind == told.kind && asks_for_barrier(hazard.advice) &&
        !hazard.warning && first > 0 && first < second && !same_place)
      return ". Lines " + std::to_string(first) + " and " + std::to_string(second) +
             " race as well" + barrier_in_vain(hazard.advice);
  }
  return {};
}

/// Streams that the learner's file has made and not destroyed: mostly in the loop that was to wait for them.
static std::string streams_left(const emu::Observation &seen) {
  for (const emu::Hazard &hazard : seen.hazards)
    if (hazard.kind == "leak" && hazard.here.where.line > 0 &&
        hazard.message.ends_with("given to cudaStreamDestroy"))
      return ". The streams that line " + std::to_string(hazard.here.where.line) +
             " makes are not destroyed either: if one loop is to do both, does it run?";
  return {};
}

/// The other side of the race is a call of whoever has called the learner's function: nobody can add anything there.
static std::string order_with_caller(int line) {
  return "whoever calls the function takes what line " + std::to_string(line) +
         " asks for as done: wait for its stream, by cudaStreamSynchronize, before the function "
         "returns. If it is to return at once, let the stream that the caller was promised come "
         "after it: cudaEventRecord behind that line, cudaStreamWaitEvent (chapter 07)";
}

void report_hazards(const std::string &part, const emu::Observation &seen) {
  note_observed(seen);
  note_work(seen);
  state().absent.clear();
  const bool matters =
      seen.failed_call && seen.failed_call->error != "cudaErrorPeerAccessAlreadyEnabled";
  state().failed_call = matters ? *seen.failed_call : emu::FailedCall();
  note_luck(seen);
  for (const emu::Hazard &hazard : seen.hazards) {
    // A barrier that not all threads reach is one mistake, whether these wait elsewhere or are gone; and
    // what a program may get away with is wrong in an answer.
    const bool uneven = hazard.kind == "exited_at_barrier";
    const std::string kind = uneven ? "divergent_barrier" : hazard.kind;
    if (hazard.kind == "absent_lanes")
      state().absent =
          part + ": in line " + std::to_string(hazard.here.where.line) + ' ' + hazard.message;
    if (hazard.warning && !uneven)
      continue;
    tell_failed_call_before(part, seen, hazard);
    std::string text = part + ": ", advice = hazard.advice;
    if (hazard.kernel.empty() && hazard.here.where.line == 0 && hazard.other.where.line > 0) {
      const bool of_device =
          hazard.message.starts_with("cuda") || hazard.message.starts_with("kernel");
      text +=
          std::string("when your function has returned, ") + (of_device ? "the checker's " : "");
      advice = kind == "stream_race" ? order_with_caller(hazard.other.where.line) : advice;
    }
    text += hazard.message.empty() ? kind : with_learners_names(hazard.message);
    // Where a call was made in vain, or over the end of the host's memory, what to do with it is nearer still.
    const bool of_call =
        hazard.message.ends_with("before any record of its event") ||
        hazard.message.find(" memory of the host's that has ") != hazard.message.npos;
    if (const std::string perhaps = perhaps_of(kind, hazard.message + advice);
        !perhaps.empty() && kind == "deadlock") // what keeps somebody from that call comes first
      text = part + ": " + perhaps + " (" +
             with_learners_names(hazard.message.substr(0, hazard.message.find(". "))) + ")";
    else if (!perhaps.empty() && !of_call) {
      if (const std::size_t at = text.find("? Observed blocks"); at != text.npos)
        text.resize(at + 1); // where it is no block that waits for others
      text += (text.ends_with('?') ? " " : ". ") +
              perhaps; // nearer to the cause than what is said of all hazards of the kind
    } else if (!advice.empty())
      text += (text.ends_with('?') ? " Try: " : ". Try: ") + advice;
    if (kind == "shared_race")
      text += other_gap(seen, hazard);
    if (kind == "stream_race" || kind == "host_race")
      text += streams_left(seen);
    send_hazard(kind, text, seen, hazard);
    end_case(kind, text);
  }
}

namespace {

/// What a launch has too much or too little of; empty: nothing that its numbers tell.
std::string refused_in(const std::string &launch) {
  const auto numbers = numbers_of(launch);
  if (!numbers)
    return {};
  constexpr unsigned long long most_bytes = 48 * 1024, address = 1 << 30;
  const std::string threads = std::to_string(numbers->threads()),
                    bytes = std::to_string(numbers->bytes);
  if (numbers->blocks() == 0)
    return "a grid of one block at least: this one has none. Where there is nothing to do, no "
           "launch";
  if (numbers->threads() == 0 || numbers->threads() > most_threads)
    return "blocks of 1 to 1024 threads: these have " + threads;
  if (numbers->bytes > address)
    return "the stream as the fourth argument: the third one says how many bytes of shared memory "
           "the launch asks for (chapter 07)";
  return numbers->bytes <= most_bytes ? ""
                                      : "cudaFuncSetAttribute before a launch with more than 48 KB "
                                        "of dynamic shared memory: this one asks for " +
                                            bytes + " bytes";
}

/// CUDA's error, with the call that it came from, which may be long before the one that threw.
std::string failed_call_text(const std::string &part,
                             const emu::FailedCall &call,
                             const std::string &words,
                             const std::string &advice) {
  std::string text = part + ": " + call.error + (words.empty() ? "" : " (" + words + ")");
  if (call.where.line > 0)
    text += " from the call in line " + std::to_string(call.where.line);
  if (!call.launch.empty())
    text += ", which is " + call.launch;
  const std::string refused = advice.empty() ? "" : refused_in(call.launch);
  return advice.empty() ? text : text + ". Try: " + (refused.empty() ? advice : refused);
}

/// What was not done, because a call for it has failed, is missed later: the call is what to mend.
void tell_failed_call_before(const std::string &part,
                             const emu::Observation &seen,
                             const emu::Hazard &hazard) {
  const bool may_follow =
      hazard.kind == "stream_race" || hazard.kind == "host_race" || hazard.kind == "uninitialised";
  if (!may_follow || state().failed_call.where.line == 0)
    return;
  const std::string text = failed_call_text(part, *seen.failed_call, "", "") +
                           ", and nobody looks at it. Then " + with_learners_names(hazard.message);
  note_failure("cuda_error", text, seen.failed_call->where);
  DOCTEST_FAIL(text);
}

} // namespace

void report_error(const std::string &part,
                  const std::optional<emu::Observation> &seen,
                  const std::exception_ptr &thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const lab::CudaError &error) {
    if (!seen || !seen->failed_call)
      throw;
    const emu::FailedCall &call = *seen->failed_call;
    const std::string perhaps = perhaps_of("cuda_error");
    std::string text = failed_call_text(part,
                                        call,
                                        cudaGetErrorString(error.code()),
                                        perhaps.empty() ? lab::advice_for(error.code()) : "");
    if (!perhaps.empty())
      text += ". " + perhaps;
    note_failure("cuda_error", text, call.where);
    DOCTEST_FAIL(text);
    std::abort(); // doctest has thrown
  }
}

// Where nobody looks on, it takes long until a loop without end is noticed.
static void expect_no_endless_loop() {
  if (state().hazard == "endless_loop")
    end_case("endless_loop", "not tried: a loop does not end");
}

void end_in_endless_loop() {
  const std::string perhaps = perhaps_of("endless_loop");
  end_case("endless_loop",
           "a loop does not end in a drawn order" + (perhaps.empty() ? "" : ". " + perhaps));
}

namespace {
void draw_order(int number) {
  state().order = number;
  const std::uint64_t drawn = lab::random_u64(channel_seed(), static_cast<std::uint64_t>(number));
  // In the first one threads go in step (emulator/src/engine/drawn_order.hpp): nowhere else so many come between.
  const std::uint64_t schedule = 8 * (drawn % 125'000) + (number == 1 ? 8 : 1 + drawn % 7);
  setenv("EMU_SCHEDULE", std::to_string(schedule).c_str(), 1);
}
} // namespace

DrawnOrder::DrawnOrder(int number) : inputs_(state().inputs) {
  expect_no_endless_loop();
  state().drew = true;
  draw_order(number);
}

DrawnOrder::~DrawnOrder() {
  state().order = 0;
  unsetenv("EMU_SCHEDULE");
}

InAnotherOrder::InAnotherOrder() {
  mute(true);
  state().all_in_order = true;
  draw_order(2); // in the first one, threads begin in the order of their numbers
  setenv("EMU_STEP_LIMIT", "40000000", 1); // who waits for others takes more steps
  if (emu::observing()) { // which asks for it
    emu::start_observing();
    static_cast<void>(emu::stop_observing());
  }
}
InAnotherOrder::~InAnotherOrder() {
  state() = State();
  unsetenv("EMU_SCHEDULE");
  unsetenv("EMU_STEP_LIMIT");
  mute(false);
}
bool InAnotherOrder::was_tried() { return state().drew; }
bool InAnotherOrder::compared() { return state().compared; }
std::string InAnotherOrder::wrong() {
  const std::string &text = state().wrong_in_order;
  return text.empty()
             ? ""
             : "right while threads come in the order of their numbers, and wrong in another "
               "order. A GPU promises none of them. What one thread hands on to another "
               "needs a barrier between the two, or a __syncwarp() within a warp; and who "
               "comes first at an atomic nobody knows (" +
                   text + ")";
}

void DrawnOrder::observe_again() const {
  static_cast<void>(cudaDeviceReset());
  state().order = 0;
  state().inputs = inputs_;
}

bool DrawnOrder::here() { return state().order != 0; }

Unobserved::Unobserved() {
  expect_no_endless_loop();
  state().unobserved = true;
}
Unobserved::~Unobserved() { state().unobserved = false; }

WithoutKernels::WithoutKernels() {
  state().without_kernels = true;
  setenv("EMU_IDLE_KERNELS", "1", 1);
  mute(true);
}
WithoutKernels::~WithoutKernels() {
  state() = State(); // what has failed was expected
  unsetenv("EMU_IDLE_KERNELS");
  mute(false);
}
bool WithoutKernels::here() { return state().without_kernels; }
bool WithoutKernels::compared() { return state().compared; }

bool observes() {
  expect_no_endless_loop();
  return runs_first() && !state().unobserved;
}

bool runs_first() { return !DrawnOrder::here() && !state().without_kernels; }

bool can_measure() { return !lab::on_emulator() && std::getenv("CHECKER_UNTIMED") == nullptr; }

void judge_bandwidth(double bytes, double ms, lab::Ceiling ceiling, double share) {
  const lab::Ceilings &best = lab::ceilings();
  const double top = ceiling == lab::Ceiling::read ? best.read_gbps : best.copy_gbps;
  const double reached = bytes / ms / 1e6 / top;
  const std::string percent =
      figure(100 * reached) + " % of the " + figure(top) + " GB/s that were measured in this run";
  record("percent_of_bandwidth", 100 * reached);
  // Up to 3 % more is within what two measurements differ by.
  expect(reached <= 1.03,
         "impossible_bandwidth",
         percent + ": more than there is, so the work was not done, or its data was in the cache");
  expect(
      reached >= share, "slow", percent + "; at least " + figure(100 * share) + " % are asked for");
}

} // namespace detail

std::uint64_t seed() { return detail::channel_seed(); }

std::uint64_t next_seed() {
  return lab::random_u64(detail::state().seed_of_case, detail::state().inputs++);
}

template <class T> std::vector<T> random_values(std::size_t n, T low, T high) {
  std::vector<T> values(n);
  const std::uint64_t input = next_seed();
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, float>)
      values[i] = lab::random_float(input, i, low, high);
    else if constexpr (std::is_same_v<T, int>)
      values[i] = lab::random_int(input, i, low, high);
    else
      values[i] = low + static_cast<T>(lab::random_u64(input, i) %
                                       (static_cast<std::uint64_t>(high - low) + 1));
  }
  if (detail::tries_own_size() && static_cast<double>(high) - low > 64)
    detail::put_own_numbers(values.data(), n, low, high, false);
  detail::note_size(n);
  return values;
}
template std::vector<int> random_values(std::size_t, int, int);
template std::vector<unsigned> random_values(std::size_t, unsigned, unsigned);
template std::vector<float> random_values(std::size_t, float, float);

Sizes sizes() {
  return detail::with_own_sizes({1024, 1023, 1025, 33, 32, 31, 1, 0, 4099}, 4099, 4200);
}

void diagnose(const std::string &diagnosis, bool holds, const std::string &text) {
  if (holds)
    detail::state().explanations.push_back({diagnosis, text});
}

void expect(bool holds, const std::string &diagnosis, const std::string &text) {
  if (!holds) {
    detail::state().basis = "stated";
    detail::end_case(diagnosis, text);
  }
  detail::state().explanations.clear();
}

void expect_same(const std::string &what, const lab::Verdict &verdict) {
  const bool named = verdict.message.rfind(what + ": ", 0) == 0; // compare_value() does that
  if (!verdict.ok)
    detail::end_with_mismatch(what,
                              named ? verdict.message.substr(what.size() + 2) : verdict.message);
  detail::state().right = what;
  detail::state().compared |= detail::state().without_kernels || detail::state().all_in_order;
  expect(true, "", "");
}

void note(const std::string &text) { detail::send("note", {text}); }

void record(const std::string &counter, double value) {
  if (detail::tries_own_size()) // of no size that another answer has
    return;
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  detail::send("counter", {counter, text});
}

std::string elements(long long n, const std::string &thing) {
  detail::note_size(static_cast<std::size_t>(n));
  return counted(n, thing);
}

std::string shape(int rows, int cols) {
  detail::note_shape(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  return counted(rows, "row") + " and " + counted(cols, "column");
}

std::string picture(const std::vector<bool> &cells, int cols) {
  std::string text;
  const int n = static_cast<int>(cells.size());
  for (int first = 0; first < n; first += 2 * cols) {
    text += '\n';
    for (int above = first; above < first + cols; ++above) {
      const bool below = above + cols < n && cells[above + cols];
      text += cells[above] ? (below ? "█" : "▀") : (below ? "▄" : " ");
    }
    text.erase(text.find_last_not_of(' ') + 1);
  }
  return text;
}

std::string counted(long long n, const std::string &thing) {
  return (n == 0 ? "no" : std::to_string(n)) + " " + thing + (n == 1 ? "" : "s");
}

void name_stream(cudaStream_t stream, const std::string &name) {
  unsigned long long id = 0;
  LAB_CHECK(cudaStreamGetId(stream, &id));
  auto &streams = detail::state().streams; // 1 and 2 are the default ones
  streams.insert(streams.begin(), {"stream " + std::to_string(id - 2), name});
}

void name_streams(const std::vector<cudaStream_t> &streams, const std::string &pattern) {
  const std::size_t number = pattern.find('#');
  for (std::size_t i = 0; i < streams.size(); ++i)
    name_stream(streams[i], std::string(pattern).replace(number, 1, std::to_string(i)));
}

void perhaps(const std::string &text, const std::string &kind, const std::string &words) {
  detail::state().perhaps[{kind, words}] = text;
}

void unless_failed_before() {
  const detail::State &s = detail::state();
  if (!s.failure.empty())
    detail::end_case(s.failure, "not tried: a simpler case has failed");
}

} // namespace checker
