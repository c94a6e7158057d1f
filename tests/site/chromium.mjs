// A headless Chromium, spoken to over its pipe.
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/// {send, evaluate, open, look, click, key, on, close}, or null where there is no Chromium.
export async function start_chromium() {
  const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
  if (!program) return null;
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  // Pages are opened once, and nobody goes back: neither is kept for that, nor a process held ready.
  const browser = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-extensions',
    '--disable-background-networking', '--disable-component-update', '--no-zygote', '--renderer-process-limit=1',
    '--disable-features=BackForwardCache,PaintHolding,SpareRendererForSitePerProcess', '--remote-debugging-pipe', `--user-data-dir=${profile}`],
  {detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
  const answers = new Map(), listeners = new Map();
  let last = 0, session, rest = '';
  browser.stdio[4].on('data', (data) => {
    const messages = (rest + data).split('\0');
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      if (!message.id) { listeners.get(message.method)?.(message.params); continue; }
      answers.get(message.id)(message);
      answers.delete(message.id);
    }
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    answers.set(++last, (answer) => answer.error ? reject(new Error(`${method}: ${answer.error.message}`)) : resolve(answer.result));
    browser.stdio[3].write(JSON.stringify({id: last, method, params, sessionId: session}) + '\0');
  });
  async function evaluate(expression) {
    const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async function open(file) {
    const loaded = new Promise((resolve) => listeners.set('Page.loadEventFired', resolve));
    await send('Page.navigate', {url: 'file://' + path.resolve(file).split('/').map(encodeURIComponent).join('/')});
    await loaded;
  }
  const look = (width, theme) => Promise.all([
    send('Emulation.setDeviceMetricsOverride', {width, height: 600, deviceScaleFactor: 1, mobile: width < 500}),
    send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: theme}]})]);
  async function key(name) {
    for (const type of ['keyDown', 'keyUp'])
      await send('Input.dispatchKeyEvent', {type, key: name, code: name, windowsVirtualKeyCode: {ArrowLeft: 37, ArrowRight: 39, Enter: 13}[name]});
  }
  /// In its middle, once the page no longer moves: pictures above it may still come, and scrolling takes its time.
  async function click(selector) {
    let before, x, y;
    do {
      before = [x, y].join();
      [x, y] = await evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
        e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    } while (before !== [x, y].join());
    for (const type of ['mousePressed', 'mouseReleased']) await send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
  }
  // Its other processes may outlive it for a moment and write into the profile, so all are ended first; and what
  // appears while a folder is emptied (rmSync's own retries do not look again) is taken on the next attempt.
  async function close() {
    const gone = new Promise((resolve) => browser.on('exit', resolve));
    browser.kill();
    await gone;
    try { process.kill(-browser.pid, 'SIGKILL'); } catch { /* none is left */ }
    for (let attempt = 0; fs.existsSync(profile) && attempt < 50; ++attempt) {
      try { fs.rmSync(profile, {recursive: true, force: true}); }
      catch { await new Promise((resolve) => setTimeout(resolve, 100)); }
    }
  }
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  session = (await send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  return {send, evaluate, open, look, key, click, on: (event, listener) => listeners.set(event, listener), close};
}
