// browser.mjs SITE COURSE: the finished site in headless Chromium. Each page at 390 and 1280 pixels, light
// and dark: nothing wider than the window, no text of a figure cut off, contrast of at least 4.5. Each
// explorable picture driven by clicks and keys, its numbers compared with the recordings in COURSE. Exit 77
// where there is no Chromium. With BF_SCREENSHOTS=FOLDER every page is kept as a picture, too.
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [site, course] = process.argv.slice(2);
const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
if (!program) {
  console.log('skipped: there is no chromium here');
  process.exit(77);
}

// ------------------------------------------------------------------ a browser, over its pipe
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
const browser = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
  '--remote-debugging-pipe', `--user-data-dir=${profile}`], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
const faults = [];
const fault = (text) => { faults.push(text); console.log(text); };
let answers = new Map(), listeners = new Map(), last = 0, session, where = '', rest = '';
browser.stdio[4].on('data', (data) => {
  const messages = (rest + data).split('\0');
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    if (message.id) answers.get(message.id)?.(message);
    else listeners.get(message.method)?.(message.params);
  }
});
const send = (method, params = {}) => new Promise((resolve, reject) => {
  answers.set(++last, (answer) => answer.error ? reject(new Error(`${method}: ${answer.error.message}`)) : resolve(answer.result));
  browser.stdio[3].write(JSON.stringify({id: last, method, params, sessionId: session}) + '\0');
});
async function evaluate(expression) {
  const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
  if (exceptionDetails) throw new Error(`${where}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}
async function open(page) {
  where = page;
  const loaded = new Promise((resolve) => listeners.set('Page.loadEventFired', resolve));
  await send('Page.navigate', {url: 'file://' + path.resolve(site, page)});
  await loaded;
}
const look = (width, theme) => Promise.all([
  send('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: width < 500}),
  send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: theme}]})]);
async function press(key) {
  for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', {type, key, code: key, windowsVirtualKeyCode: {ArrowLeft: 37, ArrowRight: 39, End: 35, Home: 36, Enter: 13}[key]});
}
async function click(selector) {
  const [x, y] = await evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
    e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
  for (const type of ['mousePressed', 'mouseReleased']) await send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
}
const choose = (figure, control, value) => evaluate(`(() => { const e = document.querySelector('#${figure} [data-control="${control}"]');
  e.value = ${value}; e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input')); })()`);
const numbers = (figure) => evaluate(`Object.fromEntries([...document.querySelectorAll('#${figure} [data-number]')].map((e) => [e.dataset.number, e.textContent]))`);
const equal = (what, seen, expected) => { if (String(seen) !== String(expected)) fault(`${where}: ${what} is ${seen}, recorded ${expected}`); };

// ------------------------------------------------------------------ what is checked of every page
const layout = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('is ' + document.documentElement.scrollWidth + ' pixels wide');
  for (const svg of document.querySelectorAll('.stage svg'))
    for (const text of svg.querySelectorAll('text')) {
      const t = text.getBoundingClientRect(), s = svg.getBoundingClientRect();
      if (t.width && (t.left < s.left - 2 || t.right > s.right + 2)) faults.push('cuts off "' + text.textContent + '"');
    }
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}), known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]); }
    return known.get(colour);
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; } return rgba('white'); };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest('script, style, svg') || !e.getClientRects().length || e.disabled) continue;
    const style = getComputedStyle(e), back = ground(e), key = style.color + back;
    if (seen.has(key) || Number(style.opacity) === 0) continue;
    seen.add(key);
    const a = light(rgba(style.color)), b = light(back), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ' of "' + walker.currentNode.textContent.trim().slice(0, 30) + '"');
  }
  return faults;
})()`;
async function check_page(page) {
  await open(page);
  for (const width of [390, 1280])
    for (const theme of ['light', 'dark']) {
      await look(width, theme);
      await evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      for (const text of await evaluate(layout)) fault(`${page} at ${width}, ${theme}: ${text}`);
      if (!process.env.BF_SCREENSHOTS) continue;
      const {data} = await send('Page.captureScreenshot', {captureBeyondViewport: true});
      fs.writeFileSync(path.join(process.env.BF_SCREENSHOTS, `${page}-${width}-${theme}.png`), Buffer.from(data, 'base64'));
    }
}

// ------------------------------------------------------------------ the explorable pictures
const bits = (mask) => mask.toString(2).replaceAll('0', '').length;
const recorded = (chapter, name) => JSON.parse(fs.readFileSync(path.join(course, 'chapters', chapter, 'explore', `${name}.recorded.json`))).runs;
const events_of = (run) => run.trace.launches[0].blocks.flatMap((block) => block.events);

const drives = {
  async requests(figure, runs) {
    for (const [r, run] of runs.entries()) {
      await choose(figure, 'run', r);
      const about = await evaluate(`explorables[document.querySelector('#${figure}').dataset.explore].about.only ?? null`);
      const requests = events_of(run).filter((event) => event.access && (!about || about.includes(event.access)));
      for (const [i, request] of requests.slice(0, 12).entries()) {
        const seen = await numbers(figure);
        equal(`request ${i + 1}'s cost`, seen.cost, request.cost);
        equal(`request ${i + 1}'s lanes`, seen.lanes, bits(request.lanes));
        if (i % 2) await press('ArrowRight');
        else { await click(`#${figure} [data-control=next]`); await evaluate(`document.querySelector('#${figure} .stage').focus()`); }
      }
      // The script's own rules give what the emulator has counted.
      const wrong = await evaluate(`explorables[document.querySelector('#${figure}').dataset.explore].recorded.runs[${r}].trace.launches[0].blocks
        .flatMap((block) => block.events).filter((event) => event.access && event.bytes <= 4 && event.cost !==
          explore[explore.is_shared(event) ? 'wavefronts' : 'sectors'](explore.offsets_of(event), event.bytes)).length`);
      equal('requests that the rules count otherwise', wrong, 0);
    }
  },
  async own(figure, runs) {
    await choose(figure, 'run', runs.length);
    const shared = !figure.includes('sectors');
    if (figure.endsWith('banks')) {
      equal('a column of 32 words per row', (await numbers(figure)).cost, 32);
      await choose(figure, 'pitch', 33);
      equal('a column of 33 words per row', (await numbers(figure)).cost, 1);
      await choose(figure, 'pitch', 32);
      await choose(figure, 'swizzle', 1);
      equal('a swizzled column', (await numbers(figure)).cost, 1);
      return;
    }
    for (const stride of [1, 2, 8, 32]) { // chapter 04's rounds; chapter 03's sectors
      await choose(figure, 'stride', stride);
      equal(`stride ${stride}`, (await numbers(figure)).cost, shared ? stride : Math.min(4 * stride, 32));
    }
  },
  async tree(figure, runs) {
    for (const [r, run] of runs.entries()) {
      await choose(figure, 'run', r);
      await evaluate(`document.querySelector('#${figure} .stage').focus()`);
      // Additions are stores by lanes that have loaded from the same array: count them from the recording.
      let lanes = 0, shown = 0;
      const loaded = new Map();
      for (const event of events_of(run)) {
        if (event.barrier) loaded.clear();
        else if (event.access.endsWith('load')) loaded.set(event.warp, [...loaded.get(event.warp) ?? [], event.array]);
        else {
          if (loaded.get(event.warp)?.includes(event.array)) lanes += bits(event.lanes);
          loaded.delete(event.warp);
        }
      }
      await press('Home');
      const rounds = await evaluate(`Number(document.querySelector('#${figure} [data-control=round]').max)`);
      for (let i = 0; i < rounds; ++i) {
        shown += Number((await numbers(figure)).lanes);
        await press('ArrowRight');
      }
      equal(`lanes that add in ${run.name}`, shown, lanes);
    }
  },
  async paths(figure, runs) {
    for (const [r, run] of runs.entries()) {
      await choose(figure, 'run', r);
      const rows = events_of(run).filter((event) => event.warp === 0 && !event.access);
      const average = rows.reduce((sum, event) => sum + bits(event.lanes), 0) / rows.length;
      equal('lanes on average', (await numbers(figure)).average, average.toFixed(2));
      for (let i = 0; i < 6; ++i) {
        equal(`lanes of step ${i + 1}`, (await numbers(figure)).lanes, bits(rows[i].lanes));
        await click(`#${figure} [data-control=next]`);
      }
    }
  },
  async timeline(figure, runs) {
    for (const [r, {timeline}] of runs.entries()) {
      await choose(figure, 'run', r);
      equal('the whole time', (await numbers(figure)).total, timeline.total_us);
      for (const bar of timeline.bars.slice(0, 8)) {
        const seen = await numbers(figure);
        for (const [name, value] of [['begin', bar.begin_us], ['end', bar.end_us], ['bytes', bar.bytes], ['after', bar.after.length]]) equal(`${bar.name}'s ${name}`, seen[name], value);
        await click(`#${figure} [data-control=next]`);
      }
    }
  },
  async tiles(figure, runs) {
    for (const [r, run] of runs.entries()) {
      await choose(figure, 'run', r);
      const requests = events_of(run).filter((event) => event.access && event.warp === 0);
      for (const request of requests.slice(0, 6)) {
        equal('sectors', (await numbers(figure)).cost, request.cost);
        await click(`#${figure} [data-control=next]`);
      }
    }
  },
  async occupancy(figure, runs) {
    const values = runs[0].values.limits, devices = [...new Set(Object.keys(values).map((key) => key.split('.')[0]))];
    for (const [d, device] of devices.entries())
      for (const [key, blocks] of Object.entries(values).filter(([name]) => name.startsWith(device + '.blocks_of_'))) {
        const [threads, registers, shared] = key.split('_of_')[1].split('_').map(Number);
        if (threads % 32) continue; // the slider moves in warps
        for (const [control, value] of [['device', d], ['threads', threads], ['registers', registers], ['shared', shared / 1024]]) await choose(figure, control, value);
        equal(`blocks of ${key}`, (await numbers(figure)).blocks, blocks);
      }
  },
};

