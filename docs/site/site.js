// What the pages do beside being read: light or dark, the drawer of pages, copying, links to
// sections, which chapters have been read, and the search. All of it is there without a network.
'use strict';

(() => {
  const root = document.documentElement;
  root.classList.add('js');

  const kept = {
    get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* not allowed here */ } },
  };

  // ---------------------------------------------------------------- light or dark
  const fixed_light = root.classList.contains('light-mode');
  const system_dark = matchMedia('(prefers-color-scheme: dark)');
  const show_theme = () => {
    const wish = kept.get('theme');
    const dark = !fixed_light && (wish ? wish === 'dark' : system_dark.matches);
    root.classList.toggle('dark-mode', dark);
    root.classList.toggle('light-mode', !dark);
    const button = document.getElementById('theme');
    if (button) {
      button.textContent = dark ? 'Light' : 'Dark';
      button.setAttribute('aria-label', dark ? 'Light colours' : 'Dark colours');
    }
  };
  show_theme();
  system_dark.addEventListener('change', show_theme);

  const element = (name, attributes, text = '') => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };

  function set_up_bar() {
    show_theme();
    document.getElementById('theme')?.addEventListener('click', () => {
      kept.set('theme', root.classList.contains('dark-mode') ? 'light' : 'dark');
      show_theme();
    });
    const pages = document.getElementById('pages'), button = document.getElementById('pages-button');
    button.addEventListener('click', () => {
      const open = pages.classList.toggle('open');
      button.setAttribute('aria-expanded', open);
      if (open) scrollTo(0, 0);
    });
    const here = location.pathname.split('/').pop() || 'index.html';
    for (const link of pages.querySelectorAll('a'))
      if (link.getAttribute('href') === here) {
        link.setAttribute('aria-current', 'page');
        pages.scrollTop = link.offsetTop - pages.clientHeight / 2;
      }
  }

  // ---------------------------------------------------------------- code, sections, chapters
  function set_up_code() {
    for (const code of document.querySelectorAll('pre.code, div.fragment')) {
      const box = element('div', {class: 'copy-box'});
      const button = element('button', {class: 'copy', type: 'button'}, 'Copy');
      code.replaceWith(box);
      box.append(code, button);
      button.addEventListener('click', async () => {
        // Of a session, what was typed; of a difference, the new code.
        const typed = [...code.textContent.matchAll(/^\$ (.*)$/gm)].map((match) => match[1]);
        const added = [...code.querySelectorAll(':scope > ins, :scope > .same')];
        const text = typed.length ? typed.join('\n')
          : added.length ? added.map((line) => line.textContent.slice(1)).join('\n')
          : code.textContent;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        } catch {
          button.textContent = 'Not allowed';
        }
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
      });
    }
  }

  function set_up_sections() {
    const list = document.querySelector('.contents-list');
    if (list && innerWidth < 1200) list.open = false;
    const links = new Map([...list?.querySelectorAll('a') ?? []]
      .map((link) => [link.getAttribute('href').slice(1), link]));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          for (const link of links.values()) link.removeAttribute('aria-current');
          links.get(entry.target.id)?.setAttribute('aria-current', 'true');
        }
    }, {rootMargin: '-10% 0px -75% 0px'});
    for (const anchor of document.querySelectorAll(':is(h1, h2, h3) > a.anchor')) {
      seen.observe(anchor);
      anchor.parentElement.append(
        element('a', {class: 'here', href: '#' + anchor.id, 'aria-label': 'Link to this section'}, '#'));
    }
  }

  function set_up_progress() {
    const read = new Set((kept.get('chapters') ?? '').split(' '));
    for (const link of document.querySelectorAll('.progress a')) {
      if (read.has(link.dataset.chapter)) link.classList.add('read');
      const turn = document.querySelector('.turn');
      if (!link.hasAttribute('aria-current') || !turn) continue;
      // Who has come to the end of a lesson has read it.
      new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        link.classList.add('read');
        read.add(link.dataset.chapter);
        kept.set('chapters', [...read].join(' ').trim());
      }).observe(turn);
    }
  }

  // ---------------------------------------------------------------- the search
  const order = {term: 0, page: 1, section: 2, function: 3};

  function found_for(words) {
    const all = (window.searchable ?? []).map(([title, url, sort, detail]) => {
      const name = title.toLowerCase(), text = name + ' ' + detail.toLowerCase();
      if (!words.every((word) => text.includes(word))) return null;
      const whole = words.join(' ');
      const rank = name === whole ? 0 : name.startsWith(whole) ? 1 : name.includes(whole) ? 2 : 3;
      return {title, url, sort, detail, rank};
    });
    return all.filter(Boolean)
      .sort((a, b) => a.rank - b.rank || order[a.sort] - order[b.sort] || a.title.localeCompare(b.title))
      .slice(0, 12);
  }

  function set_up_search() {
    const input = document.querySelector('#search input'), list = document.getElementById('found');
    let chosen = -1;
    const choose = (index) => {
      const rows = [...list.children];
      chosen = rows.length ? (index + rows.length) % rows.length : -1;
      rows.forEach((row, i) => row.setAttribute('aria-selected', i === chosen));
      rows[chosen]?.scrollIntoView({block: 'nearest'});
      input.setAttribute('aria-activedescendant', chosen < 0 ? '' : 'found-' + chosen);
    };
    const close = () => {
      list.hidden = true;
      input.setAttribute('aria-expanded', false);
    };
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      list.replaceChildren(...(words.length ? found_for(words) : []).map((entry, i) => {
        const row = element('li', {role: 'option', id: 'found-' + i});
        const link = element('a', {href: entry.url, tabindex: '-1'}, entry.title);
        link.append(element('small', {}, entry.sort === 'term' ? entry.detail
          : entry.sort === 'section' ? 'in ' + entry.detail : entry.sort));
        row.append(link);
        return row;
      }));
      if (words.length && !list.children.length)
        list.append(element('li', {}, 'Nothing found.'));
      list.hidden = !words.length;
      input.setAttribute('aria-expanded', !list.hidden);
      choose(words.length ? 0 : -1);
    };
    // What can be searched is fetched when somebody begins to.
    input.addEventListener('focus', () => {
      if (window.searchable) return;
      window.searchable = [];
      for (const source of ['search/pages.js', 'search/functions.js']) {
        const script = element('script', {src: source});
        script.addEventListener('load', show);
        document.head.append(script);
      }
    });
    input.addEventListener('input', show);
    input.addEventListener('blur', () => setTimeout(close, 200));
    input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
        event.preventDefault();
      } else if (event.key === 'Enter') {
        list.children[chosen]?.querySelector('a')?.click();
      } else if (event.key === 'Escape') {
        input.value = '';
        show();
      }
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        input.focus();
        event.preventDefault();
      }
    });
  }

  document.addEventListener('DOMContentLoaded', () => {
    set_up_bar();
    set_up_code();
    set_up_sections();
    set_up_progress();
    set_up_search();
  });
})();
