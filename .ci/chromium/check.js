// Tests the built page in headless Chromium, and ends at the first failure:
//
//     node check.js FOLDER CHROMIUM [PICTURES]
//
// FOLDER has the page, CHROMIUM is the program. PICTURES is a folder for pictures of the page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { open, serve } from './browser.js';

const [folder, program, pictures] = process.argv.slice(2);
if (!folder || !program) {
  console.error('error: give the folder of the page and the program of Chromium');
  process.exit(2);
}

/** Long enough for the slowest machine, whose processor compiles and runs the GPU's programs. */
const LONG = 200_000;

const { address, close } = await serve(folder);
let browser = null;

/** A page that has just loaded its search. An error in its console fails the test. */
async function visit(query, { width = 1280, height = 1000, before = () => {} } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(LONG);
  page.complaints = [];
  page.on('pageerror', error => page.complaints.push(error.message));
  page.on('console', message => message.type() === 'error' && page.complaints.push(message.text()));
  await page.setViewport({ width, height });
  await before(page);
  await page.goto(address + query);
  await page.waitForFunction(() => {
    const [error, status] = ['#error', '#status'].map(id => document.querySelector(id));
    return !error.hidden || /to move|searching|over/.test(status.textContent);
  });
  return page;
}

async function leave(page) {
  assert.deepEqual(page.complaints, [], 'the page complains');
  await page.close();
}

const text = (page, selector) => page.$eval(selector, element => element.textContent);
const stones = page => page.$$eval('.stone', all => all.map(stone => stone.classList[1]).sort().join(''));
const isMyTurn = page =>
  page.waitForFunction(() => document.querySelector('#status').textContent.includes('your turn'));

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

