// Explorable pictures: what they have in common. Each kind registers itself with `explore.kinds`; a
// <figure class="explore" data-explore="NAME"> is filled from window.explorables[NAME], which holds
// {about, recorded}: what to show, and what the emulator has recorded of a real run. Without scripts
// the figure shows the still picture that stands in it.
'use strict';

const explore = {kinds: {}};

(() => {
  const svg_names = 'http://www.w3.org/2000/svg';

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes))
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  const make = (name, attributes = {}, ...children) =>
    fill(document.createElement(name), attributes, children);
  const draw = (name, attributes = {}, ...children) =>
    fill(document.createElementNS(svg_names, name), attributes, children);

  let count = 0;
  const fresh_id = () => `explore-control-${++count}`;

  /// A number to be moved along a line: {node, value, set(value, max)}; `words` may say what it stands for.
  function slider(label, {min = 0, max, value = min, step = 1, unit = '', name, changed, words}) {
    const id = fresh_id();
    const shown = make('output', {for: id});
    const input = make('input', {type: 'range', id, min, max, step, 'data-control': name ?? label});
    const tell = () => {
      shown.textContent = words ? words(Number(input.value)) : input.value + unit;
      if (words || unit) input.setAttribute('aria-valuetext', shown.textContent);
    };
    input.value = value;
    input.addEventListener('input', () => { tell(); changed(Number(input.value)); });
    tell();
    return {
      node: make('div', {class: 'control'}, make('label', {for: id}, label), input, shown),
      get value() { return Number(input.value); },
      set(new_value, new_max = Number(input.max)) {
        input.max = new_max;
        input.value = new_value;
        input.disabled = new_max <= Number(input.min);
        tell();
      },
    };
  }

  /// One of several: {node, value, set_options(options)}; an option is its text.
  function choice(label, options, changed, name) {
    const id = fresh_id();
    const select = make('select', {id, 'data-control': name ?? label});
    const set_options = (texts) => select.replaceChildren(
      ...texts.map((text, i) => make('option', {value: i}, text)));
    set_options(options);
    select.addEventListener('change', () => changed(Number(select.value)));
    return {
      node: make('div', {class: 'control'}, make('label', {for: id}, label), select),
      get value() { return Number(select.value); },
      set(value) { select.value = value; },
      set_options,
    };
  }

  /// Steps to walk through, by buttons, by a slider, or with the arrow keys on the picture.
  function stepper(label, what, changed) {
    const line = slider(label, {min: 1, max: 1, name: what, changed: (value) => go(value - 1)});
    let at = 0, steps = 0;
    function go(index) {
      at = Math.max(0, Math.min(steps - 1, index));
      line.set(at + 1, Math.max(steps, 1));
      before.disabled = at === 0;
      after.disabled = at >= steps - 1;
      changed(at);
    }
    const button = (text, words, move) =>
      make('button', {type: 'button', 'aria-label': `${words} ${what}`, 'data-control': words, onclick: () => go(at + move)}, text);
    const before = button('◀', 'previous', -1), after = button('▶', 'next', 1);
    return {
      node: make('div', {class: 'stepper'}, before, after, line.node),
      get at() { return at; },
      go,
      set_steps(number, index = 0) { steps = number; go(index); },
      key(event) {
        const move = {ArrowLeft: -1, ArrowRight: 1, Home: -steps, End: steps}[event.key];
        if (!move) return;
        event.preventDefault();
        go(at + move);
      },
    };
  }

  /// The place for a drawing, as wide as there is room, and the sentence under it. `paint(width)` gives
  /// {drawing: SVG elements or HTML, height, says: [text or [name, number] …], label}.
  function stage(paint, key) {
    const picture = make('div', {class: 'stage', tabindex: 0, role: 'group', onkeydown: key ?? (() => {})});
    const sentence = make('p', {class: 'says', 'aria-live': 'polite'});
    const show = () => {
      const width = Math.max(280, Math.floor(picture.clientWidth));
      const {drawing, height, says, label} = paint(width);
      picture.setAttribute('aria-label', label);
      picture.replaceChildren(height
        ? draw('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label}, ...drawing)
        : make('div', {}, ...drawing));
      sentence.replaceChildren(...says.map((part) => Array.isArray(part)
        ? make('b', {'data-number': part[0]}, String(part[1])) : document.createTextNode(part)));
    };
    let width = 0;
    new ResizeObserver(() => {
      if (picture.clientWidth !== width) { width = picture.clientWidth; show(); }
    }).observe(picture);
    return {nodes: [picture, sentence], show};
  }

  const text_at = (x, y, words, classes = '') => draw('text', {x, y, class: classes}, words);
  const box = (x, y, width, height, classes, more = {}) =>
    draw('rect', {x, y, width: Math.max(width, 0), height, class: classes, rx: 2, ...more});

  // ---------------------------------------------------------------- what a trace holds
  const lanes_of = (mask) => [...Array(32).keys()].filter((lane) => mask >>> lane & 1);
  const lane_count = (mask) => lanes_of(mask).length;

  /// [lane, offset] for each active lane of a request.
  function offsets_of(event) {
    const lanes = lanes_of(event.lanes);
    return lanes.map((lane, i) => [lane, Array.isArray(event.at) ? event.at[i]
      : event.at.first + event.at.step * (lane - lanes[0])]);
  }
  const is_shared = (event) => event.access.startsWith('shared');
  const file_name = (path) => path.split('/').pop();
  const place_text = (place) => `${file_name(place.file)}:${place.line}`;
  const access_words = (event) => event.access.replace('_', ' ');

  Object.assign(explore, {
    make, draw, slider, choice, stepper, stage, text_at, box,
    lanes_of, lane_count, offsets_of, is_shared, place_text, access_words,
  });

  explore.start = () => {
    for (const figure of document.querySelectorAll('figure[data-explore]')) {
      const data = (window.explorables ?? {})[figure.dataset.explore];
      const kind = data && explore.kinds[data.about.kind];
      if (!kind) continue;
      const pictures = [...figure.childNodes].filter((node) => node.nodeName !== 'SCRIPT');
      const body = make('div', {class: 'explorable'});
      figure.append(make('figcaption', {}, data.about.title), body);
      if (pictures.length)
        figure.append(make('details', {class: 'still'}, make('summary', {}, 'The still picture'), ...pictures));
      if (data.recorded.runs?.[0]?.command)
        figure.append(make('p', {class: 'origin'}, 'Recorded by ', make('code', {}, data.recorded.runs[0].command)));
      figure.explorable = kind(body, data.about, data.recorded);
    }
  };
  document.addEventListener('DOMContentLoaded', explore.start);
})();
