// The user interface. The game and the search are in the worker.
import { RULES, STARTS, winningCells } from './games.js';

const $ = id => document.getElementById(id);
const settings = $('settings').elements;
const count = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const percent = q => `${(100 * q).toFixed(1)} %`;

// --- The worker ---------------------------------------------------------------------------------------------------

const worker = new Worker('./worker.js', { type: 'module' });
const waiting = new Map();
let lastId = 0;

/** Asks the worker; `hear` gets the news until the answer comes. */
function ask(request, hear = () => {}) {
  const id = ++lastId;
  return new Promise((answer, fail) => {
    waiting.set(id, { answer, fail, hear });
    worker.postMessage({ id, request });
  });
}

worker.onmessage = ({ data: { id, news, answer, error } }) => {
  const asked = waiting.get(id);
  if (news !== undefined) return asked.hear(news);
  waiting.delete(id);
  if (error === undefined) asked.answer(answer);
  else asked.fail(new Error(error));
};
worker.onerror = event => complain(new Error(`the search could not be loaded (${event.message ?? 'no worker'}): \
serve the whole folder, as it was built`));

/** Ends the worker's request; the answer has the results so far. */
const stopWork = () => worker.postMessage({ stop: true });

function complain(error) {
  opened = null;
  $('error').textContent = `Error: ${error.message}`;
  $('error').hidden = false;
}

function forgive() {
  $('error').hidden = true;
}

// --- Boards -------------------------------------------------------------------------------------------------------

const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';
const ALL_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** How a board is labelled: names of columns, and whether row 1 is the top one. */
const BOARDS = {
  'connect4': { lines: false, column: c => String(c), row: () => '' },
  'othello': { lines: false, column: c => ALL_LETTERS[c].toLowerCase(), row: r => String(r + 1) },
  'gomoku': { lines: true, column: c => ALL_LETTERS[c], row: (r, rows) => String(rows - r) },
  'go': { lines: true, column: c => LETTERS[c], row: (r, rows) => String(rows - r) },
};

/** A player's symbol with the colour of its stones. */
function named(symbol) {
  const colours = kind === 'connect4' ? { X: 'blue', O: 'orange' } : { X: 'black', O: 'white' };
  return `${symbol} (${colours[symbol]})`;
}

/** The name of the action that a click on a cell means. */
function actionName(row, column) {
  const { column: letter, row: number } = BOARDS[kind];
  return letter(column) + number(row, board.rows.length);
}

/** Where an action's stone comes to lie, as [row, column]; none for a pass. */
function placeOf(name) {
  const { rows } = board;
  for (let row = rows.length - 1; row >= 0; row -= 1) {
    for (let column = 0; column < rows[0].length; column += 1) {
      if (actionName(row, column) === name && (kind !== 'connect4' || rows[row][column] === '.')) return [row, column];
    }
  }
  return null;
}

let kind = 'connect4';
let board = null;
let lastPlace = null;
/** The results of searches of the game's positions, by the number of moves before a position. */
let results = [];
/** The position whose statistics are shown; null: the newest. */
let shown = null;
let isSearching = false;
/** The machine; null where there is none, or it may be broken. */
let opened = null;
let game = 0;
let measuring = false;
let focused = [0, 0];

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** A new board: its cells stay, so that the focus does. */
function layBoard() {
  const [rows, columns] = [board.rows.length, board.rows[0].length];
  const { lines, column: letter, row: number } = BOARDS[kind];
  const numbered = number(0, rows) !== '';
  $('rules').textContent = RULES[kind];
  const grid = $('board');
  grid.className = `${kind}${lines ? ' lines' : ''}`;
  grid.style.gridTemplateColumns = `${numbered ? '1.4em ' : ''}repeat(${columns}, minmax(0, 1fr))`;
  grid.setAttribute('aria-rowcount', rows);
  grid.setAttribute('aria-colcount', columns);
  const edge = text => element('span', { className: 'edge', ariaHidden: 'true', textContent: text });
  const made = board.rows.map((_, row) => {
    const line = element('div', { className: 'row', role: 'row' });
    if (numbered) {
      const label = edge(number(row, rows));
      label.style.gridArea = `${row + 1} / 1`;
      line.append(label);
    }
    for (let column = 0; column < columns; column += 1) {
      const cell = element('button', { type: 'button', className: 'cell', role: 'gridcell', tabIndex: -1 });
      Object.assign(cell.dataset, { row, column });
      cell.classList.toggle('top', row === 0);
      cell.classList.toggle('bottom', row === rows - 1);
      cell.classList.toggle('left', column === 0);
      cell.classList.toggle('right', column === columns - 1);
      line.append(cell);
    }
    return line;
  });
  const corner = edge('');
  corner.classList.add('corner');
  const letters = Array.from({ length: columns }, (_, column) => edge(letter(column)));
  grid.replaceChildren(...made, ...(numbered ? [corner] : []), ...letters);
  focused = [rows >> 1, columns >> 1];
  cellAt(focused).tabIndex = 0;
}

