// Who runs when and where: streams over time, blocks on a multiprocessor, its schedulers.
'use strict';

(() => {
  const {make, draw, choice, slider, stepper, stage, text_at, box} = explore;

  // ---------------------------------------------------------------- streams over time
  explore.kinds.timeline = (body, about, recorded) => {
    let bars = [], total = 0;
    const select = () => {
      const {timeline} = recorded.runs[run.value];
      bars = timeline.bars;
      total = timeline.total_us;
      steps.set_steps(bars.length);
    };
    const paint = (width) => {
      const lanes = [...new Set(bars.map((bar) => bar.lane))], row = 46, drawing = [];
      const x_of = (us) => us / total * (width - 2) + 1, y_of = (bar) => lanes.indexOf(bar.lane) * row + 16;
      lanes.forEach((lane, i) => drawing.push(text_at(0, i * row + 12, lane, 'note'),
        draw('line', {x1: 0, y1: i * row + 40, x2: width, y2: i * row + 40, class: 'axis'})));
      const now = bars[steps.at];
      bars.forEach((bar, i) => drawing.push(box(x_of(bar.begin_us), y_of(bar), Math.max(2, x_of(bar.end_us) - x_of(bar.begin_us)), 22,
        `bar ${bar.engine}` + (i === steps.at ? ' chosen' : (now.after ?? []).includes(i) ? ' before' : ''), {onclick: () => steps.go(i)})));
      for (const i of now.after ?? [])
        drawing.push(draw('line', {x1: x_of(bars[i].end_us), y1: y_of(bars[i]) + 11, x2: x_of(now.begin_us), y2: y_of(now) + 11, class: 'edge'}));
      const height = lanes.length * row + 22;
      for (let i = 0; i <= 4; ++i)
        drawing.push(text_at(x_of(total * i / 4), height - 4, (total * i / 4).toFixed(0) + (i === 4 ? ' µs' : ''), 'note ' + (i === 0 ? '' : i === 4 ? 'end' : 'mid')));
      const says = [`${now.name} in ${now.lane}: from `, ['begin', now.begin_us], ' to ', ['end', now.end_us], ' µs of the model, ',
        ['bytes', now.bytes], ' bytes. It had to wait for ', ['after', (now.after ?? []).length], ' other', ((now.after ?? []).length === 1 ? '' : 's'),
        '; everything takes ', ['total', total], ' µs.'];
      return {drawing, height, says, label: says.flat().join(' ')};
    };
    const run = choice('Step of the chapter', recorded.runs.map((one) => one.name), select, 'run');
    const steps = stepper('Piece of work', 'piece', () => picture.show());
    const picture = stage(paint, (event) => steps.key(event));
    body.append(run.node, steps.node, ...picture.nodes);
    body.append(make('p', {class: 'legend'}, make('i', {class: 'to_device'}), ' to the device ', make('i', {class: 'sms'}), ' kernel ',
                     make('i', {class: 'to_host'}), ' to the host ', make('i', {class: 'host'}), ' the host waits'));
    select();
  };

  // ---------------------------------------------------------------- blocks on a multiprocessor
  const round_up = (value, unit) => Math.ceil(value / unit) * unit;

  /// Blocks that a multiprocessor holds at a time, and what says so: as chapter 11's calculator has it.
  explore.resident = (limits, launch) => {
    const warps = Math.ceil(launch.threads / 32);
    const per_part = Math.floor(limits.registers / 4 / round_up(launch.registers * 32, 256));
    const shared = round_up(launch.shared + limits.shared_reserved, limits.shared_unit);
    const by = {
      threads: Math.floor(limits.threads / (warps * 32)),
      blocks: limits.blocks,
      registers: Math.floor(per_part * 4 / warps),
      'shared memory': launch.shared > limits.shared_per_block ? 0 : shared === 0 ? Infinity : Math.floor(limits.shared / shared),
    };
    const blocks = Math.min(...Object.values(by));
    return {by, blocks, warps: blocks * warps, percent: 100 * blocks * warps * 32 / limits.threads,
            limit: Object.keys(by).filter((name) => by[name] === blocks).join(', ')};
  };

  /// Schedulers that issue one instruction per cycle, of the warp that has waited longest; after each a warp
  /// is not eligible for `wait` cycles. [scheduler][cycle] is a warp, or null.
  explore.issue = (warps, wait, cycles) => [0, 1, 2, 3].map((part) => {
    const mine = [...Array(warps).keys()].filter((warp) => warp % 4 === part).map((warp) => ({warp, ready: 0}));
    return [...Array(cycles).keys()].map((cycle) => {
      const best = mine.filter((one) => one.ready <= cycle).sort((a, b) => a.ready - b.ready || a.warp - b.warp)[0];
      if (!best) return null;
      best.ready = cycle + wait;
      return best.warp;
    });
  });

  explore.kinds.occupancy = (body, about, recorded) => {
    const devices = recorded.runs[0].values.limits, names = [...new Set(Object.keys(devices).map((key) => key.split('.')[0]))];
    const launch = {threads: 256, registers: 64, shared: 32 * 1024}, cycles = 32;
    let wait = 8;
    const limits_of = (name) => Object.fromEntries(Object.entries(devices).filter(([key]) => key.startsWith(name + '.'))
      .map(([key, value]) => [key.slice(name.length + 1), value]));

    const paint = (width) => {
      const limits = limits_of(names[device.value]), now = explore.resident(limits, launch), drawing = [];
      const slots = limits.threads / 32, columns = 16, size = Math.min(34, (width - 4) / columns), of_block = Math.ceil(launch.threads / 32);
      drawing.push(text_at(0, 12, `warps: ${now.warps} of ${slots}; blocks take turns in colour`, 'note'));
      for (let warp = 0; warp < slots; ++warp) {
        const block = Math.floor(warp / of_block), x = (warp % columns) * size, y = 18 + Math.floor(warp / columns) * 20;
        drawing.push(box(x + 1, y, size - 3, 16, warp >= now.warps ? 'idle' : block % 2 ? 'busy' : 'used'));
        if (warp < now.warps && size > 20) drawing.push(text_at(x + size / 2 - 1, y + 12, String(block), 'tiny mid'));
      }
      let y = 18 + Math.ceil(slots / columns) * 20 + 16;
      const used = {registers: now.blocks * of_block * round_up(launch.registers * 32, 256) / limits.registers,
                    'shared memory': now.blocks * round_up(launch.shared + limits.shared_reserved, limits.shared_unit) / limits.shared};
      for (const [name, share] of Object.entries(used)) {
        drawing.push(text_at(0, y, `${name}: ${Math.round(100 * share)} % taken`, 'note'), box(1, y + 5, width - 4, 12, 'idle'), box(1, y + 5, (width - 4) * Math.min(share, 1), 12, 'used'));
        y += 36;
      }
      drawing.push(text_at(0, y, `four schedulers over ${cycles} cycles`, 'note'));
      const slot = (width - 4) / cycles, issued = explore.issue(now.warps, wait, cycles);
      issued.forEach((row, part) => row.forEach((warp, cycle) => drawing.push(
        box(cycle * slot + 1, y + 8 + part * 18, slot - 1.5, 14, warp === null ? 'idle' : Math.floor(warp / of_block) % 2 ? 'busy' : 'used'))));
      const busy = 100 * issued.flat().filter((warp) => warp !== null).length / (4 * cycles);
      const says = [['blocks', now.blocks], ` block${now.blocks === 1 ? '' : 's'} fit, `, ['warps', now.warps], ' warps, ',
        ['percent', Math.round(now.percent)], ' % occupancy; the limit: ', ['limit', now.limit], '. ', ['busy', Math.round(busy)], ' % of the issue slots are used.'];
      return {drawing, height: y + 84, says, label: says.flat().join(' ')};
    };
    const move = (name, factor = 1) => (value) => { launch[name] = value * factor; picture.show(); };
    const device = choice('GPU', names, () => picture.show(), 'device');
    const controls = [
      device,
      slider('Threads per block', {min: 32, max: 1024, step: 32, value: 256, name: 'threads', changed: move('threads')}),
      slider('Registers per thread', {min: 16, max: 255, value: 64, name: 'registers', changed: move('registers')}),
      slider('Shared memory per block', {max: 227, value: 32, unit: ' KiB', name: 'shared', changed: move('shared', 1024)}),
      slider('Cycles from one instruction of a warp to its next', {min: 1, max: 64, value: 8, name: 'wait', changed: (value) => { wait = value; picture.show(); }}),
    ];
    const picture = stage(paint);
    body.append(...controls.map((control) => control.node), ...picture.nodes);
    device.set(Math.max(0, names.findIndex((name) => name.includes('H200'))));
    picture.show();
  };
})();