async function step(name, work) {
  const began = performance.now();
  await work();
  console.log(`ok: ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

/** A search by a network of the library, whose file the page loads. */
async function searchByNetwork(page) {
  const result = await page.evaluate(async () => {
    const settings = { net: 'connect4', trees: 1, playouts: 1 };
    await window.mctsWgpu.ask({ ask: 'game', game: 'connect4', settings });
    return window.mctsWgpu.ask({ ask: 'search', steps: 20 });
  });
  assert.deepEqual([result.steps, result.report.net], [20, 'connect4']);
}

/** Plays without a mouse. */
async function playByKeys(page) {
  await isMyTurn(page);
  await page.focus('#board .cell[tabindex="0"]');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.column), '2');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.stone').length === 2);
  await isMyTurn(page);
  assert.equal(await stones(page), 'OX');
  assert.ok(await page.$('[data-row="5"][data-column="2"] .stone.X'), 'the disc falls into column 2');
  assert.match(page.url(), /game=connect4&moves=2,\d$/, 'the address has the moves');
}

/** The address sets the position up; a move by its name wins, and the line is shown. */
async function aLinkIsFollowed() {
  const page = await visit('?machine=cpu&side=XO&moves=3,2,3,2,3,2');
  await isMyTurn(page);
  assert.equal(await stones(page), 'OOOXXX');
  await page.type('[name=move]', '3');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('X wins'));
  assert.equal(await page.$$eval('.stone.wins', all => all.length), 4);
  await picture(page, 'link');
  await leave(page);
  const wrong = await visit('?machine=cpu&game=go&side=XO&moves=E5,Z9');
  assert.match(await text(wrong, '#error'), /move 2 of the address, Z9, is illegal/);
  assert.equal(await stones(wrong), 'X');
  await leave(wrong);
}

async function statisticsAreShown(page) {
  assert.equal(await page.$$eval('#actions tbody tr', rows => rows.length), 7);
  const facts = await text(page, '#facts');
  for (const fact of ['Best move', 'Depth', 'Steps', 'Playouts/s', 'Nodes']) assert.ok(facts.includes(fact), facts);
  assert.match(await text(page, '#line'), /: \d/);
  assert.match(await text(page, '#moves'), /1\. X 2.*2\. O \d \d+/);
}

/** The file that the page offers. */
async function saved(page) {
  const link = await page.evaluate(() => new Promise(clicked => {
    HTMLAnchorElement.prototype.click = function click() { clicked({ name: this.download, url: this.href }); };
    document.querySelector('#save').click();
  }));
  return { name: link.name, ...JSON.parse(decodeURIComponent(link.url.split(',').slice(1).join(','))) };
}

/** Some checks of verify. */
async function verified(page, filter, passed, seconds = 100) {
  await page.evaluate((...call) => window.mctsWgpu.verify(...call), seconds, filter);
  const result = await text(page, '#text');
  for (const name of passed) assert.match(result, new RegExp(`^  ${name} +passed `, 'm'), result);
  assert.match(result, new RegExp(`verify: ${passed.length} checks? passed, .*`), result);
  assert.match(await text(page, '#stage'), /nothing differs/);
}

async function onTheGpu() {
  browser = await open(program, { webgpu: true });
  const page = await visit('?machine=gpu&seconds=0.5&playouts=8&trees=2');
  assert.match(await text(page, '#machine'), /\(WebGPU\)/, await text(page, '#error'));
  await step('a game by keys, on the GPU', async () => {
    await playByKeys(page);
    await statisticsAreShown(page);
    await picture(page, 'gpu');
  });
  await step('a move back', async () => {
    await page.click('#undo');
    await page.waitForFunction(() => document.querySelectorAll('.stone').length === 0);
  });
  await step('what the GPU can verify in a short time', async () => {
    await verified(page, 'streams', ['streams']);
    await verified(page, 'integers', ['integers']);
    await verified(page, 'alpha-beta', ['alpha-beta']);
    await verified(page, 'fingerprints', ['fingerprints'], 30);
  });
  await step('a network, on the GPU', () => searchByNetwork(page));
  await leave(page);
  await browser.close();
}

async function onTheCpu() {
  browser = await open(program, { webgpu: false });
  const page = await visit('?seconds=0.5');
  assert.match(await text(page, '#machine'), /CPU engine.*(no WebGPU|no GPU)/);
  await step('a game by keys, without WebGPU', async () => {
    await playByKeys(page);
    await statisticsAreShown(page);
  });
  await step('what the CPU engine can verify', async () => {
    await verified(page, 'fingerprints', ['fingerprints']);
    await picture(page, 'verify');
  });
  await step('a search that is ended', async () => {
    await page.select('[name=seconds]', '15');
    const began = performance.now();
    await page.click('#hint');
    await page.waitForSelector('#stop:not(:disabled)');
    await page.click('#stop');
    await page.waitForSelector('#hint:not(:disabled)');
    assert.ok(performance.now() - began < 14_000, 'the search goes on');
    assert.ok(await page.$('.seen.best'), 'what it found is on the board');
  });
  await step('the benchmark', async () => {
    await page.click('#run');
    await page.waitForSelector('#progress:not([hidden])');
    await page.click('#cancel');
    await page.waitForSelector('#run:not(:disabled)');
    assert.match(await text(page, '#stage'), /Cancelled/);
    await page.evaluate(() => window.mctsWgpu.measure(0.05, 'connect4 '));
    const result = await text(page, '#text');
    assert.match(result, /^### CPU reference.*Chrome/);
    assert.match(result, /\| connect4 acp 8x128 \| - \| PASS \| [\d.]+/);
    assert.match(result, /\| connect4 rollout \| - \| PASS \| - \| - \| [\d.]+/);
    assert.match(await text(page, '#stage'), /all checks passed/);
    const { name, machines } = await saved(page);
    assert.match(name, /^cpu-reference-.*\.json$/);
    assert.ok(machines[0].cases.length > 4 && machines[0].cases.every(({ check }) => check === 'pass'));
    await picture(page, 'benchmark');
  });
  await step('a network, on the CPU', () => searchByNetwork(page));
  await leave(page);
  await step('a link with moves', aLinkIsFollowed);
  await step('other games, and small screens', smallScreens);
  await step('a machine that is not there, and files that are missing', failures);
  await browser.close();
}

async function smallScreens() {
  for (const [game, cells] of [['connect4', 42], ['othello', 64], ['gomoku', 225], ['go', 81]]) {
    const page = await visit(`?game=${game}&side=O&seconds=0.5`, { width: 360, height: 740 });
    await isMyTurn(page);
    assert.equal(await page.$$eval('.cell', all => all.length), cells);
    const [wide, board] = await page.evaluate(() => [
      document.documentElement.scrollWidth, document.querySelector('#board').getBoundingClientRect().width,
    ]);
    assert.ok(wide <= 360 && board > 280, `${game} is ${wide} wide, its board ${board}`);
    const small = await page.$$eval('button, select, summary, input', all => all.filter(target => {
      const { width, height } = target.getBoundingClientRect();
      return target.offsetParent && (width < 24 || height < 24);
    }).map(target => target.outerHTML));
    assert.deepEqual(small, [], `${game} has what no finger hits`);
    assert.equal(await page.$$eval('.cell.open', all => all.length), game === 'othello' ? 3 : 0);
    // The first answer to the search's move.
    await page.click('.cell[aria-disabled=false]');
    await page.waitForFunction(() => document.querySelectorAll('#moves li').length === 3);
    await isMyTurn(page);
    await picture(page, `small-${game}`);
    await leave(page);
  }
}

async function failures() {
  const noGpu = await visit('?machine=gpu');
  assert.match(await text(noGpu, '#error'), /no GPU is available here: choose the CPU/);
  await noGpu.select('[name=machine]', 'cpu');
  await isMyTurn(noGpu);
  assert.equal(await noGpu.$eval('#error', element => element.hidden), true);
  await leave(noGpu);
  const before = async page => {
    await page.setRequestInterception(true);
    page.on('request', request => {
      if (request.url().endsWith('.wasm')) request.respond({ status: 404 });
      else request.continue();
    });
  };
  const broken = await visit('', { before });
  assert.match(await text(broken, '#error'), /could not be loaded/);
  assert.equal(await broken.$$eval('.cell', all => all.length), 42, 'the board is there without the search');
  await broken.close();
}

try {
  await onTheCpu();
  await onTheGpu();
} catch (error) {
  console.error(`error: ${error.stack}`);
  process.exitCode = 1;
} finally {
  await browser?.close().catch(() => {});
  close();
}
