// The thread of the search, so that the page stays responsive.
//
// From the page: { id, request }; { stop: true } ends the request in progress.
// To the page:   { id, news }, then { id, answer } or { id, error }; all but the error are parsed from JSON.
import init, { RequestHandler } from './mcts_wgpu.js';

let handler;
let stopped = false;
const loaded = new Set();
let queue = Promise.resolve();

async function load() {
  try {
    await init();
  } catch (error) {
    throw new Error(`the search could not be loaded (${error.message}): serve the whole folder, as it was built`);
  }
  return new RequestHandler();
}

/** Networks come when a request needs them first. */
async function loadNetworks(request) {
  for (const name of handler.networks(request)) {
    if (loaded.has(name)) continue;
    const file = await fetch(`${name}.safetensors`);
    if (!file.ok) throw new Error(`the network ${name} could not be loaded: serve the whole folder, as it was built`);
    handler.provide(name, new Uint8Array(await file.arrayBuffer()));
    loaded.add(name);
  }
}

async function answer({ id, request }) {
  const listener = news => {
    if (news !== undefined) postMessage({ id, news: JSON.parse(news) });
    return stopped;
  };
  stopped = false;
  try {
    handler ??= await load();
    const asked = JSON.stringify(request);
    await loadNetworks(asked);
    postMessage({ id, answer: JSON.parse(await handler.handle(asked, listener)) });
  } catch (error) {
    const broken = error instanceof WebAssembly.RuntimeError;
    const message = broken ? `the program has broken (${error.message}): reload the page` : error.message;
    postMessage({ id, error: message ?? String(error) });
  }
}

onmessage = ({ data }) => {
  if (data.stop) stopped = true;
  else queue = queue.then(() => answer(data));
};
