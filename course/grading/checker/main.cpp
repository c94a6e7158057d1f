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

namespace {

using namespace checker::detail;

/// Doctest's events, as the tutor wants them.
struct Reporter final : doctest::IReporter {
  explicit Reporter(const doctest::ContextOptions &) {}

  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override { send("start", {}); }
  void test_run_end(const doctest::TestRunStats &run) override {
    const unsigned run_cases = run.numTestCasesPassingFilters;
    send_inputs();
    send(
        "end",
        {std::to_string(run_cases), std::to_string(run.numTestCasesFailed + failed_at_their_end_)});
    if (!has_channel())
      std::printf("verdict: %s\n", run_cases == 0 ? "not_run no_case" : verdict_so_far().c_str());
  }
  void test_case_start(const doctest::TestCaseData &c) override { begin(c); }
  void test_case_reenter(const doctest::TestCaseData &c) override { begin(c); }
  void test_case_end(const doctest::CurrentTestCaseStats &stats) override {
    // A case without a single expectation shows nothing; one that only observes does.
    const bool passed = end_case_normally() && stats.testCaseSuccess;
    failed_at_their_end_ += stats.testCaseSuccess && !passed;
    send("case_end", {name_, passed ? "1" : "0", case_message()});
    if (!has_channel() && !passed)
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

} // namespace

int main(int argc, char **argv) {
  doctest::Context context(argc, argv);
  std::ostream nowhere(nullptr);
  context.setCout(&nowhere);
  context.setOption("order-by", "file"); // the order in which a checker's author wrote them
  return context.run();
}