const cellAt = ([row, column]) => $('board').querySelector(`[data-row="${row}"][data-column="${column}"]`);

function drawBoard() {
  const seen = seenOnBoard();
  const isTurn = mayPlay();
  const won = board.outcome ? winningCells(kind, board.rows) : new Set();
  for (const cell of $('board').querySelectorAll('.cell')) {
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    const stone = board.rows[row][column];
    const name = actionName(row, column);
    const legal = isTurn && board.legal.some(move => move.name === name);
    const place = kind === 'connect4' ? `column ${column}, row ${board.rows.length - row}` : name;
    const mark = seen.get(`${row},${column}`);
    const parts = [];
    if (stone !== '.') {
      const last = lastPlace && lastPlace[0] === row && lastPlace[1] === column;
      const wins = won.has(`${row},${column}`) ? ' wins' : '';
      parts.push(element('span', { className: `stone ${stone}${last ? ' last' : ''}${wins}` }));
    } else if (mark) {
      const label = element('span', { className: 'seen', textContent: Math.round(100 * mark.q) });
      label.classList.toggle('best', mark.best);
      label.style.setProperty('--share', mark.share);
      parts.push(label);
    }
    cell.replaceChildren(...parts);
    const what = stone === '.' ? 'empty' : stone;
    cell.ariaLabel = `${place}: ${what}${mark ? `, q ${percent(mark.q)}` : ''}${legal ? ', playable' : ''}`;
    cell.setAttribute('aria-disabled', !legal);
    // Othello has few legal moves: they are marked.
    cell.classList.toggle('open', legal && kind === 'othello' && !mark);
  }
}

const byPlayouts = actions => [...actions].sort((a, b) => b.n - a.n || b.q - a.q);

/** The moves of the newest search that have more than a few playouts, by the cells that they fill. */
function seenOnBoard() {
  const marks = new Map();
  const result = results[board.moves.length];
  if (!result || (shown !== null && shown !== board.moves.length)) return marks;
  const { actions, best, n_root: all } = result.report;
  for (const action of byPlayouts(actions).slice(0, 12)) {
    const place = action.n > 0.005 * all && placeOf(action.name);
    if (place) marks.set(String(place), { q: action.q, share: action.n / all, best: action.index === best?.index });
  }
  return marks;
}

// --- The game -----------------------------------------------------------------------------------------------------

const human = () => settings.side.value;
const isHumansTurn = () => human().includes(board.turn);
const mayPlay = () => opened !== null && !board.outcome && isHumansTurn() && !measuring;
/** Games whose networks come along. */
const NETWORKS = ['connect4', 'go', 'gomoku', 'othello'];

