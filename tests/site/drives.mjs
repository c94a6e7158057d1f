// How each kind of explorable picture is driven, and what its numbers must be by the recording.

const bits = (mask) => mask.toString(2).replaceAll('0', '').length;
const events_of = (run) => run.trace.launches[0].blocks.flatMap((block) => block.events);
const set = (control, value) => ['set', control, value];
const next = ['key', 'ArrowRight'];

/// Does a list of things to the figure after the other, and gives the numbers shown after each: within the
/// page, since a thousand real keys would take longer than everything else.
const driver = `window.drive ??= (id, actions) => {
  const figure = document.getElementById(id), stage = figure.querySelector('.stage');
  return actions.map((together) => {
    for (const [what, name, value] of together)
      if (what === 'key') stage.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
      else {
        const control = figure.querySelector('[data-control="' + name + '"]');
        control.value = value;
        control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input'));
      }
    return Object.fromEntries([...figure.querySelectorAll('[data-number]')].map((e) => [e.dataset.number, e.textContent]));
  });
}`;

/// \param chromium  as start_chromium gives it, with the page open
/// \param equal     (what, seen, expected)
export function figure_driver(chromium, equal) {
  const drive = async (figure, actions) =>
    chromium.evaluate(`${driver}; drive(${JSON.stringify(figure)}, ${JSON.stringify(actions)})`);
  const walk = (figure, run, count) =>
    drive(figure, [[set('run', run), ['key', 'Home']], ...Array(Math.max(0, count - 1)).fill([next])]);

  const kinds = {
    async requests(figure, runs, about) {
      for (const [r, run] of runs.entries()) {
        const requests = events_of(run).filter((event) => event.access && (!about.only || about.only.includes(event.access))).slice(0, 40);
        if (!requests.length) continue;
        for (const [i, seen] of (await walk(figure, r, requests.length)).entries()) {
          equal(`request ${i + 1}'s cost`, seen.cost, requests[i].cost);
          equal(`request ${i + 1}'s lanes`, seen.lanes, bits(requests[i].lanes));
        }
      }
      // The script's own rules give what the emulator has counted.
      const wrong = await chromium.evaluate(`explorables[document.getElementById('${figure}').dataset.explore].recorded.runs
        .flatMap((run) => run.trace.launches[0].blocks).flatMap((block) => block.events).filter((event) => event.access && event.bytes <= 4 &&
          event.cost !== explore[explore.is_shared(event) ? 'wavefronts' : 'sectors'](explore.offsets_of(event), event.bytes)).length`);
      equal('requests that the rules count otherwise', wrong, 0);
      if (about.own) await own(figure, runs.length, about.own);
    },
    async tree(figure, runs) {
      for (const [r, run] of runs.entries()) {
        // Additions are stores by lanes that have loaded from the same array: count them from the recording.
        let lanes = 0;
        const loaded = new Map();
        for (const event of events_of(run)) {
          if (event.barrier) loaded.clear();
          else if (event.access.endsWith('load')) loaded.set(event.warp, [...loaded.get(event.warp) ?? [], event.array]);
          else {
            if (loaded.get(event.warp)?.includes(event.array)) lanes += bits(event.lanes);
            loaded.delete(event.warp);
          }
        }
        await drive(figure, [[set('run', r)]]);
        const rounds = await chromium.evaluate(`Number(document.querySelector('#${figure} [data-control=round]').max)`);
        const shown = (await walk(figure, r, rounds)).reduce((sum, seen) => sum + Number(seen.lanes), 0);
        equal(`lanes that add in ${run.name}`, shown, lanes);
      }
    },
    async paths(figure, runs) {
      for (const [r, run] of runs.entries()) {
        const warps = events_of(run).filter((event) => event.warp !== undefined).map((event) => event.warp);
        const rows = run.trace.launches[0].blocks[0].events.filter((event) => event.warp === Math.min(...warps) && !event.access);
        if (!rows.length) continue;
        const average = rows.reduce((sum, event) => sum + bits(event.lanes), 0) / rows.length;
        for (const [i, seen] of (await walk(figure, r, Math.min(rows.length, 20))).entries()) {
          equal('lanes on average', seen.average, average.toFixed(2));
          equal(`lanes of step ${i + 1}`, seen.lanes, bits(rows[i].lanes));
        }
      }
    },
    async timeline(figure, runs) {
      for (const [r, {timeline}] of runs.entries())
        for (const [i, seen] of (await walk(figure, r, timeline.bars.length)).entries()) {
          const bar = timeline.bars[i];
          for (const [name, value] of [['total', timeline.total_us], ['begin', bar.begin_us], ['end', bar.end_us], ['bytes', bar.bytes], ['after', bar.after.length]])
            equal(`${bar.name}'s ${name}`, seen[name], value);
        }
    },
    async tiles(figure, runs) {
      for (const [r, run] of runs.entries()) {
        const requests = events_of(run).filter((event) => event.access && event.warp === 0).slice(0, 20);
        for (const [i, seen] of (await walk(figure, r, requests.length)).entries()) equal('sectors', seen.cost, requests[i].cost);
      }
    },
    async occupancy(figure, runs) {
      const values = runs[0].values.limits, devices = [...new Set(Object.keys(values).map((key) => key.split('.')[0]))];
      const cases = Object.entries(values).map(([key, blocks]) => [key.split('.blocks_of_'), blocks])
        .filter(([[, launch]]) => launch && launch.split('_')[0] % 32 === 0); // the slider moves in warps
      const seen = await drive(figure, cases.map(([[device, launch]]) => {
        const [threads, registers, shared] = launch.split('_');
        return [set('device', devices.indexOf(device)), set('threads', threads), set('registers', registers), set('shared', shared / 1024)];
      }));
      for (const [i, [key, blocks]] of cases.entries()) equal(`blocks of ${key}`, seen[i].blocks, blocks);
    },
    async times(figure, runs) {
      const axes = Object.keys(runs[0].at).map((axis) => [axis, [...new Set(runs.map((run) => run.at[axis]))]]).filter(([, values]) => values.length > 1);
      const cases = runs.flatMap((run) => run.times.map((time, i) => ({run, time, i}))).filter(({time}, i) => time.ms && i % 7 === 0);
      const seen = await drive(figure, cases.map(({run, i}) => [set('kernel', i), ...axes.map(([axis, values]) => set(axis, values.indexOf(run.at[axis])))]));
      const texts = await chromium.evaluate(`${JSON.stringify(cases.map(({time}) => [time.ms, time.low, time.high]))}.map((three) => three.map(explore.time_text))`);
      for (const [i, {time}] of cases.entries())
        for (const [name, value] of [['ms', texts[i][0]], ['low', texts[i][1]], ['high', texts[i][2]], ['binds', time.binds]]) equal(`${time.name}'s ${name}`, seen[i][name], value);
    },
  };

  /// A pattern of one's own: what the rules say of it.
  async function own(figure, run, {kind, space}) {
    const cases = kind === 'tile'
      ? [[[], 32], [[set('pitch', 33)], 1], [[set('pitch', 32), set('swizzle', 1)], 1]]
      : [1, 2, 8, 32].map((stride) => [[set('stride', stride)], space === 'shared' ? stride : Math.min(4 * stride, 32)]);
    const seen = await drive(figure, cases.map(([actions], i) => i === 0 ? [set('run', run), ...actions] : actions));
    for (const [i, [actions, cost]] of cases.entries()) equal(`a pattern of one's own, ${actions.flat().join(' ')}`, seen[i].cost, cost);
  }

  /// Where there are no steps: a slider, by a click in its middle and a key.
  async function slide(figure) {
    const slider = `[...document.querySelectorAll('#${figure} input[type=range]')].find((e) => e.offsetParent !== null && !e.disabled)`;
    if (!await chromium.evaluate(`Boolean(${slider})`)) return;
    const [id, min, max, step] = await chromium.evaluate(`(() => { const e = ${slider}; return [e.id, e.min, e.max, e.step || 1].map((v, i) => i ? Number(v) : v); })()`);
    const value = `Number(document.getElementById('${id}').value)`;
    await chromium.click(`#${figure} [id="${id}"]`);
    const middle = await chromium.evaluate(value);
    equal('after a click in its middle, the slider', Math.abs(middle - (min + max) / 2) <= step, true);
    await chromium.key(middle < max ? 'ArrowRight' : 'ArrowLeft');
    equal('after a key, the slider', await chromium.evaluate(value), middle < max ? middle + step : middle - step);
  }

  /// A real click and a real key: one step there, and back.
  async function by_hand(figure) {
    const now = async () => (await drive(figure, [[]]))[0];
    const steps = await chromium.evaluate(`(() => { const b = document.querySelector('#${figure} [data-control=next]'); return b && !b.disabled && b.offsetParent !== null; })()`);
    if (!steps) return slide(figure);
    const line = `document.querySelector('#${figure} .stepper input').value`;
    await drive(figure, [[['key', 'Home']]]);
    await chromium.click(`#${figure} [data-control=next]`);
    equal('after a click, the step', await chromium.evaluate(line), 2);
    await chromium.evaluate(`document.querySelector('#${figure} .stage').focus()`);
    await chromium.key('ArrowLeft');
    equal('after a key, the step', await chromium.evaluate(line), 1);
    return now();
  }

  return async (figure, about, runs) => {
    await kinds[about.kind](figure, runs, about);
    await drive(figure, await chromium.evaluate(`document.querySelector('#${figure} [data-control=run]') !== null`) ? [[set('run', 0)]] : []);
    await by_hand(figure);
  };
}
