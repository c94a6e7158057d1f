#include "loop/markdown.hpp"

#include "base/diff.hpp"
#include "base/highlight.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <md4c.h>
#include <numeric>
#include <utility>

namespace tutor {
namespace {

using Spans = std::vector<Span>;

/// Broken between words; where a word is longer than a line, inside it.
std::vector<Spans> wrapped(const Spans &spans, std::size_t columns, std::size_t hang = 0) {
  std::string text;
  std::vector<Style> styles; // of each byte
  for (const Span &span : spans) {
    text += without_controls(span.text);
    styles.resize(text.size(), span.style);
  }
  std::vector<Spans> lines;
  for (std::size_t from = 0; lines.empty() || from < text.size();) {
    const std::size_t margin = lines.empty() ? 0 : hang;
    const std::size_t room = columns > margin + 4 ? columns - margin : 4;
    std::size_t end = from + clip(std::string_view(text).substr(from), room).size();
    if (end < text.size()) {
      const std::size_t blank = text.rfind(' ', end);
      const std::size_t word = text.find_first_not_of(' ', from);
      end = blank != std::string::npos && blank > word ? blank : end;
    }
    Spans line;
    if (margin > 0) {
      line.push_back({std::string(margin, ' ')});
    }
    for (std::size_t i = from; i < end; ++i) {
      if (i == from || styles[i] != styles[i - 1]) {
        line.push_back({"", styles[i]});
      }
      line.back().text += text[i];
    }
    lines.push_back(std::move(line));
    from = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return lines;
}

std::size_t width_of(const Spans &spans) {
  return std::accumulate(spans.begin(),
                         spans.end(),
                         std::size_t{0},
                         [](std::size_t n, const Span &s) { return n + columns_of(s.text); });
}

Style style_of(std::string_view sort) {
  return sort == "comment"                      ? Style::faint
         : sort == "keyword"                    ? Style::bold
         : sort == "type" || sort == "cuda"     ? Style::cyan
         : sort == "string" || sort == "number" ? Style::green
         : sort == "directive"                  ? Style::yellow
                                                : Style::plain;
}

std::vector<Spans> coloured(const std::string &code, std::string_view language) {
  if (language == "cuda" || language == "cpp" || language == "c++") {
    return each(pieces_of_code(code), [](const CodeLine &line) {
      return each(line, [](const CodePiece &p) { return Span{p.text, style_of(p.sort)}; });
    });
  }
  return each(split_lines(code), [&](const std::string &line) {
    const Style style = language == "console" ? line.starts_with("$ ") ? Style::bold : Style::plain
                        : language != "diff"  ? Style::plain
                        : line.starts_with('+') ? Style::green
                        : line.starts_with('-') ? Style::red
                        : line.starts_with('@') ? Style::faint
                                                : Style::plain;
    return Spans{{line.substr(0, line.find('\n')), style}};
  });
}

/// What md4c finds, one after the other, becomes lines.
class Page {
public:
  Page(std::size_t columns, std::string unfold) : columns_(columns), unfold_(std::move(unfold)) {}

  Lines read(const std::string &markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES;
    parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *page) {
      return static_cast<Page *>(page)->enter(type, detail), 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void *, void *page) {
      return static_cast<Page *>(page)->leave(type), 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void *detail, void *page) {
      return static_cast<Page *>(page)->enter(type, detail), 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void *, void *page) {
      return static_cast<Page *>(page)->leave(type), 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *page) {
      return static_cast<Page *>(page)->take(type, {text, size}), 0;
    };
    md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (i == 0) {
        gap();
      }
      put({{fmt::format("[{}] {}", i + 1, links_[i]), Style::faint}});
    }
    return std::move(lines_);
  }

private:
  static std::string text_of(const MD_ATTRIBUTE &attribute) {
    return {attribute.text == nullptr ? "" : attribute.text, attribute.size};
  }