/** What is left to the game and the machine is not named. */
function searchSettings() {
  const { variant, trees, playouts, evaluation, game } = settings;
  evaluation.disabled = !NETWORKS.includes(game.value);
  const net = evaluation.disabled ? '' : evaluation.value === 'net' ? game.value : evaluation.value;
  const sizes = [['trees', Number(trees.value)], ['playouts', Number(playouts.value)]];
  const given = [['variant', variant.value], ...sizes, ['net', net]];
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** Takes a new board over. */
function take(next, played) {
  lastPlace = played ?? null;
  board = next;
  shown = null;
  writeAddress();
  show();
}

/** The board of a game that has not begun, before the search is there. */
function layStart() {
  kind = settings.game.value;
  board = { rows: STARTS[kind], turn: 'X', outcome: null, score: '', legal: [], moves: [] };
  layBoard();
  drawBoard();
}

async function newGame() {
  // After an error, which may be that the GPU is gone.
  if (!opened) await openMachine();
  const own = ++game;
  stopWork();
  forgive();
  $('status').textContent = 'Setting up the search …';
  const wanted = settings.game.value;
  let next = await ask({ ask: 'game', game: wanted, settings: searchSettings() });
  next = await playAlong(next);
  if (own !== game) return;
  const isNew = kind !== wanted;
  [kind, results] = [wanted, []];
  board = next;
  if (isNew) layBoard();
  take(next);
  await goOn();
}

/** Makes the moves that the page's address has, once. */
async function playAlong(board) {
  const names = linked.splice(0);
  for (const [at, name] of names.entries()) {
    const move = board.legal.find(move => sameName(move.name, name));
    if (!move) {
      complain(new Error(`move ${at + 1} of the address, ${name}, is illegal: it and those after it are left out`));
      break;
    }
    board = await ask({ ask: 'play', action: move.index });
  }
  return board;
}

const sameName = (a, b) => a.toLowerCase() === b.trim().toLowerCase();

/** The address is a link to the position. */
function writeAddress() {
  const query = new URLSearchParams(location.search);
  query.set('game', kind);
  query.delete('moves');
  const moves = board.moves.map(move => move.name).join(',');
  history.replaceState(null, '', `?${query}${moves && `&moves=${moves}`}`);
}

/** Lets the engine move for as long as it is its turn. */
async function goOn() {
  const own = game;
  while (own === game && !board.outcome && !isHumansTurn() && !measuring) {
    const result = await search();
    if (own !== game) return;
    const { best, n_root: playouts, proven } = result.report;
    if (!best || (playouts === 0 && !proven)) {
      $('status').textContent =
        'The search was ended before its first step: undo, or start a new game with fewer playouts.';
      return;
    }
    await play(best);
  }
}

async function search() {
  const [own, number] = [game, board.moves.length];
  const update = result => {
    if (own !== game || results.length > number + 1) return;
    results[number] = result;
    show();
  };
  isSearching = true;
  show();
  try {
    const result = await ask({ ask: 'search', seconds: Number(settings.seconds.value), steps: null }, update);
    update(result);
    return result;
  } finally {
    isSearching = false;
    if (own === game) show();
  }
}

async function play({ index, name }) {
  const own = game;
  const place = placeOf(name);
  const next = await ask({ ask: 'play', action: index });
  if (own === game) take(next, place);
}

function playAt([row, column]) {
  const name = actionName(row, column);
  return playNamed(name, kind === 'connect4' ? `Column ${column} is full` : `${name} is no legal move`);
}

/** Plays the person's move, if it is legal. */
async function playNamed(name, whyNot) {
  if (!mayPlay()) return;
  const move = board.legal.find(move => sameName(move.name, name));
  if (!move) {
    $('status').textContent = `${whyNot}. ${statusText()}`;
    return;
  }
  stopWork();
  await play(move);
  await goOn();
}

/** Takes moves back until it is the player's turn again. */
async function undo() {
  const own = ++game;
  stopWork();
  do {
    const next = await ask({ ask: 'undo' });
    if (own !== game) return;
    results.length = next.moves.length + 1;
    take(next);
  } while (board.moves.length > 0 && !isHumansTurn() && human() !== '');
  await goOn();
}

async function openMachine() {
  $('machine').textContent = 'Looking for a GPU …';
  game += 1;
  stopWork();
  const machine = await ask({ ask: 'open', adapter: settings.machine.value });
  const info = await gpuInfo();
  machine.gpu = info;
  machine.name = machine.is_cpu ? 'CPU engine in WebAssembly, one thread' : `${info} (WebGPU)`;
  const why = machine.is_cpu && settings.machine.value !== 'cpu' ? noGpu(info) : '';
  $('machine').textContent = `Runs on: ${machine.name}. ${why}`;
  opened = machine;
}

/** Why there is no GPU, and what to do. */
function noGpu(info) {
  if (!window.isSecureContext) return 'Browsers give pages a GPU only through https or from localhost.';
  if (!navigator.gpu) return 'This browser has no WebGPU; newer ones have: the same trees, more slowly here.';
  if (info === NO_GPU) {
    return 'The browser has no GPU to give: is hardware acceleration switched on? The same trees, more slowly here.';
  }
  return 'The browser offers only a GPU that is computed by the processor, which is slower than this. The same trees.';
}

const NO_GPU = 'no GPU';

/** The GPU's properties, where the browser has them. */
async function gpuInfo() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  if (!adapter) return NO_GPU;
  const { vendor, architecture, device, description } = adapter.info ?? {};
  const words = [vendor, architecture, device, description].filter(word => word);
  return words.join(' ') || 'a GPU that the browser does not name';
}

