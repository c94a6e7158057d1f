// The program that runs a checker's cases and tells what became of each.
//
// Signals are left alone: the tutor sees how the program ended, and knows which case was running.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#include <doctest/doctest.h>

#include "checker/channel.hpp"
#include "checker/detail.hpp"
#include "checker/inputs.hpp"
#include "common/check.hpp"

#include <cstdio>
#include <new>
#include <ostream>
#include <vector>

namespace {

using namespace checker::detail;

unsigned cases_run = 0, cases_failed = 0; // of the last run
std::vector<bool> drew; // whether a case's checker has drawn an order itself; case by case

/// Doctest's events, as the tutor wants them.
struct Reporter final : doctest::IReporter {
  explicit Reporter(const doctest::ContextOptions &) {}

  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override { send("start", {}); }
  void test_run_end(const doctest::TestRunStats &run) override {
    cases_run = run.numTestCasesPassingFilters;
    cases_failed = run.numTestCasesFailed + failed_at_their_end_;
  }
  void test_case_start(const doctest::TestCaseData &c) override { begin(c); }
  void test_case_reenter(const doctest::TestCaseData &c) override { begin(c); }
  void test_case_end(const doctest::CurrentTestCaseStats &stats) override {
    // A case without a single expectation shows nothing; one that only observes does.
    drew.push_back(InAnotherOrder::was_tried());
    const bool passed = end_case_normally() && stats.testCaseSuccess;
    failed_at_their_end_ += stats.testCaseSuccess && !passed;
    send("case_end", {name_, passed ? "1" : "0", case_message()});
    if (!has_channel() && !passed && !WithoutKernels::here())
      std::printf("%s: %s\n", name_.c_str(), case_message().c_str());
  }
  void test_case_exception(const doctest::TestCaseException &e) override {
    const std::string text = e.error_string.c_str();
    if (text.find("bad_alloc") != std::string::npos)
      note_failure("out_of_memory", "the program asked for more memory than a check may use");
    else if (const std::size_t error = text.find("cudaError"); error != std::string::npos)
      note_failure("cuda_error", text.substr(error)); // without the place, which is the checker's
    else
      note_failure("exception", text);
  }
  void subcase_start(const doctest::SubcaseSignature &) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData &a) override {
    if (a.m_failed)
      note_failure("wrong_result", std::string(a.m_expr) + ": " + a.m_decomp.c_str());
  }
  void log_message(const doctest::MessageData &m) override {
    if (m.m_severity & doctest::assertType::is_warn)
      return;
    note_failure("wrong_result", m.m_string.c_str());
  }
  void test_case_skipped(const doctest::TestCaseData &) override {}

private:
  void begin(const doctest::TestCaseData &c) {
    name_ = c.m_name;
    begin_case(c.m_name);
    send("case_begin", {name_});
  }
  std::string name_;
  unsigned failed_at_their_end_ = 0; ///< cases in which all was as expected
};

DOCTEST_REGISTER_LISTENER("tutor", 1, Reporter);

/// \param failures  after so many it is enough; 0: all cases run
/// \param only  the case with that number, from 1 on; 0: all of them
int run_cases(int argc, char **argv, int failures, unsigned only = 0) {
  doctest::Context context(argc, argv);
  std::ostream nowhere(nullptr);
  context.setCout(&nowhere);
  context.setOption("order-by", "file"); // the order in which a checker's author wrote them
  context.setOption("abort-after", failures);
  if (only != 0) {
    context.setOption("first", static_cast<int>(only));
    context.setOption("last", static_cast<int>(only));
  }
  return context.run();
}

bool right_without_kernels(int argc, char **argv) {
  const WithoutKernels idle;
  run_cases(argc, argv, 1);
  return cases_failed == 0 && WithoutKernels::compared();
}

/// What is right in the order of every day is so in another one, too; else what is wrong there. Every third case
/// has to do, from one on that the seed draws, and more where these compare nothing; not those that drew some themselves.
std::string wrong_in_another_order(int argc, char **argv, unsigned cases) {
  const InAnotherOrder other;
  constexpr unsigned share = 3;
  for (unsigned from = 0; from < share && !InAnotherOrder::compared(); ++from)
    for (unsigned i = (channel_seed() + from) % share; i < cases; i += share)
      if (!drew[i])
        run_cases(argc, argv, 0, i + 1);
  return InAnotherOrder::wrong();
}

/// \param last  else more may follow: what becomes of this program meanwhile changes nothing
void tell_end(unsigned run, unsigned failed, bool last) {
  send("end", {std::to_string(run), std::to_string(failed), last ? "" : "and more"});
}

void fail_as_a_whole(const std::string &name,
                     const std::string &diagnosis,
                     const std::string &text) {
  begin_case(name.c_str());
  send("case_begin", {name});
  note_failure(diagnosis, text);
  send("case_end", {name, "0", text});
}

} // namespace

int main(int argc, char **argv) {
  const int failed = run_cases(argc, argv, 0);
  const unsigned run = cases_run;
  unsigned failures = cases_failed;
  send_inputs();
  // What is asked of the whole run, of what is right as far as each case can see.
  if (failures == 0 && kernels_have_run()) {
    if (const std::string few = work_of_few_lanes(); !few.empty()) {
      fail_as_a_whole("who does the work", "idle_lanes", few);
      failures = 1;
    } else if (const Elsewhere there = asked_elsewhere(); !there.text.empty()) {
      fail_as_a_whole("in all cases", there.diagnosis, there.text);
      failures = 1;
    } else if (const std::string blocks = work_of_few_blocks(); !blocks.empty()) {
      fail_as_a_whole("who does the work", "idle_warps", blocks);
      failures = 1;
    } else if (const std::string wrong = wrong_in_another_order(argc, argv, run); !wrong.empty()) {
      fail_as_a_whole("in another order", "came_between", wrong);
      failures = 1;
    } else {
      tell_end(run, 0, false);
      if (right_without_kernels(argc, argv)) {
        fail_as_a_whole(
            "who does the work",
            "worked_on_the_host",
            "all results are right, and they are so, too, when all kernels are launched "
            "and do nothing: kernels have to make them, and somebody else does");
        failures = 1;
      }
    }
    tell_end(run + failures, failures, true);
  } else {
    tell_end(run, failures, true);
  }
  if (!has_channel())
    std::printf("verdict: %s\n", run == 0 ? "not_run no_case" : verdict_so_far().c_str());
  return failed != 0 || failures != 0;
}
