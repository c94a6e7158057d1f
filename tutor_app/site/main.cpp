#include "chrome.hpp"
#include "finished.hpp"
#include "page.hpp"

#include "base/files.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace fs = std::filesystem;
using namespace tutor;

namespace {

struct Folders {
  fs::path course, pages, site;
};

/// One line each; the exit code.
int told(const std::vector<std::string> &faults) {
  for (const std::string &fault : faults) {
    fmt::print(stderr, "{}\n", fault);
  }
  return faults.empty() ? 0 : 1;
}

/// Writes the pages Doxygen is to read into `pages`, and what they show and link to into `site`.
int prepare(const Folders &to, const site::Edition &edition, bool dark) {
  fs::remove_all(to.pages);
  fs::remove_all(to.site);
  std::vector<std::string> faults;
  std::vector<site::Entry> entries;
  const site::Rewriter rewriter(to.course);
  for (const site::Page &page : rewriter.pages()) {
    const site::Rewritten rewritten = rewriter.rewrite(page);
    write_file(to.pages / (page.id + ".md"), rewritten.text);
    for (const auto &[file, place] : rewritten.copies) {
      fs::create_directories((to.site / place).parent_path());
      fs::copy_file(to.course / file, to.site / place, fs::copy_options::overwrite_existing);
    }
    for (const auto &[place, text] : rewritten.made) {
      write_file(to.site / place, text);
    }
    faults.insert(faults.end(), rewritten.errors.begin(), rewritten.errors.end());
    entries.insert(entries.end(), rewritten.entries.begin(), rewritten.entries.end());
  }
  write_file(to.pages / "header.html", site::header_html(rewriter.pages(), dark));
  write_file(to.pages / "footer.html", site::footer_html(edition));
  write_file(to.site / "search/pages.js", site::search_script(entries));
  write_file(to.site / ".nojekyll", ""); // GitHub's pages are to be served as they are
  return told(faults);
}

/// After Doxygen: everything leads somewhere, and functions can be searched for, too.
int finish(const fs::path &folder) {
  const site::Finished finished = site::read_site(folder);
  if (finished.faults.empty()) {
    write_file(folder / "search/functions.js", site::search_script(finished.functions));
  }
  return told(finished.faults);
}

} // namespace

/// site_pages prepare COURSE PAGES SITE VERSION COMMIT light|dark, then Doxygen, then
/// site_pages finish SITE. Exit 1, with a line each, when something leads nowhere.
int main(int argc, char **argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 7 && words[0] == "prepare") {
    return prepare({words[1], words[2], words[3]}, {words[4], words[5]}, words[6] == "dark");
  }
  if (words.size() == 2 && words[0] == "finish") {
    return finish(words[1]);
  }
  fmt::print(stderr,
             "use: site_pages prepare COURSE PAGES SITE VERSION COMMIT light|dark\n"
             "     site_pages finish SITE\n");
  return 2;
} catch (const std::exception &error) {
  fmt::print(stderr, "site_pages: {}\n", error.what());
  return 1;
}