// --- What is shown ------------------------------------------------------------------------------------------------

function statusText() {
  if (!board) return '';
  const score = board.score ? ` ${board.score}.` : '';
  if (board.outcome) {
    const won = human().length === 1 && board.outcome !== 'a draw';
    const whose = won ? (board.outcome.startsWith(human()) ? ' You win.' : ' The search wins.') : '';
    return `Game over: ${board.outcome}.${whose}${score}`;
  }
  const passed = board.moves.at(-1)?.name === 'pass' ? `${named(board.turn === 'X' ? 'O' : 'X')} has passed. ` : '';
  if (measuring) return 'The game waits for the measurement.';
  if (isSearching) return `${passed}${named(board.turn)}: searching …`;
  return `${passed}${named(board.turn)} to move${isHumansTurn() ? ': your turn' : ''}.`;
}

function show() {
  if (!board) return;
  drawBoard();
  $('status').textContent = statusText();
  $('undo').disabled = board.moves.length === 0 || measuring;
  $('new').disabled = measuring;
  $('hint').disabled = !mayPlay() || isSearching;
  $('stop').disabled = !isSearching;
  const pass = board.legal.find(move => move.name === 'pass');
  $('pass').hidden = !BOARDS[kind] || !['go', 'othello'].includes(kind);
  $('pass').disabled = !pass || !mayPlay();
  showResult();
  showMoves();
}

/** The number of the position whose statistics are shown. */
function shownNumber() {
  if (shown !== null) return shown;
  return results[board.moves.length] ? board.moves.length : results.findLastIndex(result => result);
}

function showResult() {
  const number = shownNumber();
  const result = results[number];
  for (const id of ['facts', 'line', 'actions', 'all']) $(id).hidden = !result;
  if (!result) {
    $('of-what').textContent = 'No search yet: the engine searches on its turn, or when you let it analyse yours.';
    return;
  }
  const { report, steps, playouts, seconds } = result;
  const { trees_info: trees, best, proven, proven_in: plies } = report;
  const turn = report.position.turn;
  $('of-what').textContent = `Move ${number + 1}, ${turn} to move: what it found in ${seconds.toFixed(1)} s`;
  const facts = {
    'Best move': best ? `${best.name} (q ${percent(best.q)})` : 'none',
    'Proven': proven ? `${proven} for ${turn} in ${plies}` : 'nothing yet',
    'Depth': `${trees.mean_depth.toFixed(1)} mean, ${trees.max_depth} greatest`,
    'Steps': count.format(steps),
    'Playouts': short.format(playouts),
    'Playouts/s': short.format(playouts / seconds),
    'Nodes': `${short.format(trees.count * trees.mean_size)} in ${trees.count} trees${trees.full ? ', full' : ''}`,
    'Schedule': report.engine.schedule,
  };
  const pairs = Object.entries(facts);
  $('facts').replaceChildren(...pairs.map(([name, value]) =>
    element('div', {}, element('dt', { textContent: name }), element('dd', { textContent: value }))));
  $('line').textContent = `Expected line: ${report.principal_variation.map(move => move.name).join(' ')}`;
  showActions(report);
}

const FEW = 9;
let showsAll = false;

function showActions({ actions, best, n_root: all }) {
  const sorted = byPlayouts(actions);
  const most = sorted[0]?.n || 1;
  const rows = (showsAll ? sorted : sorted.slice(0, FEW)).map(action => {
    const bar = element('span', { className: 'bar' });
    bar.style.width = `${100 * action.n / most}%`;
    bar.title = percent(action.n / (all || 1));
    const q = action.n === 0 ? '–' : percent(action.q);
    const proven = action.proven ? ` ${action.proven}` : '';
    const row = element('tr', { className: action.index === best?.index ? 'best' : '' });
    row.append(...[action.name, count.format(action.n), q + proven].map(text => element('td', { textContent: text })));
    row.append(element('td', {}, bar));
    return row;
  });
  $('actions').tBodies[0].replaceChildren(...rows);
  $('all').hidden = sorted.length <= FEW;
  $('all').textContent = showsAll ? 'Fewer moves' : `All ${sorted.length} moves`;
  $('all').ariaExpanded = String(showsAll);
}