async function check_figures(page) {
  await open(page);
  await look(1280, 'light');
  for (const id of await evaluate('[...document.querySelectorAll("figure.explore")].map((figure) => figure.id)')) {
    const [, chapter, name] = /^explore-(.*)-(\w+)$/.exec(id), runs = recorded(chapter, name);
    const about = await evaluate(`explorables['${chapter}-${name}'].about`);
    await drives[about.kind](id, runs);
    if (about.own) await drives.own(id, runs);
  }
  await send('Emulation.setScriptExecutionDisabled', {value: true});
  await open(page);
  await send('Emulation.setScriptExecutionDisabled', {value: false});
  const still = await evaluate('[...document.querySelectorAll("figure.explore img")].every((image) => image.getClientRects().length > 0 && image.alt)');
  if (!still) fault(`${page}: without scripts a still picture is missing`);
}

async function check_search() {
  await open('index.html');
  await look(1280, 'light');
  await click('#wanted');
  await evaluate(`new Promise((resolve) => { const wait = () => window.searchable?.length > 500 ? resolve() : setTimeout(wait, 20); wait(); })`);
  await send('Input.insertText', {text: 'bank conflict'});
  const first = await evaluate('document.querySelector("#found a").getAttribute("href")');
  equal('the first thing found', first, 'docs_glossary.html#docs_glossary-term-bank-conflict');
}

