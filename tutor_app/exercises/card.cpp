#include <toml++/toml.h>

#include "exercises/exercise.hpp"

#include "failure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>

namespace fs = std::filesystem;

namespace tutor {
namespace {

/// Reads one table of a card; refuses keys that nobody asked for.
class TableReader {
public:
  TableReader(const toml::table &table, const fs::path &file, std::string name)
      : table_(table), file_(file), name_(std::move(name)) {}

  [[noreturn]] void refuse(unsigned line, const std::string &what) const {
    throw Failure(Exit::failed, fmt::format("{}:{}: {}", file_.string(), line, what));
  }
  unsigned line() const { return table_.source().begin.line; }

  void allow(std::initializer_list<std::string_view> keys) const {
    for (const auto &[key, value] : table_) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse(key.source().begin.line,
               fmt::format("unknown key '{}'{}; there are: {}",
                           key.str(),
                           name_.empty() ? "" : " in " + name_,
                           fmt::join(keys, ", ")));
      }
    }
  }
  const toml::node &need(std::string_view key) const {
    const toml::node *node = table_.get(key);
    if (!node) {
      refuse(
          line(),
          fmt::format("{} is missing{}", key, name_.empty() ? "" : fmt::format(" in {}", name_)));
    }
    return *node;
  }
  std::string text(std::string_view key) const { return text_of(need(key), key); }
  std::string text_or_nothing(std::string_view key) const {
    const toml::node *node = table_.get(key);
    return node ? text_of(*node, key) : std::string();
  }
  double number(std::string_view key, double low) const {
    const toml::node &node = need(key);
    if (!node.is_number() || !(*node.value<double>() >= low)) {
      refuse(node.source().begin.line, fmt::format("{} must be a number, {} or more", key, low));
    }
    return *node.value<double>();
  }
  bool has(std::string_view key) const { return table_.contains(key); }

  /// Calls read(TableReader) for each [[key]].
  template <class Read> void each(std::string_view key, Read read) const {
    const toml::node *node = table_.get(key);
    if (!node) {
      return;
    }
    const toml::array *array = node->as_array();
    if (!array || !array->is_homogeneous(toml::node_type::table)) {
      refuse(node->source().begin.line, fmt::format("{0} must be written as [[{0}]]", key));
    }
    for (const toml::node &element : *array) {
      read(TableReader(*element.as_table(), file_, fmt::format("[[{}]]", key)));
    }
  }

private:
  std::string text_of(const toml::node &node, std::string_view key) const {
    const std::string *text = node.is_string() ? &node.as_string()->get() : nullptr;
    if (!text || text->find_first_not_of(" \n\t") == std::string::npos) {
      refuse(node.source().begin.line, fmt::format("{} must be a text with something in it", key));
    }
    return *text;
  }

  const toml::table &table_;
  const fs::path &file_;
  std::string name_;
};

void read_stub(Card &card, const TableReader &card_table, const fs::path &file) {
  const toml::table *table = card_table.need("stub").as_table();
  if (!table) {
    card_table.refuse(card_table.need("stub").source().begin.line,
                      "stub must be written as [stub]");
  }
  TableReader stub(*table, file, "[stub]");
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
                "stub",
                "hint",
                "predict",
                "explain"});
  Card card;
  card.title = reader.text("title");
  card.number = static_cast<int>(reader.number("number", 1));
  card.minutes = static_cast<int>(reader.number("minutes", 1));
  card.task = reader.text("task");
  card.section = reader.text_or_nothing("section");
  card.points = reader.has("points") ? reader.number("points", 0) : 1;
  read_stub(card, reader, file);
  reader.each("hint", [&](const TableReader &hint) {
    hint.allow({"when", "text"});
    card.hints.push_back({hint.text_or_nothing("when"), hint.text("text")});
  });
  reader.each("predict", [&](const TableReader &predict) {
    predict.allow({"question", "counter"});
    card.predictions.push_back({predict.text("question"), predict.text("counter")});
  });
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

Card read_card(const fs::path &file) {
  try {
    return card_of(toml::parse_file(file.string()), file);
  } catch (const toml::parse_error &error) {
    throw Failure(
        Exit::failed,
        fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
}

} // namespace tutor