function showMoves() {
  const number = shownNumber();
  const buttons = board.moves.map(({ name }, at) => {
    const best = results[at]?.report.best;
    const text = `${at + 1}. ${at % 2 === 0 ? 'X' : 'O'} ${name}${best ? ` ${Math.round(100 * best.q)}` : ''}`;
    const button = element('button', { type: 'button', textContent: text, disabled: !results[at] });
    button.title = best ? 'show the results of this search' : 'not searched';
    button.ariaPressed = String(at === number);
    button.onclick = () => { shown = at; show(); };
    return element('li', {}, button);
  });
  // A list that does not change keeps the focus.
  const key = board.moves.map((move, at) => `${move.name}${Boolean(results[at])}${at === number}`).join();
  if ($('moves').dataset.key !== key) $('moves').replaceChildren(...buttons);
  $('moves').dataset.key = key;
  $('moves-title').hidden = board.moves.length === 0;
  showCurve();
}

/** The share of playouts that X wins, over the moves of the game. */
function showCurve() {
  const known = results.flatMap((result, at) => {
    const { best, position } = result?.report ?? {};
    return best ? [[at, position.turn === 'X' ? best.q : 1 - best.q]] : [];
  });
  $('course').hidden = known.length < 2;
  const last = Math.max(1, ...known.map(([at]) => at));
  $('last-move').textContent = `move ${last + 1}`;
  const points = known.map(([at, q]) => `${100 * at / last},${30 * (1 - q)}`).join(' ');
  const half = '<line class="half" x1="0" y1="15" x2="100" y2="15"></line>';
  $('curve').innerHTML = `${half}<polyline points="${points}"></polyline>`;
  const now = known.at(-1);
  if (now) $('curve').setAttribute('aria-label', `Share of wins for X, move by move; now ${percent(now[1])}`);
}

// --- The benchmark ------------------------------------------------------------------------------------------------

/** The last result of the benchmark as a file of JSON; none after a verification. */
let measuredFile;

/** No check begins later. */
const VERIFY_SECONDS = 100;

/** Long work that has the machine to itself, and ends with a text and a verdict. */
async function measured(work) {
  if (!opened) throw new Error('there is no machine to measure: choose one at "Runs on", or start a new game');
  forgive();
  measuring = true;
  game += 1;
  stopWork();
  show();
  for (const id of ['run', 'verify']) $(id).disabled = true;
  [$('cancel').disabled, $('progress').hidden, $('result').hidden] = [false, false, true];
  const part = what => ({ done, of, next }) => {
    $('progress').value = done / of;
    $('stage').textContent = `${what} ${done + 1} of ${of}: ${next}`;
  };
  try {
    const { text, verdict, file } = await work(part);
    $('text').textContent = text;
    measuredFile = file;
    $('save').hidden = !file;
    $('result').hidden = false;
    $('stage').textContent = `Done: ${verdict}`;
    $('progress').value = 1;
  } catch (error) {
    $('stage').textContent = error.message === 'stopped' ? 'Cancelled.' : '';
    if (error.message !== 'stopped') throw error;
  } finally {
    measuring = false;
    for (const id of ['run', 'verify']) $(id).disabled = false;
    $('cancel').disabled = true;
    show();
  }
  await goOn();
}

/** The quick cases of the benchmark. */
const measure = (seconds, filter = '') => measured(async part => {
  const seen = { adapter: opened.is_cpu ? '' : opened.gpu, system: navigator.userAgent };
  const { name, markdown, report } = await ask({ ask: 'bench', seconds, filter, seen }, part('Case'));
  const failed = report.machines[0].cases.filter(({ check }) => check === 'fail');
  const verdict = failed.length === 0 ? 'all checks passed.' : `${failed.length} results are wrong!`;
  return { text: markdown, verdict, file: { name: `${name}.json`, report } };
});

/** Every part of the search against known results. */
const verify = (seconds, filter = '') => measured(async part => {
  const report = await ask({ ask: 'verify', seconds, filter }, part('Check'));
  return { text: reportText(report), verdict: report.ok ? 'nothing differs.' : 'something differs!' };
});