const pages = fs.readdirSync(site).filter((name) => /^(index|chapters_.*|docs_.*|emulator|common_lab|tutor_app_lessons|CONTRIBUTING|files|classlab_1_1Ladder|device__functions_8hpp)\.html$/.test(name));
try {
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  session = (await send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
  listeners.set('Runtime.exceptionThrown', ({exceptionDetails}) => fault(`${where}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`));
  listeners.set('Runtime.consoleAPICalled', ({type, args}) => type === 'error' && fault(`${where}: console: ${args.map((arg) => arg.value).join(' ')}`));
  listeners.set('Log.entryAdded', ({entry}) => entry.level === 'error' && fault(`${where}: ${entry.text} ${entry.url ?? ''}`));
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  for (const page of pages) await check_page(page);
  const explorable = pages.filter((page) => fs.readFileSync(path.join(site, page), 'utf8').includes('data-explore='));
  if (explorable.length === 0) fault('no page has an explorable picture');
  for (const page of explorable) await check_figures(page);
  await check_search();
} catch (error) {
  fault(String(error));
}
console.log(`${pages.length} pages, ${faults.length} faults`);
browser.kill();
browser.on('exit', () => {
  fs.rmSync(profile, {recursive: true, force: true});
  process.exit(faults.length ? 1 : 0);
});