  void enter(MD_BLOCKTYPE type, void *detail) {
    if (type != MD_BLOCK_TH && type != MD_BLOCK_TD) {
      put_text(); // of a list's item, before what stands in it
    }
    raw_.clear();
    switch (type) {
    case MD_BLOCK_QUOTE:
      gap();
      margins_.push_back(margin_);
      margin_ += "│ ";
      break;
    case MD_BLOCK_OL:
      numbers_.push_back(static_cast<MD_BLOCK_OL_DETAIL *>(detail)->start);
      gap();
      break;
    case MD_BLOCK_UL:
      numbers_.push_back(0);
      gap();
      break;
    case MD_BLOCK_LI: {
      const std::string bullet =
          numbers_.back() > 0 ? fmt::format("{}. ", numbers_.back()++) : "• ";
      margins_.push_back(margin_);
      bullet_ = margin_ + bullet;
      margin_ += std::string(columns_of(bullet), ' ');
      break;
    }
    case MD_BLOCK_H:
      style_ = Style::bold;
      gap();
      break;
    case MD_BLOCK_CODE:
      language_ = text_of(static_cast<MD_BLOCK_CODE_DETAIL *>(detail)->lang);
      [[fallthrough]];
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
      gap();
      break;
    case MD_BLOCK_TR:
      rows_.emplace_back();
      break;
    case MD_BLOCK_TD:
    case MD_BLOCK_TH:
      right_.resize(std::max(right_.size(), rows_.back().size() + 1));
      right_[rows_.back().size()] =
          static_cast<MD_BLOCK_TD_DETAIL *>(detail)->align == MD_ALIGN_RIGHT;
      break;
    default:
      break;
    }
  }

