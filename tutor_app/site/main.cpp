#include "page.hpp"

#include "lessons/files.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace fs = std::filesystem;

/// site_pages COURSE PAGES SITE: writes the pages Doxygen is to read into PAGES, and the files they
/// show and link to into SITE. Exit 1, with a line each, when a link leads nowhere.
int main(int argc, char **argv) try {
  if (argc != 4) {
    fmt::print(stderr, "use: site_pages COURSE PAGES SITE\n");
    return 2;
  }
  const fs::path root = argv[1], pages = argv[2], site = argv[3];
  fs::remove_all(pages);

  std::size_t errors = 0;
  tutor::site::Rewriter rewriter(root);
  for (const tutor::site::Page &page : rewriter.pages()) {
    tutor::site::Rewritten rewritten = rewriter.rewrite(page);
    tutor::lessons::write_file(pages / (page.id + ".md"), rewritten.text);
    for (const auto &[file, place] : rewritten.copies) {
      fs::create_directories((site / place).parent_path());
      fs::copy_file(root / file, site / place, fs::copy_options::overwrite_existing);
    }
    for (const std::string &error : rewritten.errors) {
      fmt::print(stderr, "{}\n", error);
    }
    errors += rewritten.errors.size();
  }
  return errors == 0 ? 0 : 1;
} catch (const std::exception &error) {
  fmt::print(stderr, "site_pages: {}\n", error.what());
  return 1;
}
