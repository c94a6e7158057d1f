// What a model predicts of kernels: how long the units of a device would be at work and how long warps
// would wait, and which of them binds.
'use strict';

(() => {
  const {make, choice, slider, stage, text_at, box, draw} = explore;

  const units = {memory: 'memory', l2: 'way to the L2', l1: 'L1', shared: 'shared memory’s banks', issue: 'issue slots',
                 fma: 'multiply-adds', alu: 'integer arithmetic', fp64: 'double precision', special: 'special functions', atomics: 'atomics in the L2'};
  const waits = {latency: 'for memory', shared_latency: 'for shared memory', barriers: 'for barriers',
                 dependence: 'for the instruction before', queues: 'for queues to memory', units: 'for a free unit'};

  explore.time_text = (ms) => ms < 0.1 ? `${Number((ms * 1000).toPrecision(3))} µs`
    : ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : `${Number((ms / 1000).toPrecision(3))} s`;

  /// A run is what a model said for one device, n and block size: {at: {device, n, …}, times: [{name, ms, low,
  /// high, binds, term, terms} or {name, refused}]}.
  explore.kinds.times = (body, about, recorded) => {
    const {runs} = recorded;
    const names = runs[0].times.map((one) => one.name);
    const axes = Object.keys(runs[0].at).map((axis) => ({axis, values: [...new Set(runs.map((run) => run.at[axis]))]}))
      .filter(({values}) => values.length > 1);
    const current = () => runs.find((run) => controls.every((control, i) => run.at[axes[i].axis] === axes[i].values[control.value]));
    // Rows that are nothing in every run are left out, so that the others stay where they are.
    const all = runs.flatMap((run) => run.times).filter((one) => !one.refused);
    const shown = (group) => Object.entries(group).filter(([key]) => all.some((one) => one.terms[key] > 0.005 * one.ms));

    const paint = (width) => {
      const run = current(), now = run.times[kernel.value], where = `${now.name} on ${run.at.device}`;
      if (now.refused) return {drawing: [], height: 0, says: [`${where}: no time, because ${now.refused}.`], label: where};
      const left = width < 500 ? 168 : 190, right = 74, drawing = [];
      const x_of = (ms) => left + Math.min(ms / now.ms, 1) * (width - left - right);
      let y = 4;
      const row = (words, ms, classes) => {
        drawing.push(text_at(left - 8, y + 13, words, classes.includes('chosen') ? 'strong end' : 'end'),
          box(left, y, Math.max(x_of(ms) - left, 1), 17, classes), text_at(x_of(ms) + 6, y + 13, explore.time_text(ms), 'note'));
        y += 22;
      };
      const heading = (words) => { drawing.push(text_at(0, y + 14, words, 'note')); y += 22; };
      const binds = (key) => now.term === key ? ' chosen' : '';
      row('all of it', now.ms, 'host');
      for (const [words, group, classes] of [['units at work', units, 'used'], ['warps wait', waits, 'moved'], ['before it runs', {launch: 'the launch'}, 'busy']]) {
        const rows = shown(group);
        if (rows.length) heading(words);
        for (const [key, name] of rows) row(name, now.terms[key] ?? 0, classes + binds(key));
      }
      drawing.push(draw('line', {x1: x_of(now.ms), y1: 0, x2: x_of(now.ms), y2: y, class: 'axis'}));
      const says = [`${where}: about `, ['ms', explore.time_text(now.ms)], ' (', ['low', explore.time_text(now.low)], ' to ',
        ['high', explore.time_text(now.high)], '). What binds: ', ['binds', now.binds], '.'];
      return {drawing, height: y + 4, says, label: says.flat().filter((part) => !['ms', 'low', 'high', 'binds'].includes(part)).join('')};
    };
    const show = () => picture.show();
    const kernel = choice(about.of ?? 'Kernel', names, show, 'kernel');
    const controls = axes.map(({axis, values}) => typeof values[0] === 'string' ? choice(axis, values, show, axis)
      : slider(axis, {max: values.length - 1, name: axis, words: (i) => values[i].toLocaleString('en'), changed: show}));
    const picture = stage(paint);
    body.append(kernel.node, ...controls.map((control) => control.node), ...picture.nodes);
    body.append(make('p', {class: 'legend'}, make('i', {class: 'used'}), ' how long a unit alone would be at work ', make('i', {class: 'moved'}),
                     ' the part of the time that warps wait ', make('i', {class: 'chosen'}), ' what binds. They overlap, and do not add up.'));
    axes.forEach(({axis, values}, i) => controls[i].set(Math.max(0, values.indexOf(about.start?.[axis]))));
    picture.show();
  };
})();