function reportText({ checks, verdict }) {
  const lines = [
    `mcts-wgpu ${opened.version} in a browser, ${new Date().toISOString().slice(0, 10)}`,
    `adapter: ${opened.name}`,
    `browser: ${navigator.userAgent}`,
    '',
  ];
  for (const { name, result, compared, unit, differences, left_out: leftOut, seconds } of checks) {
    lines.push(`  ${name.padEnd(14)} ${result.padEnd(9)} ${count.format(compared)} ${unit} (${seconds.toFixed(1)} s)`);
    for (const { case: where, first } of differences) lines.push(`    ${where}: ${first}`);
    for (const what of leftOut) lines.push(`    left out: ${what}`);
  }
  return [...lines, '', verdict].join('\n');
}

function saveResult() {
  const { name, report } = measuredFile;
  const json = encodeURIComponent(`${JSON.stringify(report, null, 2)}\n`);
  element('a', { href: `data:application/json,${json}`, download: name }).click();
}

async function copyResult() {
  try {
    await navigator.clipboard.writeText($('text').textContent);
    $('stage').textContent = 'Copied.';
  } catch {
    getSelection().selectAllChildren($('text'));
    $('stage').textContent = 'The browser does not let the page copy: the text is selected, copy it by hand.';
  }
}

// --- Clicks and keys ----------------------------------------------------------------------------------------------

/** What an event starts; errors are shown. */
const does = work => (...event) => Promise.resolve(work(...event)).catch(complain);

$('board').onclick = does(event => {
  const cell = event.target.closest('.cell');
  if (!cell) return undefined;
  moveFocus([Number(cell.dataset.row), Number(cell.dataset.column)]);
  return playAt(focused);
});

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

$('board').onkeydown = event => {
  const step = STEPS[event.key];
  const [row, column] = focused;
  const [rows, columns] = [board.rows.length, board.rows[0].length];
  const within = (place, end) => Math.min(end - 1, Math.max(0, place));
  let next = null;
  if (step) next = [within(row + step[0], rows), within(column + step[1], columns)];
  if (event.key === 'Home') next = [row, 0];
  if (event.key === 'End') next = [row, columns - 1];
  if (!next) return;
  event.preventDefault();
  moveFocus(next);
  cellAt(focused).focus();
};

function moveFocus(place) {
  cellAt(focused).tabIndex = -1;
  focused = place;
  cellAt(focused).tabIndex = 0;
}

$('new').onclick = does(newGame);
$('undo').onclick = does(undo);
$('pass').onclick = does(async () => {
  const pass = board.legal.find(move => move.name === 'pass');
  stopWork();
  await play(pass);
  await goOn();
});
$('by-name').onsubmit = does(async event => {
  event.preventDefault();
  const { move } = event.target.elements;
  const name = move.value.trim();
  if (name === '') return;
  move.value = '';
  await playNamed(name, `${name} is no legal move`);
});
$('hint').onclick = does(search);
$('stop').onclick = stopWork;
$('all').onclick = () => { showsAll = !showsAll; show(); };
$('run').onclick = does(() => measure(Number($('bench-seconds').value)));
$('verify').onclick = does(() => verify(VERIFY_SECONDS));
$('cancel').onclick = stopWork;
$('copy').onclick = does(copyResult);
$('save').onclick = saveResult;
$('settings').onsubmit = event => event.preventDefault();
$('settings').onchange = does(async ({ target }) => {
  if (measuring) return undefined;
  if (target.name === 'machine') await openMachine();
  if (target.name === 'seconds') return undefined;
  if (target.name !== 'side' || !board) return newGame();
  game += 1;
  stopWork();
  show();
  return goOn();
});

// --- The beginning ------------------------------------------------------------------------------------------------

/** The address may have values of the form, and moves to begin with: ?game=go&machine=cpu&seconds=2&moves=E5,C3. */
const linked = (new URLSearchParams(location.search).get('moves') ?? '').split(',').filter(name => name);
for (const [name, value] of new URLSearchParams(location.search)) {
  const field = settings[name];
  if (field?.tagName === 'SELECT' && ![...field.options].some(option => option.value === value)) continue;
  if (field) field.value = value;
}

/** For scripts that test the page. */
window.mctsWgpu = { ask, measure, verify };

await does(async () => {
  layStart();
  await openMachine();
  await newGame();
})();
