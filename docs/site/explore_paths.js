// What lanes do one after the other: the basic blocks that a warp goes through, and the rounds of a
// reduction.
'use strict';

(() => {
  const {make, draw, choice, stepper, stage, text_at, box} = explore;

  const warps_of = (launch) =>
    [...new Set(launch.blocks[0].events.map((event) => event.warp).filter((warp) => warp !== undefined))].sort((a, b) => a - b);

  /// 32 lanes in a row, those at work filled.
  function lane_strip(mask) {
    return draw('svg', {viewBox: '0 0 320 10', class: 'lanes', role: 'img', 'aria-label': `${explore.lane_count(mask)} lanes at work`, preserveAspectRatio: 'none'},
                ...[...Array(32).keys()].map((lane) => box(lane * 10 + 1, 0, 8, 10, mask >>> lane & 1 ? 'used' : 'idle')));
  }

  /// Divergence: lanes over basic blocks.
  explore.kinds.paths = (body, about, recorded) => {
    let launch = null, rows = [], members = 0;
    const select = () => {
      const chosen = recorded.runs[run.value];
      launch = chosen.trace.launches[0];
      warp.set_options(warps_of(launch).map((number) => `warp ${number}`));
      select_warp();
    };
    const select_warp = () => {
      const number = warps_of(launch)[warp.value];
      rows = launch.blocks[0].events.filter((event) => event.warp === number && !event.access);
      members = rows.reduce((all, event) => (all | event.lanes) >>> 0, 0);
      steps.set_steps(rows.length);
    };
    const paint = () => {
      const first = Math.max(0, Math.min(steps.at - 8, rows.length - 18));
      const lines = rows.slice(first, first + 18).map((event, i) => {
        const place = launch.places[event.place];
        return make('li', {class: first + i === steps.at ? 'now' : '', onclick: () => steps.go(first + i)},
                    make('code', {}, `${place.line}  ${place.text}`), lane_strip(event.lanes));
      });
      if (!rows.length) return {drawing: [], height: 0, says: ['This warp was not followed.'], label: 'no steps'};
      const lanes = rows.map((event) => explore.lane_count(event.lanes));
      const average = lanes.reduce((a, b) => a + b, 0) / lanes.length;
      const now = rows[steps.at];
      return {
        drawing: [make('ol', {class: 'paths', start: first + 1}, ...lines)],
        height: 0,
        says: ['Step ', ['step', steps.at + 1], ` of ${rows.length}: `, ['lanes', explore.lane_count(now.lanes)],
               ` of ${explore.lane_count(members)} lanes at work at ${explore.place_text(launch.places[now.place])}. Over all steps `,
               ['average', average.toFixed(2)], ' lanes on average.'],
        label: 'The basic blocks that the warp goes through, and the lanes that take part',
      };
    };
    const run = choice('Kernel', recorded.runs.map((one) => one.name), select, 'run');
    const warp = choice('Warp', [], () => select_warp(), 'warp');
    const steps = stepper('Step', 'step', () => picture.show());
    const picture = stage(paint, (event) => steps.key(event));
    body.append(run.node, warp.node, steps.node, ...picture.nodes);
    select();
  };

  // ---------------------------------------------------------------- the reduction tree

  /// The additions of a block, round by round: between two barriers, or one line of an unrolled tail after
  /// the other. A round is [{warp, lanes, cost, edges: [[from, to] …]}].
  explore.rounds_of = (events) => {
    const rounds = [];
    let segment = new Map();
    const close = () => {
      const most = Math.max(0, ...[...segment.values()].map((additions) => additions.length));
      for (let i = 0; i < most; ++i)
        rounds.push([...segment.values()].map((additions) => additions[i]).filter(Boolean));
      segment = new Map();
    };
    const loads = new Map(); // of each warp, since its last store
    for (const event of events) {
      if (event.barrier) {
        close();
        loads.clear();
      } else if (event.access?.endsWith('load')) {
        loads.set(event.warp, [...loads.get(event.warp) ?? [], event]);
      } else if (event.access?.endsWith('store')) {
        const read = (loads.get(event.warp) ?? []).filter((load) => load.array === event.array);
        loads.delete(event.warp);
        if (!read.length) continue; // it brings elements, or takes the sum away
        const to = new Map(explore.offsets_of(event));
        const edges = read.flatMap((load) => explore.offsets_of(load)
          .filter(([lane]) => to.has(lane)).map(([lane, from]) => [from / 4, to.get(lane) / 4]));
        segment.set(event.warp, [...segment.get(event.warp) ?? [], {
          warp: event.warp, lanes: event.lanes, edges, cost: Math.max(...read.map((load) => load.cost), event.cost),
          shared: explore.is_shared(event)}]);
      }
    }
    close();
    return rounds;
  };

  explore.kinds.tree = (body, about, recorded) => {
    let launch = null, rounds = [];
    const select = () => {
      launch = recorded.runs[run.value].trace.launches[0];
      rounds = explore.rounds_of(launch.blocks[0].events);
      steps.set_steps(rounds.length);
    };
    const paint = (width) => {
      const words = launch.block[0], warps = words / 32, drawing = [];
      const left = 58, size = (width - left) / words;
      const row = 30, x_of = (word) => left + (word + 0.5) * size;
      rounds.forEach((round, r) => {
        const y = 18 + r * row;
        drawing.push(text_at(0, y + 12, `round ${r + 1}`, r === steps.at ? 'strong' : 'note'));
        for (let warp = 0; warp < warps; ++warp) {
          const work = round.find((one) => one.warp === warp);
          const at = left + warp * 32 * size;
          drawing.push(box(at + 1, y, 32 * size - 2, 18, work ? 'used' : 'idle', {onclick: () => steps.go(r)}));
          if (work) drawing.push(text_at(at + 16 * size, y + 13, `${explore.lane_count(work.lanes)} lane${explore.lane_count(work.lanes) === 1 ? '' : 's'}`, 'mid'));
        }
        if (r === steps.at) drawing.push(box(left - 3, y - 3, width - left + 2, 24, 'frame'));
      });
      for (let warp = 0; warp < warps; ++warp)
        drawing.push(text_at(left + (warp + 0.5) * 32 * size, 12, `warp ${warp}`, 'note mid'));
      const top = 18 + rounds.length * row + 20, bottom = top + 70;
      drawing.push(text_at(0, top + 4, 'read', 'note'), text_at(0, bottom + 4, 'written', 'note'));
      const now = rounds[steps.at] ?? [];
      const touched = new Set(), written = new Set();
      for (const {edges} of now)
        for (const [from, to] of edges) {
          drawing.push(draw('line', {x1: x_of(from % words), y1: top + 4, x2: x_of(to % words), y2: bottom - 4, class: 'edge'}));
          touched.add(from % words);
          written.add(to % words);
        }
      for (let word = 0; word < words; ++word) {
        drawing.push(box(left + word * size, top - 4, Math.max(size - 0.6, 1), 8, touched.has(word) ? 'used' : 'idle'));
        drawing.push(box(left + word * size, bottom - 4, Math.max(size - 0.6, 1), 8, written.has(word) ? 'busy' : 'idle'));
      }
      const lanes = now.reduce((sum, one) => sum + explore.lane_count(one.lanes), 0);
      const cost = Math.max(0, ...now.map((one) => one.cost));
      const says = ['Round ', ['round', steps.at + 1], ` of ${rounds.length}: `, ['warps', now.length], ` of ${warps} warps at work, `,
                    ['lanes', lanes], ' lanes add; the costliest request takes ', ['cost', cost], now[0]?.shared ? ' wavefronts.' : ' sectors.'];
      return {drawing, height: bottom + 14, says, label: says.flat().join(' ')};
    };
    const run = choice('Step of the chapter', recorded.runs.map((one) => one.name), select, 'run');
    const steps = stepper('Round', 'round', () => picture.show());
    const picture = stage(paint, (event) => steps.key(event));
    body.append(run.node, steps.node, ...picture.nodes);
    select();
  };
})();
