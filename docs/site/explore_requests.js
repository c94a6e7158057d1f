// One request of a warp against sectors or banks: those of a recorded run, and those of a pattern of
// one's own.
'use strict';

(() => {
  const {make, draw, slider, choice, stepper, stage, text_at, box} = explore;

  /// The rules of the hardware, for lanes of 4 bytes or less: what the emulator counts by.
  explore.sectors = (offsets, bytes) => new Set(offsets.flatMap(([, offset]) =>
    [Math.floor(offset / 32), Math.floor((offset + bytes - 1) / 32)])).size;

  /// Rows of banks: row k holds, for each bank, the lanes that want the k-th different word of it.
  function bank_rows(offsets, bytes) {
    const rows = [];
    for (const [lane, offset] of offsets)
      for (let word = Math.floor(offset / 4); word * 4 < offset + bytes; ++word) {
        const bank = word % 32;
        let k = 0;
        while (rows[k]?.[bank] && rows[k][bank].word !== word) ++k;
        rows[k] ??= [];
        (rows[k][bank] ??= {word, lanes: []}).lanes.push(lane);
      }
    return rows;
  }
  explore.wavefronts = (offsets, bytes) => bank_rows(offsets, bytes).length;

  /// The lanes that take their turn together: all, or halves and quarters of wide accesses.
  function turns(offsets, bytes) {
    const lanes = bytes <= 4 ? 32 : 128 / bytes;
    const parts = [];
    for (let first = 0; first < 32; first += lanes) {
      const part = offsets.filter(([lane]) => lane >= first && lane < first + lanes);
      if (part.length) parts.push(part);
    }
    return parts;
  }

  const cell_text = (x, y, size, lanes) => size < 16 || !lanes.length ? []
    : [text_at(x + size / 2, y + 12, String(lanes[0]) + (lanes.length > 1 ? '*' : ''), 'tiny mid')];

  function draw_banks(width, offsets, bytes, chosen, choose) {
    const left = width < 500 ? 26 : 50, size = (width - left) / 32, drawing = [];
    let y = 14;
    drawing.push(text_at(0, 10, 'bank', 'note'));
    for (let bank = 0; bank < 32; bank += width < 500 ? 8 : 4)
      drawing.push(text_at(left + bank * size + size / 2, 10, String(bank), 'note mid'));
    let round = 0;
    for (const part of turns(offsets, bytes)) {
      for (const [k, row] of bank_rows(part, bytes).entries()) {
        drawing.push(text_at(left - 6, y + 13, String(++round), 'note end'));
        for (let bank = 0; bank < 32; ++bank) {
          const lanes = row[bank]?.lanes ?? [], x = left + bank * size;
          const classes = (lanes.length === 0 ? 'idle' : k === 0 ? 'used' : 'again') +
            (lanes.includes(chosen) ? ' chosen' : '');
          drawing.push(box(x + 1, y, size - 2, 15, classes, {onclick: () => lanes.length && choose(lanes[0])}),
                       ...cell_text(x, y, size, lanes));
        }
        y += 18;
      }
      y += 6;
    }
    return {drawing, height: y + 4};
  }

  function draw_sectors(width, offsets, bytes, chosen, choose) {
    const left = width < 500 ? 44 : 60, gap = 6, size = (width - left - 3 * gap) / 32, drawing = [];
    const words = new Map();
    for (const [lane, offset] of offsets)
      for (let word = Math.floor(offset / 4); word * 4 < offset + bytes; ++word)
        words.set(word, [...words.get(word) ?? [], lane]);
    const rows = [...new Set([...words.keys()].map((word) => Math.floor(word / 32)))].sort((a, b) => a - b);
    const moved = new Set([...words.keys()].map((word) => Math.floor(word / 8)));
    let y = 14;
    drawing.push(text_at(0, 10, 'byte', 'note'), text_at(left, 10, 'four sectors of 32 bytes', 'note'));
    for (const row of rows) {
      drawing.push(text_at(left - 6, y + 13, String(row * 128), 'note end'));
      for (let i = 0; i < 32; ++i) {
        const word = row * 32 + i, lanes = words.get(word) ?? [];
        const x = left + i * size + Math.floor(i / 8) * gap;
        const classes = (lanes.length ? 'used' : moved.has(Math.floor(word / 8)) ? 'moved' : 'idle') +
          (lanes.includes(chosen) ? ' chosen' : '');
        drawing.push(box(x + 0.5, y, size - 1, 15, classes, {onclick: () => lanes.length && choose(lanes[0])}),
                     ...cell_text(x, y, size, lanes));
      }
      y += 18;
    }
    return {drawing, height: y + 4};
  }

  /// What a pattern of one's own asks for: [lane, byte] for each lane.
  function pattern(kind, values) {
    const lanes = [...Array(32).keys()];
    if (kind === 'tile')
      return lanes.map((lane) => [lane, 4 * (values.across
        ? values.column * values.pitch + lane
        : lane * values.pitch + (values.swizzle ? (values.column ^ lane) % 32 : values.column))]);
    return lanes.map((lane) => [lane, 4 * (lane * values.stride + values.offset)]);
  }

  function own_controls(kind, values, changed) {
    const move = (name) => (value) => { values[name] = value; changed(); };
    if (kind === 'tile') {
      Object.assign(values, {pitch: 32, column: 0, swizzle: 0, across: 0});
      return [
        slider('Words per row of the tile', {min: 32, max: 40, value: 32, name: 'pitch', changed: move('pitch')}),
        slider('Column', {min: 0, max: 31, name: 'column', changed: move('column')}),
        choice('Order in a row', ['as it comes', 'swizzled: column xor row'], move('swizzle'), 'swizzle'),
        choice('A warp reads', ['down the column', 'along a row'], move('across'), 'across'),
      ];
    }
    Object.assign(values, {stride: 1, offset: 0});
    return [
      slider('Words from lane to lane', {min: 0, max: 33, value: 1, name: 'stride', changed: move('stride')}),
      slider('First word', {min: 0, max: 31, name: 'offset', changed: move('offset')}),
    ];
  }

  explore.kinds.requests = (body, about, recorded) => {
    const runs = recorded.runs ?? [];
    const own = about.own ? [`yours: ${about.own.title}`] : [];
    const values = {};
    let requests = [], warps = [], launch = null, lane = 0;

    const is_own = () => run.value >= runs.length;
    const current = () => is_own()
      ? {offsets: pattern(about.own.kind, values), bytes: 4, shared: about.own.space === 'shared'}
      : {event: requests[steps.at], offsets: explore.offsets_of(requests[steps.at]),
         bytes: requests[steps.at].bytes, shared: explore.is_shared(requests[steps.at])};
    const choose = (number) => { lane = number; lane_line.set(lane); picture.show(); };

    const paint = (width) => {
      if (!is_own() && !requests.length)
        return {drawing: [], height: 0, says: ['This warp made no request.'], label: 'no request'};
      const {event, offsets, bytes, shared} = current();
      const cost = event?.cost ?? (shared ? explore.wavefronts(offsets, bytes) : explore.sectors(offsets, bytes));
      const mine = offsets.find(([number]) => number === lane);
      const place = event && launch.places[event.place];
      const says = [
        event ? `Warp ${event.warp}, ${explore.access_words(event)} of ${bytes} bytes per lane: ` : 'Your warp: ',
        ['lanes', offsets.length], ` lane${offsets.length === 1 ? '' : 's'}, `, ['cost', cost],
        shared ? ` wavefront${cost === 1 ? '' : 's'}, one after the other. ` : ` sector${cost === 1 ? '' : 's'} of 32 bytes, ` +
          `${Math.round(100 * new Set(offsets.flatMap(([, at]) => [...Array(bytes).keys()].map((i) => at + i))).size / (32 * cost))} % of them asked for. `,
        mine ? `Lane ${lane} wants ${shared ? `word ${Math.floor(mine[1] / 4)}, bank ${Math.floor(mine[1] / 4) % 32}` : `byte ${mine[1]}, sector ${Math.floor(mine[1] / 32)}`}.`
             : `Lane ${lane} takes no part.`,
      ];
      code.textContent = place ? `${explore.place_text(place)}   ${place.text}` : '';
      const label = says.flat().filter((part) => !['lanes', 'cost'].includes(part)).join('');
      return {...(shared ? draw_banks : draw_sectors)(width, offsets, bytes, lane, choose), says, label};
    };

    const select = () => {
      const chosen = runs[run.value];
      for (const node of recorded_controls) node.hidden = is_own();
      for (const control of own_nodes) control.node.hidden = !is_own();
      if (!is_own()) {
        launch = chosen.trace.launches[0];
        warps = [...new Set(kept().map((event) => event.warp))].sort((a, b) => a - b);
        warp.set_options(['all', ...warps.map(String)]);
        select_warp();
      } else {
        picture.show();
      }
    };
    const kept = () => launch.blocks.flatMap((block) => block.events)
      .filter((event) => event.access && (!about.only || about.only.includes(event.access)));
    const select_warp = () => {
      requests = kept().filter((event) => warp.value === 0 || event.warp === warps[warp.value - 1]);
      steps.set_steps(requests.length);
    };

    const code = make('code', {class: 'line'});
    const run = choice('Kernel', [...runs.map((one) => one.name), ...own], select, 'run');
    const warp = choice('Warp', ['all'], () => select_warp(), 'warp');
    const steps = stepper('Request', 'request', () => picture.show());
    const lane_line = slider('Lane', {max: 31, name: 'lane', changed: (value) => { lane = value; picture.show(); }});
    const own_nodes = about.own ? own_controls(about.own.kind, values, () => picture.show()) : [];
    const picture = stage(paint, (event) => !is_own() && steps.key(event));
    const recorded_controls = [warp.node, steps.node, code];
    body.append(run.node, warp.node, ...own_nodes.map((control) => control.node), steps.node, lane_line.node, code, ...picture.nodes);
    body.append(make('p', {class: 'legend'}, make('i', {class: 'used'}), ' asked for ', make('i', {class: 'moved'}), ' moved, not asked for ',
                     make('i', {class: 'again'}), ' has to wait: another word of the same bank ', make('i', {class: 'chosen'}), ' the lane you chose'));
    select();
    return {
      /// Goes to the first request of a line of source; false if none was kept.
      show_line(file, line, access) {
        const here = (trace, event) => event.access === access &&
          trace.places[event.place].file === file && trace.places[event.place].line === line;
        const found = runs.findIndex(({trace: {launches: [trace]}}) =>
          trace.blocks.some((block) => block.events.some((event) => here(trace, event))));
        if (found < 0) return false;
        run.set(found);
        select();
        steps.go(requests.findIndex((event) => here(launch, event)));
        return true;
      },
    };
  };
})();
