#include "lessons/chart.hpp"
#include "lessons/chart_data.hpp"
#include "lessons/lessons.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

const char *recorded = R"({"date": "2026-11-20", "runs": [{"device": "Card", "driver": "580"}],
  "traps_and_demos": [
    {"demos": [{"name": "other", "values": {}}]},
    {"demos": [{"name": "walk", "values": {"s1_gbps": 100, "s2_gbps": 10, "s4_gbps": 1,
      "p1_in_begin": 0, "p1_in_end": 50, "p2_in_begin": 50, "p2_in_end": 100}}]}]})";

const char *printed = "head\n  1   4  100 %\n  2   8   50 %\n  4  16   25 %\n\n"
                      "tile\n  col  0  1  …\n  row 0  0  1\n   …\n  row31  5  6\n  rounds: 1 & 2\n";

const char *plot = R"({"kind": "plot", "title": "T < 1", "description": "What it shows.",
  "origin": "card.json",
  "x": {"label": "x", "log": true, "from": 1, "to": 4, "ticks": [1, 4]},
  "left": {"label": "y", "log": true, "from": 1, "to": 100, "ticks": [1, 10, 100]},
  "right": {"label": "r", "from": 0, "to": 32, "ticks": [0, 32]},
  "series": [
    {"name": "bars", "shape": "bars", "axis": "right", "x": [1, 2, 4], "output": "run", "word": 1},
    {"name": "line", "shape": "line", "x": [1, 2, 4], "file": "card.json",
     "path": "traps_and_demos/*/demos/walk/values/s{x}_gbps"}]})";

const char *map = R"({"kind": "map", "title": "M", "description": "D.", "output": "run",
  "highlight": "5", "panels": ["tile"]})";

const char *ladder = R"({"kind": "ladder", "title": "L", "description": "D.", "file": "card.json",
  "axis": {"label": "GB/s", "log": true, "from": 1, "to": 1000, "ticks": [1, 1000]},
  "rows": [{"label": "one", "path": "traps_and_demos/1/demos/walk/values/s1_gbps"}]})";

const char *timeline = R"({"kind": "timeline", "title": "W", "description": "D.",
  "axis": {"label": "ms", "from": 0, "to": 10, "ticks": [0, 10]}, "scale": 0.1,
  "file": "card.json", "path": "traps_and_demos/*/demos/walk/values/{bar}_{row}_{end}",
  "rows": [{"label": "copies", "name": "in", "word": 1}],
  "panels": [{"title": "in parts", "bars": ["p1", "p2"]}]})";

std::string with(std::string text, const std::string &from, const std::string &to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

struct Fixture {
  ScratchFolder folder;
  std::filesystem::path lesson = folder.path() / "chapters/01_a/README.md";

  Fixture() {
    folder.write("card.json", recorded);
    folder.write("chapters/01_a/output/run.txt", printed);
  }
  Chart drawn(const std::string &description) const {
    folder.write("chapters/01_a/figures/c.json", description);
    return draw_chart(folder.path(), lesson, "figures/c.json");
  }
  std::string error(const std::string &description) const {
    return thrown_by([&] { drawn(description); });
  }
};

bool holds(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "a plot shows recorded and printed figures where its axes say") {
  const Chart chart = drawn(plot);
  CHECK(chart.file == folder.path() / "chapters/01_a/figures/c.svg");
  CHECK(chart.description == "What it shows.");
  CHECK(chart.origin == "Card, driver 580, recorded 2026-11-20");
  folder.write("demos.json",
               R"({"date": "2026-11-21", "runs": [], "traps_and_demos": [{"device": "Two"}]})");
  CHECK(drawn(with(plot, "\"origin\": \"card.json\"", "\"origin\": \"demos.json\"")).origin ==
        "Two, recorded 2026-11-21");
  // x: 64 to 406, the middle of a logarithmic axis being 2; y: 56 for 100, 286 for 1.
  CHECK(holds(chart.svg, "d=\"M64.0 56.0 L235.0 171.0 L406.0 286.0\""));
  CHECK(holds(chart.svg, "y=\"257.2\" width=\"119.7\" height=\"28.8\"")); // 4 of 32
  CHECK(holds(chart.svg, "T &lt; 1"));
  CHECK(holds(chart.svg, "prefers-color-scheme: dark"));
  CHECK(drawn(plot).svg == chart.svg);
}

TEST_CASE_FIXTURE(Fixture, "a ladder has a bar for each row, a map a cell for each word") {
  CHECK(holds(drawn(ladder).svg, ">100</text>"));
  CHECK(holds(drawn(ladder).svg, ">one</text>"));
  const std::string svg = drawn(map).svg;
  CHECK(holds(svg, "class=\"hit\""));
  CHECK(holds(svg, ">row 31</text>"));
  CHECK(holds(svg, ">rounds: 1 &amp; 2</text>"));
  CHECK_FALSE(holds(drawn(with(map, "\"5\"", "\"7\"")).svg, "class=\"hit\""));
}

TEST_CASE_FIXTURE(Fixture, "a timeline has a bar from each begin to its end") {
  const std::string svg = drawn(timeline).svg;
  // 0 to 10 ms go from 104 to 436; a hairline is left between neighbours.
  CHECK(holds(svg, "class=\"fill0\" x=\"104.0\" y=\"61.0\" width=\"165.0\""));
  CHECK(holds(svg, "class=\"fill1\" x=\"270.0\" y=\"61.0\" width=\"165.0\""));
  CHECK(holds(svg, ">copies</text>"));
  CHECK(holds(svg, ">in parts</text>"));
  // Of printed rows, "1   4  100 %" and "2   8   50 %": from word 1 to word 2.
  const std::string text = with(timeline, "\"file\": \"card.json\"", "\"output\": \"run\"");
  CHECK(holds(drawn(with(text, "\"p1\", \"p2\"", "\"1\"")).svg, "width=\"317.7\""));
  CHECK(holds(error(text), "must have one row that begins with p1"));
  // A row that ends before has no bar.
  CHECK_FALSE(
      holds(drawn(with(with(text, "\"p1\", \"p2\"", "\"1\""), "\"word\": 1", "\"word\": 9")).svg,
            "class=\"fill0\" x="));
  CHECK(holds(error(with(timeline, "p2", "p3")), "has no 'p3_in_begin'"));
}

TEST_CASE_FIXTURE(Fixture,
                  "a session types the command of a lesson's output, and shows its lines") {
  folder.write("chapters/01_a/README.md",
               "<!-- output run args=\"--n 3\" observe -->\n\n<!-- /output -->\n");
  const std::string cast = R"({"kind": "cast", "title": "C", "description": "D.", "scenes": [
    {"lesson": "chapters/01_a/README.md", "output": "run", "from": "row31", "to": "rounds"}]})";
  const std::string svg = drawn(cast).svg;
  CHECK(holds(svg, "</tspan> ./tutor observe 01 -- --n 3</text>"));
  CHECK(holds(svg, ">  row31  5  6</text>"));
  CHECK(holds(svg, ">  rounds: 1 &amp; 2</text>"));
  CHECK_FALSE(holds(svg, "head"));
  CHECK(holds(svg, "prefers-reduced-motion"));
  CHECK(holds(error(with(cast, "\"run\"", "\"walk\"")), "shows no output 'walk'"));
  CHECK(holds(error(with(cast, "row31", "row99")), "row99"));
}