  void leave(MD_BLOCKTYPE type) {
    switch (type) {
    case MD_BLOCK_TD:
    case MD_BLOCK_TH:
      rows_.back().push_back(std::exchange(text_, {}));
      break;
    case MD_BLOCK_TABLE:
      put_table();
      break;
    case MD_BLOCK_CODE:
      text_.clear();
      for (const Spans &line : coloured(raw_, language_)) {
        std::string text;
        for (const Span &span : line) {
          text += span.text;
        }
        const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
        for (Spans &part : wrapped(line, room() - 2, indent + 4)) {
          part.insert(part.begin(), {"  "});
          put(std::move(part));
        }
      }
      break;
    case MD_BLOCK_HTML:
      take_html(raw_);
      break;
    default:
      put_text();
      style_ = Style::plain;
      if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI) {
        margin_ = margins_.back();
        margins_.pop_back();
      } else if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
        numbers_.pop_back();
      }
    }
    raw_.clear();
  }

  void enter(MD_SPANTYPE type, void *detail) {
    if (type == MD_SPAN_A) {
      link_ = text_of(static_cast<MD_SPAN_A_DETAIL *>(detail)->href);
    } else if (type == MD_SPAN_IMG) {
      say(fmt::format("[Picture {}: ", text_of(static_cast<MD_SPAN_IMG_DETAIL *>(detail)->src)));
    }
    styles_.push_back(style_);
    style_ = type == MD_SPAN_CODE                           ? Style::cyan
             : type == MD_SPAN_STRONG || type == MD_SPAN_EM ? Style::bold
             : type == MD_SPAN_IMG                          ? Style::faint
                                                            : style_;
  }

  void leave(MD_SPANTYPE type) {
    style_ = styles_.back();
    styles_.pop_back();
    if (type == MD_SPAN_IMG) {
      say("]");
    } else if (type == MD_SPAN_A && link_.find("://") != std::string::npos && !folded()) {
      links_.push_back(link_);
      say(fmt::format(" [{}]", links_.size()));
    }
  }

  void take(MD_TEXTTYPE type, std::string_view text) {
    static constexpr std::pair<std::string_view, const char *> entities[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", " "}};
    const auto entity = std::ranges::find(entities, text, [](const auto &e) { return e.first; });
    raw_ += text;
    if (type == MD_TEXT_BR) {
      put_text();
    } else if (type != MD_TEXT_HTML) {
      say(type == MD_TEXT_SOFTBR                                   ? " "
          : type == MD_TEXT_ENTITY && entity != std::end(entities) ? entity->second
                                                                   : std::string(text));
    }
  }

  void say(std::string text) { text_.push_back({std::move(text), style_}); }

  /// Of HTML lessons have comments, which are for the tools, and what folds.
  void take_html(std::string_view html) {
    while (!html.starts_with("<!--") && html.find('<') != std::string_view::npos) {
      html.remove_prefix(html.find('<'));
      if (html.starts_with("<summary>")) {
        const std::string_view what = html.substr(9, html.find("</summary>") - 9);
        const int outer = std::exchange(folds_, folds_ - 1); // the line itself is seen
        gap();
        const Spans line{{fmt::format("{} {}", unfold_.empty() ? "▾" : "▸", what), Style::yellow},
                         {unfold_.empty() ? "" : fmt::format("  (folded: {} shows it)", unfold_)}};
        for (Spans &part : wrapped(line, room(), 2)) {
          put(std::move(part));
        }
        folds_ = outer;
      }
      folds_ += html.starts_with("<details") ? 1 : html.starts_with("</details") ? -1 : 0;
      html.remove_prefix(1);
    }
  }

  bool folded() const { return folds_ > 0 && !unfold_.empty(); }
  std::size_t room() const {
    return columns_ > columns_of(margin_) + 10 ? columns_ - columns_of(margin_) : 10;
  }

  void put(Spans line) {
    const std::string margin = bullet_.empty() ? margin_ : std::exchange(bullet_, "");
    if (!folded()) {
      line.insert(line.begin(), {margin});
      lines_.push_back(Line(std::move(line)));
    }
  }

  /// An empty line, unless there is one, or an item begins.
  void gap() {
    if (!lines_.empty() && bullet_.empty() && !folded() &&
        width_of(lines_.back().spans) > columns_of(margin_)) {
      put({});
    }
  }

  void put_text() {
    if (!text_.empty()) {
      for (Spans &line : wrapped(std::exchange(text_, {}), std::min<std::size_t>(room(), 80))) {
        put(std::move(line));
      }
    }
  }

  void put_table() {
    std::vector<std::size_t> widths(right_.size());
    for (const std::vector<Spans> &row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], width_of(row[i]));
      }
    }
    const auto total = [&] {
      return std::accumulate(widths.begin(), widths.end(), 2 * widths.size() - 2);
    };
    while (total() > room() && std::ranges::max(widths) > 4) {
      --*std::ranges::max_element(widths);
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      put_row(rows_[r], widths, r == 0);
      if (r == 0) {
        std::string rule;
        for (std::size_t i = 0; i < total(); ++i) {
          rule += "─";
        }
        put({{rule, Style::faint}});
      }
    }
    rows_.clear();
    right_.clear();
  }

  void put_row(const std::vector<Spans> &row, const std::vector<std::size_t> &widths, bool head) {
    std::vector<std::vector<Spans>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrapped(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      Spans line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        Spans part = y < cells[i].size() ? cells[i][y] : Spans();
        const std::size_t used = width_of(part);
        const std::string blank(widths[i] > used ? widths[i] - used : 0, ' ');
        part.insert(right_[i] ? part.begin() : part.end(), {blank});
        for (Span &span : part) {
          line.push_back(
              {span.text, head && span.style == Style::plain ? Style::bold : span.style});
        }
        line.push_back({"  "});
      }
      while (!line.empty() && line.back().text.find_first_not_of(' ') == std::string::npos) {
        line.pop_back();
      }
      put(std::move(line));
    }
  }

  std::size_t columns_;
  std::string unfold_;
  Lines lines_;
  Spans text_; ///< of the paragraph, cell or item that is being read
  std::string raw_, language_, link_;
  Style style_ = Style::plain;
  std::vector<Style> styles_; ///< around the span that is being read
  std::string margin_, bullet_; ///< what stands before a line; before the first of an item
  std::vector<std::string> margins_;
  std::vector<unsigned> numbers_; ///< of each list's next item; 0: it has none
  int folds_ = 0; ///< how many are around
  std::vector<std::vector<Spans>> rows_; ///< of the table
  std::vector<bool> right_; ///< which of its columns stand to the right
  std::vector<std::string> links_;
};

} // namespace

Lines markdown_lines(const std::string &markdown, std::size_t columns, const std::string &unfold) {
  return Page(columns, unfold).read(markdown);
}

} // namespace tutor
