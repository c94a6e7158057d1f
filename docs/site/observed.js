// The page that `observe --html` writes: a count in the margin leads to its requests.
'use strict';

document.addEventListener('DOMContentLoaded', () => {
  const figure = document.querySelector('[data-explore="requests"]');
  for (const count of document.querySelectorAll('.count'))
    count.addEventListener('click', () => {
      const {file, line, access} = count.dataset;
      if (figure.explorable?.show_line(file, Number(line), access)) figure.scrollIntoView();
    });
});