TEST_CASE_FIXTURE(Fixture, "what cannot be drawn is said in one line") {
  CHECK(error(with(plot, "\"to\": 100", "\"to\": 50")) ==
        "100 lies outside the axis 'y', which goes from 1 to 50");
  CHECK(error(with(plot, "\"from\": 1, \"to\": 100", "\"from\": 0, \"to\": 100")) ==
        "the axis 'y' cannot go from 0 to 100");
  CHECK(error(with(plot, "\"shape\": \"line\"", "\"shape\": \"pie\"")) ==
        "'pie' is no shape of a series: use line, dots or bars");
  CHECK(error(with(plot, "\"kind\": \"plot\"", "\"kind\": \"cake\"")) ==
        "'cake' is no kind of chart: use plot, ladder, map, timeline or cast");
  CHECK(holds(error(with(plot, "[1, 2, 4], \"output\"", "[1, 3], \"output\"")),
              "must have one row that begins with 3"));
  CHECK(holds(error(with(plot, "/walk/", "/run/")), "has no 'run'"));
  CHECK(holds(error(with(plot, "\"title\"", "\"name\"")), "is no description of a chart"));
  CHECK(holds(error(with(map, "[\"tile\"]", "[\"other\"]")), "has no line 'other'"));
  CHECK(error(with(plot, "\"right\": {", "\"left_out\": {")) ==
        "'bars' wants a right axis: add \"right\"");
  CHECK(holds(thrown_by([&] { draw_chart(folder.path(), lesson, "figures/c.svg"); }),
              "must be a description"));
}

TEST_CASE_FIXTURE(Fixture, "the lesson gets the image, and a changed picture is stale") {
  folder.write("chapters/01_a/figures/c.json", plot);
  folder.write("chapters/01_a/README.md",
               "# A\n\nWords.\n\n<!-- chart figures/c.json -->\n<!-- /chart -->\n");
  Request request;
  request.root = folder.path();
  CHECK(process(request).changed ==
        std::vector<std::string>{"chapters/01_a/figures/c.svg", "chapters/01_a/README.md"});
  CHECK(holds(folder.read("chapters/01_a/README.md"),
              "\n![What it shows.](figures/c.svg)\n\n*Card, driver 580, recorded 2026-11-20.*\n"));
  request.check = true;
  CHECK(process(request).stale.empty());
  const std::string svg = folder.read("chapters/01_a/figures/c.svg");
  folder.write("chapters/01_a/figures/c.svg", svg + " ");
  REQUIRE(process(request).stale.size() == 1);
  CHECK(holds(process(request).stale[0], "'chart' is stale"));
  request.check = false;
  process(request);
  CHECK(folder.read("chapters/01_a/figures/c.svg") == svg);
}
