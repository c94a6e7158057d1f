// The tiles of a matrix product: what each load of a warp brings, and who computes what of C.
'use strict';

(() => {
  const {make, draw, choice, slider, stepper, stage, text_at, box} = explore;

  /// Elements [row, column] of a request, by lane, in a square matrix; all its words. Around a matrix in
  /// its array may be words of nobody's, as many on each side.
  function elements_of(event, columns, arrays) {
    const first = (arrays[event.array] / 4 - columns * columns) / 2;
    return explore.offsets_of(event).map(([lane, offset]) => [lane,
      [...Array(Math.max(event.bytes / 4, 1)).keys()].map((i) => {
        const word = Math.floor(offset / 4) - first + i;
        return [Math.floor(word / columns), word % columns];
      })]);
  }

  explore.kinds.tiles = (body, about, recorded) => {
    const n = about.columns, names = ['A', 'B', 'C'];
    let launch = null, requests = [], lane = 0;

    const warps = () => [...new Set(requests.map((one) => one.event.warp))].sort((a, b) => a - b);
    const of_warp = () => requests.filter((one) => one.event.warp === warps()[warp.value]);
    const select = () => {
      launch = recorded.runs[run.value].trace.launches[0];
      let round = 0;
      requests = [];
      for (const event of launch.blocks[0].events) {
        if (event.barrier) ++round;
        else if (event.access) requests.push({event, round});
      }
      warp.set_options(warps().map((number) => `warp ${number}`));
      steps.set_steps(of_warp().length);
    };

    // Runs of cells in a row are one rectangle.
    function cells(drawing, x0, y0, size, elements, classes) {
      const rows = new Map();
      for (const [row, column] of elements) rows.set(row, [...rows.get(row) ?? [], column]);
      for (const [row, columns] of rows) {
        const sorted = [...new Set(columns)].sort((a, b) => a - b);
        for (let i = 0; i < sorted.length;) {
          let j = i;
          while (sorted[j + 1] === sorted[j] + 1) ++j;
          drawing.push(box(x0 + sorted[i] * size, y0 + row * size, (j - i + 1) * size, size, 'cell ' + classes, {rx: 0}));
          i = j + 1;
        }
      }
    }

    const stores = (choose) => requests.filter((one) => one.event.array === 2 && choose(one.event))
      .flatMap((one) => elements_of(one.event, n, launch.arrays));
    const spread = (entries) => entries.flatMap(([, elements]) => elements);
    const extent = (elements) => {
      const rows = elements.map(([row]) => row), columns = elements.map(([, column]) => column);
      return {rows: new Set(rows).size, columns: new Set(columns).size};
    };
    const words = ({rows, columns}) => `${rows} x ${columns}`;

    const paint = (width) => {
      const gap = 26, side = Math.min((width - gap - 4) / 2, 300), size = side / n, drawing = [];
      const where = {0: [2, side + gap + 14], 1: [side + gap, 14], 2: [side + gap, side + gap + 14]};
      for (const [array, [x, y]] of Object.entries(where)) {
        drawing.push(box(x, y, side, side, 'idle'), text_at(x, y - 4, `${names[array]}, ${n} x ${n}`, 'note'));
      }
      const chosen = of_warp()[steps.at];
      if (!chosen) return {drawing, height: 2 * side + gap + 20, says: ['This warp made no request.'], label: ''};
      const {event, round} = chosen, now = elements_of(event, n, launch.arrays);
      const block = spread(stores(() => true)), warp_tile = spread(stores((one) => one.warp === event.warp));
      const thread = spread(stores((one) => one.warp === event.warp).filter(([number]) => number === lane));
      cells(drawing, ...where[2], size, block, 'block-tile');
      cells(drawing, ...where[2], size, warp_tile, 'warp-tile');
      cells(drawing, ...where[2], size, thread, 'thread-tile');
      // What the block has brought since the last barrier, and what this request adds.
      const tile = requests.filter((one) => one.round === round && one.event.array < 2);
      for (const one of tile) cells(drawing, ...where[one.event.array], size, spread(elements_of(one.event, n, launch.arrays)), 'moved');
      if (where[event.array]) {
        cells(drawing, ...where[event.array], size, spread(now), 'used');
        const mine = now.find(([number]) => number === lane);
        if (mine) cells(drawing, ...where[event.array], size, mine[1], 'chosen');
      }
      const brought = new Set(tile.flatMap((one) => spread(elements_of(one.event, n, launch.arrays)).map(([r, c]) => `${one.event.array} ${r} ${c}`))).size;
      const says = [
        `Warp ${event.warp} ${event.access === 'global_store' ? 'stores' : 'loads'} `, ['elements', new Set(spread(now).map(String)).size],
        ` elements of ${names[event.array] ?? 'another array'} in `, ['cost', event.cost], ' sectors; since the last barrier the block has asked for ',
        ['brought', brought], ' elements. Of C the block computes ', ['block', words(extent(block))], ', the warp ',
        ['warp', words(extent(warp_tile))], ', the thread ', ['thread', words(extent(thread))], '.'];
      code.textContent = `${explore.place_text(launch.places[event.place])}   ${launch.places[event.place].text}`;
      return {drawing, height: 2 * side + gap + 20, says, label: says.flat().join(' ')};
    };

    const code = make('code', {class: 'line'});
    const run = choice('Step of the chapter', recorded.runs.map((one) => one.name), select, 'run');
    const warp = choice('Warp', [], () => steps.set_steps(of_warp().length), 'warp');
    const steps = stepper('Request', 'request', () => picture.show());
    const lane_line = slider('Lane', {max: 31, name: 'lane', changed: (value) => { lane = value; picture.show(); }});
    const picture = stage(paint, (event) => steps.key(event));
    body.append(run.node, warp.node, steps.node, lane_line.node, code, ...picture.nodes);
    body.append(make('p', {class: 'legend'}, make('i', {class: 'cell used'}), ' this request ', make('i', {class: 'moved'}), ' since the last barrier ',
                     make('i', {class: 'block-tile'}), ' the block’s C ', make('i', {class: 'warp-tile'}), ' the warp’s ', make('i', {class: 'thread-tile'}), ' the thread’s'));
    select();
  };
})();
