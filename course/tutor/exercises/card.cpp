#include "exercises/exercise.hpp"

#include "base/text.hpp"
#include "exercises/table_reader.hpp"

namespace tutor {
namespace {

void read_stub(Card &card, const TableReader &card_table) {
  const TableReader stub = card_table.table("stub");
  stub.allow({"verdict", "diagnosis"});
  std::string name = stub.text("verdict");
  std::optional<Verdict> verdict = verdict_named(name);
  unsigned line = stub.need("verdict").source().begin.line;
  if (!verdict) {
    stub.refuse(
        line, fmt::format("no verdict '{}'; there are: fail, hazard, timeout, build_error", name));
  }
  if (*verdict == Verdict::pass || *verdict == Verdict::not_run) {
    stub.refuse(line, fmt::format("a stub whose verdict is {} leaves nothing to do", name));
  }
  card.stub_verdict = *verdict;
  card.stub_diagnosis = stub.text("diagnosis");
}

Card card_of(const toml::table &table, const fs::path &file) {
  TableReader reader(table, file, "");
  reader.allow({"title",
                "number",
                "minutes",
                "task",
                "section",
                "points",
                "merged",
                "stub",
                "hint",
                "predict",
                "left_out",
                "explain"});
  Card card;
  card.title = reader.text("title");
  card.number = static_cast<int>(reader.number("number", 1));
  card.minutes = static_cast<int>(reader.number("minutes", 1));
  card.task = reader.text("task");
  card.section = reader.text_or_nothing("section");
  card.points = reader.has("points") ? reader.number("points", 0) : 1;
  if (reader.has("merged")) {
    card.merged = words_of(reader.text("merged"));
  }
  read_stub(card, reader);
  reader.each("hint", [&](const TableReader &hint) {
    hint.allow({"when", "text"});
    card.hints.push_back({hint.text_or_nothing("when"), hint.text("text")});
  });
  reader.each("predict", [&](const TableReader &predict) {
    predict.allow({"question", "counter", "reason"});
    card.predictions.push_back(
        {predict.text("question"), predict.text("counter"), predict.text("reason")});
  });
  if (reader.has("left_out")) {
    const TableReader left_out = reader.table("left_out");
    for (const auto &[name, reason] : left_out.raw()) {
      for (const std::string &one : words_of(name.str())) { // several may have one reason
        card.left_out[one] = left_out.text(name.str());
      }
    }
  }
  reader.each("explain", [&](const TableReader &explain) {
    explain.allow({"text"});
    card.explanations.push_back(explain.text("text"));
  });
  if (card.hints.empty()) {
    reader.refuse(reader.line(), "there is no [[hint]]; a learner who is stuck needs one");
  }
  return card;
}

} // namespace

Card read_card(const fs::path &file) { return card_of(parse_toml(file), file); }

} // namespace tutor
