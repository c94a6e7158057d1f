// The rules for the words of verdicts, each with a message that breaks it, and messages that keep to all.
#include "exercises/check_messages.hpp"
#include "exercises/wording.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>

namespace {

using tutor::Doer;
using tutor::Place;
using tutor::Result;
using tutor::Verdict;

constexpr const char *source = R"(
__global__ void k(int *out, int n) {
  const int i = threadIdx.x;
  out[i] = 1;
  __syncthreads();
  if (i < n)
    out[i + 1] = 2;
}

void host(int *out) { k<<<1, 32>>>(out, 32); }
)";

std::vector<std::string> faults(const std::string &message, std::vector<Place> where = {}) {
  Result result;
  result.judge(Verdict::hazard, "shared_race", message);
  result.where = std::move(where);
  tutor::Card card;
  card.hints = {{"shared_race", "No __threadfence() helps here: go on without atomicAdd()."}};
  return wording_faults(card, result, source);
}

Place at(int line, Doer by, int axes = 1) {
  Place place;
  place.line = line;
  place.by = by;
  place.thread_axes = axes;
  return place;
}

} // namespace

TEST_CASE("each rule finds what breaks it") {
  CHECK(holds(faults("element 0: expected 1, got -nan")[0], "'nan' and 'inf'"));
  CHECK(holds(faults("element 0: expected inf, got 3")[0], "'nan' and 'inf'"));
  CHECK(holds(faults("element 0: expected 1, got 3452816845")[0], "poison"));
  CHECK(holds(faults("element 0: expected 1, got -842150134")[0], "poison"));
  CHECK(holds(faults("in[9]: past the last of its 9 elements of 4 bytes")[0], "declared type"));
  CHECK(holds(faults("out, which has 1 bytes")[0], "no plural"));
  CHECK(holds(faults("a product for each, and 1 block are too few")[0], "no plural"));
  CHECK(faults("9 ranks: ranks 0 and 1 both have device 0").empty());
  CHECK(holds(faults("33 values: 33 values: wrong")[0], "a prefix stands twice"));
  CHECK(holds(faults("in emu::run_grid")[0], "a name of the emulator's"));
  CHECK(holds(faults("x. Try: a test like `if (i<n)`")[0], "stands in the file already"));
  CHECK(holds(faults("x. Try: a __syncthreads() between the two accesses",
                     {at(4, Doer::thread), at(7, Doer::thread)})[0],
              "a __syncthreads() between the two lines already"));
  CHECK(holds(faults("x. Try: atomicAdd() for both")[0], "a hint says the contrary"));
  CHECK(holds(faults("x", {at(4, Doer::host)})[0], "called one of host code"));
  CHECK(holds(faults("thread 3 waits for thread (3, 0)")[0], "two styles"));
  CHECK(holds(faults("x", {at(4, Doer::thread), at(7, Doer::thread, 2)})[0], "two styles"));
}

TEST_CASE("what is right keeps to all of them") {
  const auto none = [](const std::string &message, const std::vector<Place> &where = {}) {
    CHECK_MESSAGE(faults(message, where).empty(), message);
  };
  none("33 values: element 0: expected infinity, got NaN; 1 of 33 wrong");
  none("two threads write out[3]. Try: a __syncthreads() between the two accesses",
       {at(3, Doer::thread, 2), at(4, Doer::thread, 2)});
  none("in line 10", {at(10, Doer::host)});
  none("many sectors", {at(4, Doer::kernel)});
}

TEST_CASE("of several faults that is told first that explains the others") {
  const std::string sum = "fail\twrong_result\t9 numbers: 1, not 2\t\t0\t\t\tresult";
  const std::string named = "fail\todd_one_lost\t7 numbers: one is lost\t\t0\t\t\tresult";
  const std::string of_none = "fail\todd_one_lost\tno numbers: one is lost\t\t0\t\t\tresult";
  const std::string stated = "fail\tother_way_round\tone may reach the other\t\t0\t\t\tstated";
  const std::string cost = "fail\tuncoalesced\tmany sectors\t\t0\t\t\t";
  const std::string hazard = "hazard\tshared_race\ttwo threads";
  const auto told = [](const std::vector<std::string> &packets) {
    tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
    for (const std::string &packet : packets) {
      messages.take("nonce\t" + packet);
    }
    Result result;
    messages.tell(result);
    return result.diagnosis;
  };
  CHECK(told({sum, cost}) == "wrong_result");
  CHECK(told({sum, "fail\tall_zero\t1 number: 0\t\t0\t\t\tresult"}) == "wrong_result");
  CHECK(told({sum, named}) == "odd_one_lost");
  CHECK(told({"fail\tmisplaced\t9 numbers: in wrong places\t\t0\t\t\tresult", named}) ==
        "odd_one_lost");
  CHECK(told({sum, of_none}) == "wrong_result");
  CHECK(told({of_none, sum}) == "wrong_result");
  CHECK(told({of_none, "fail\twrong_result\tnot tried: a simpler case has failed"}) ==
        "odd_one_lost");
  CHECK(told({named, hazard}) == "shared_race");
  CHECK(told({cost, hazard}) == "shared_race");
  CHECK(told({stated, hazard}) == "other_way_round");
  CHECK(told({hazard, stated}) == "shared_race");
}

TEST_CASE("advice names no chapter behind the reader's own") {
  const auto told = [](const std::string &advice) {
    tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
    messages.take("nonce\thazard\tshared_race\ttwo threads. Try: " + advice);
    Result result;
    messages.tell(result);
    return result.message;
  };
  CHECK(told("a barrier (chapter 02). It") == "two threads. Try: a barrier (chapter 02). It");
  CHECK(told("an atomic (chapter 06)") == "two threads. Try: an atomic");
  CHECK(told("a barrier (chapters 02 and 05), or one (chapters 05 and 10)") ==
        "two threads. Try: a barrier (chapters 02 and 05), or one");
}

TEST_CASE("a line that writes the results says so, and a case keeps its diagnosis") {
  tutor::CheckMessages messages("nonce", "block_sum.cu", 5);
  for (const char *packet :
       {"case_begin\tone",
        "fail\twrong_result\t1, not 2\tblock_sum.cu\t7\tkernel\t\tresult\twrites the results",
        "case_end\tone\t0\t1, not 2"}) {
    messages.take(std::string("nonce\t") + packet);
  }
  Result result;
  messages.tell(result);
  REQUIRE(result.where.size() == 1);
  CHECK(result.where[0].what == "writes the results");
  REQUIRE(result.cases.size() == 1);
  CHECK(result.cases[0].diagnosis == "wrong_result");
}
