// One request of a warp as an SVG image, in the looks of the lessons' figures.
#include "picture.hpp"
#include "text.hpp"

namespace emu {

namespace {
namespace request_image { // whose names the image of a timeline has, too

constexpr const char *style_sheet = R"(  <style>
    text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
    .code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; }
    .panel { fill: #f6f8fa; stroke: #d0d7de; }
    .note { font-size: 12px; fill: #59636e; }
    .mid { text-anchor: middle; }
    .end { text-anchor: end; }
    .used { fill: #b6dcff; stroke: #0a69da; }
    .again { fill: #ffcecb; stroke: #cf222e; }
    .idle { fill: none; stroke: #d0d7de; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .panel { fill: #151b23; stroke: #3d444d; }
      .note { fill: #9198a1; }
      .used { fill: #0c2d6b; stroke: #4493f8; }
      .again { fill: #67060c; stroke: #f85149; }
      .idle { stroke: #3d444d; }
    }
  </style>
)";

std::string text_at(int x, int y, const char *classes, const std::string &text) {
  return format("  <text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                classes,
                x,
                y,
                xml_escaped(text).c_str());
}

std::string box(int x, int y, int w, int h, const char *classes) {
  return format(
      "  <rect class=\"%s\" x=\"%d.5\" y=\"%d.5\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
      classes,
      x,
      y,
      w,
      h);
}

/// A drawing that grows downwards.
struct Drawing {
  std::string body;
  int width = 0, y = 0;
};

constexpr int margin = 20, label = 60, row_height = 24;

// The lanes in a cell: "7", "0-3", or "0…" where they do not stand side by side.
std::string lanes_text(const CellLanes &cell) {
  if (cell.count <= 1)
    return cell.count ? std::to_string(cell.first) : "";
  const bool all = cell.count == cell.last - cell.first + 1;
  return std::to_string(cell.first) + (all ? "-" + std::to_string(cell.last) : "…");
}

void draw_sectors(const LineReport &line, Drawing &d) {
  constexpr int cell = 72;
  d.width = 2 * margin + label + 8 * cell;
  d.body += text_at(margin + label - 10, d.y + 14, "note end", "sector");
  for (int i = 0; i < 8; ++i)
    d.body += text_at(
        margin + label + i * cell + cell / 2, d.y + 14, "note mid", "+" + std::to_string(4 * i));
  d.y += 22;
  uint64_t before = 0;
  for (const SectorRow &row : sector_rows(line)) {
    if (row.number > before + 1) {
      d.body += text_at(margin + label + 4 * cell, d.y + 9, "note mid", "⋮");
      d.y += 14;
    }
    before = row.number;
    d.body += text_at(margin + label - 10, d.y + 16, "note end", std::to_string(row.number));
    for (int i = 0; i < 8; ++i) {
      const CellLanes &lanes = row.words[static_cast<size_t>(i)];
      const int x = margin + label + i * cell;
      d.body += box(x + 1, d.y, cell - 3, row_height - 4, lanes.count > 0 ? "used" : "idle");
      if (lanes.count > 0)
        d.body += text_at(x + cell / 2, d.y + 15, "mid", lanes_text(lanes));
    }
    d.y += row_height;
  }
  d.body += text_at(margin,
                    d.y + 18,
                    "note",
                    "A row: a sector of 32 bytes. A number: the lane that touches the word. "
                    "Empty: moved, not asked for.");
}

void draw_banks(const LineReport &line, Drawing &d) {
  constexpr int cell = 28;
  d.width = 2 * margin + label + 32 * cell;
  const std::vector<BankRound> rounds = bank_rounds(line);
  for (const BankRound &round : rounds) {
    if (rounds.size() > 1) {
      d.body += text_at(
          margin, d.y + 14, "note", format("lanes %d to %d", round.first_lane, round.last_lane));
      d.y += 20;
    }
    d.body += text_at(margin + label - 10, d.y + 14, "note end", "bank");
    for (int bank = 0; bank < 32; ++bank)
      d.body += text_at(
          margin + label + bank * cell + cell / 2, d.y + 14, "note mid", std::to_string(bank));
    d.y += 22;
    for (size_t k = 0; k < round.rows.size(); ++k) {
      d.body += text_at(margin + label - 10, d.y + 15, "note end", std::to_string(k + 1));
      for (int bank = 0; bank < 32; ++bank) {
        const CellLanes &lanes = round.rows[k][static_cast<size_t>(bank)];
        const int x = margin + label + bank * cell;
        const char *classes = lanes.count == 0 ? "idle" : k == 0 ? "used" : "again";
        d.body += box(x + 1, d.y, cell - 3, row_height - 4, classes);
        if (lanes.count > 0)
          d.body += text_at(x + cell / 2,
                            d.y + 15,
                            "mid",
                            std::to_string(lanes.first) + (lanes.count > 1 ? "*" : ""));
      }
      d.y += row_height;
    }
  }
  d.body += text_at(margin,
                    d.y + 18,
                    "note",
                    "A row: a wavefront, one after the other. A number: the lane that wants a word "
                    "of the bank (*: with others, the same word).");
}

std::string drawn(const LineReport &line, const std::string &source) {
  Drawing d;
  d.y = 82;
  is_shared(line.access) ? draw_banks(line, d) : draw_sectors(line, d);
  const int height = d.y + 34;
  const std::string title = place(line.where) + ": " + caption(line);
  const auto room = static_cast<size_t>((d.width - 2 * margin) / 8);
  std::string svg = format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                           "width=\"%d\" height=\"%d\" role=\"img\">\n",
                           d.width,
                           height,
                           d.width,
                           height);
  svg += "  <title>" + xml_escaped(title) + "</title>\n" + style_sheet;
  svg +=
      format("  <rect class=\"panel\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
             d.width - 1,
             height - 1);
  svg += text_at(margin, 28, "code", clipped(source, room));
  svg += text_at(margin, 48, "note", place(line.where));
  svg += text_at(margin, 66, "note", caption(line));
  return svg + d.body + "</svg>\n";
}

} // namespace request_image
} // namespace

std::string picture_svg(const LineReport &line, const std::string &source) {
  return request_image::drawn(line, source);
}

} // namespace emu
