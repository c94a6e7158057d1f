// browser.mjs SITE COURSE OBSERVED: the finished site in headless Chromium. Each page at 390 and 1280 pixels:
// nothing wider than the window, no text of a figure cut off, contrast of at least 4.5; every other page
// light where it is narrow, the others light where they are wide. Each explorable picture is driven, its
// numbers compared with the recordings in COURSE; the pages that `observe --html` has left in OBSERVED with
// their JSON (builds that cannot be observed leave none). Exit 77 where there is no Chromium.
import fs from 'node:fs';
import path from 'node:path';
import {start_chromium} from './chromium.mjs';
import {figure_driver} from './drives.mjs';

const [site, course, observed] = process.argv.slice(2);
const chromium = await start_chromium();
if (!chromium) {
  console.log('skipped: there is no chromium here');
  process.exit(77);
}
const {send, evaluate, look} = chromium;
const faults = [];
let where = '';
const fault = (text) => { faults.push(text); console.log(`${where}: ${text}`); };
const equal = (what, seen, expected) => { if (String(seen) !== String(expected)) fault(`${what} is ${seen}, recorded ${expected}`); };
const drive = figure_driver(chromium, equal);
const open = (file) => { where = path.basename(file); return chromium.open(file); };

// ------------------------------------------------------------------ what is checked of every page
const sound = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('is ' + document.documentElement.scrollWidth + ' pixels wide');
  for (const svg of document.querySelectorAll('.stage svg')) {
    const s = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const t = text.getBoundingClientRect();
      if (t.width && (t.left < s.left - 2 || t.right > s.right + 2)) faults.push('cuts off "' + text.textContent + '"');
    }
  }
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}), known = new Map(), grounds = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]); }
    return known.get(colour);
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    if (!e) return rgba('white');
    if (!grounds.has(e)) { const c = rgba(getComputedStyle(e).backgroundColor); grounds.set(e, c[3] > 250 ? c : ground(e.parentElement)); }
    return grounds.get(e);
  };
  const seen = new Set(), asked = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (asked.has(e) || !walker.currentNode.textContent.trim()) continue;
    asked.add(e);
    if (e.closest('script, style, svg') || e.disabled) continue;
    const style = getComputedStyle(e), back = ground(e), key = style.color + back;
    if (seen.has(key) || Number(style.opacity) === 0 || !e.getClientRects().length) continue;
    seen.add(key);
    const a = light(rgba(style.color)), b = light(back), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ' of "' + walker.currentNode.textContent.trim().slice(0, 30) + '"');
  }
  resolve(faults);
})))`;
const looks = [[[390, 'light'], [1280, 'dark']], [[390, 'dark'], [1280, 'light']]];
let checked = 0;
/// Leaves the page open, at 1280 pixels.
async function check_page(file) {
  const these = looks[checked++ % 2];
  await look(...these[0]);
  await open(file);
  for (const [i, [width, theme]] of these.entries()) {
    if (i > 0) await look(width, theme);
    for (const text of await evaluate(sound)) fault(`at ${width}, ${theme}: ${text}`);
  }
}

// ------------------------------------------------------------------ the site
const recorded = (chapter, name) => JSON.parse(fs.readFileSync(path.join(course, 'chapters', chapter, 'explore', `${name}.recorded.json`))).runs;
async function check_figures() {
  const figures = await evaluate(`[...document.querySelectorAll('figure.explore')].map((figure) =>
    [figure.id, explorables[figure.dataset.explore].about, [...figure.querySelectorAll('.still img')].every((image) => image.alt)])`);
  for (const [id, about, still] of figures) {
    const [, chapter, name] = /^explore-(.*)-(\w+)$/.exec(id);
    await drive(id, about, recorded(chapter, name));
    if (!still) fault(`${id}: the still picture has no words`);
  }
}
async function check_without_scripts(file) {
  await send('Emulation.setScriptExecutionDisabled', {value: true});
  await open(file);
  await send('Emulation.setScriptExecutionDisabled', {value: false});
  const still = await evaluate('[...document.querySelectorAll("figure.explore img")].every((image) => image.getClientRects().length > 0 && image.alt)');
  if (!still) fault('without scripts a still picture is missing');
}
async function check_search() {
  await open(path.join(site, 'index.html'));
  await chromium.click('#wanted');
  await evaluate(`new Promise((resolve) => { const wait = () => window.searchable?.length > 500 ? resolve() : setTimeout(wait, 20); wait(); })`);
  await send('Input.insertText', {text: 'bank conflict'});
  const first = await evaluate('document.querySelector("#found a").getAttribute("href")');
  equal('the first thing found', first, 'docs_glossary.html#docs_glossary-term-bank-conflict');
}
async function check_print(pages) {
  const {data} = await send('Page.printToPDF', {preferCSSPageSize: true, paperWidth: 8.27, paperHeight: 11.69});
  equal('pages printed', Buffer.from(data, 'base64').toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, pages);
}

// ------------------------------------------------------------------ the pages of observe --html
async function check_observed(name) {
  const file = path.join(observed, name + '.html'), report = JSON.parse(fs.readFileSync(path.join(observed, name + '.json')));
  const html = fs.readFileSync(file, 'utf8');
  if (html.length > 5e6) fault(`${name} has ${html.length} bytes`);
  if (/(src|href)="(?!#)|url\(|@import/.test(html)) fault(`${name} needs another file`);
  await check_page(file);
  const sums = new Map();
  for (const line of report.kernels.flatMap((kernel) => kernel.lines)) {
    const key = [line.file, line.line, line.access].join(), sum = sums.get(key) ?? {requests: 0, cost: 0};
    sum.requests += line.requests;
    sum.cost += line[line.access.startsWith('shared') ? 'wavefronts' : 'sectors'];
    sums.set(key, sum);
  }
  const counts = await evaluate(`[...document.querySelectorAll('.count')].map((e) => [[e.dataset.file, e.dataset.line, e.dataset.access].join(),
    ...['requests', 'cost'].map((name) => e.querySelector('[data-number=' + name + ']').textContent)])`);
  equal('lines counted', counts.length, sums.size);
  for (const [key, requests, cost] of counts) {
    equal(`requests of ${key}`, requests, sums.get(key)?.requests);
    equal(`cost of ${key}`, Number(cost), Number((sums.get(key)?.cost / sums.get(key)?.requests).toPrecision(3)));
  }
  const hazards = await evaluate(`[...document.querySelectorAll('.hazards li')].map((e) => [...e.querySelectorAll('a')]
    .map((a) => document.querySelector(a.getAttribute('href')).cells[0].textContent).join())`);
  equal('lines of hazards', hazards.join(' '), report.hazards.map((one) => [one.line, one.other?.line].filter(Boolean).join()).join(' '));
  if (hazards.length) {
    await chromium.click('.hazards a');
    equal('the line a hazard leads to', await evaluate(`document.querySelector(':target').cells[0].textContent`), report.hazards[0].line);
  }
  // A click on a count leads to a request of that line, and what it costs is among what was counted.
  await chromium.click('.count:last-of-type');
  const [wanted, shown] = await evaluate(`[document.querySelector('.count:last-of-type').dataset.line, document.querySelector('#requests .line').textContent]`);
  equal('the line of the request', /:(\d+)/.exec(shown)[1], wanted);
  for (const [id, about, runs] of await evaluate(`['requests', 'paths'].map((id) => [id, explorables[id].about, explorables[id].recorded.runs])`)) await drive(id, about, runs);
  const times = report.kernels.filter((kernel) => kernel.predicted).map((kernel) => kernel.predicted);
  equal('times', await evaluate(`document.querySelectorAll('#times').length`), times.length ? 1 : 0);
  if (times.length) await drive('times', {kind: 'times'}, [{at: {}, times}]);
}

const pages = fs.readdirSync(site).filter((name) => /^(index|chapters_.*|docs_.*|emulator|common|course_tutor_lessons|CONTRIBUTING|files|classlab_1_1Ladder|device__functions_8hpp)\.html$/.test(name));
const explorable = pages.filter((page) => fs.readFileSync(path.join(site, page), 'utf8').includes('data-explore='));
chromium.on('Runtime.exceptionThrown', ({exceptionDetails}) => fault(exceptionDetails.exception?.description ?? exceptionDetails.text));
chromium.on('Runtime.consoleAPICalled', ({type, args}) => type === 'error' && fault(`console: ${args.map((arg) => arg.value).join(' ')}`));
chromium.on('Log.entryAdded', ({entry}) => entry.level === 'error' && fault(`${entry.text} ${entry.url ?? ''}`));
try {
  for (const page of pages) {
    await check_page(path.join(site, page));
    if (explorable.includes(page)) await check_figures();
    if (page === 'docs_cheat_sheet.html') await check_print(2);
  }
  if (explorable.length === 0) fault('no page has an explorable picture');
  await check_without_scripts(path.join(site, explorable[0]));
  await check_search();
  if (fs.existsSync(observed)) for (const name of ['chapter', 'own']) await check_observed(name);
  else console.log('no pages of observe --html: skipped');
} catch (error) {
  fault(String(error?.stack ?? error));
}
console.log(`${checked} pages, ${faults.length} faults`);
await chromium.close();
process.exit(faults.length ? 1 : 0);
