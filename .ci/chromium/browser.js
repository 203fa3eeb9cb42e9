// A folder served on this machine, and a headless Chromium that opens it.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import puppeteer from 'puppeteer-core';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** Serves a folder on a free port of this machine; returns the address and what ends it. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    const found = !path.includes('..') && existsSync(file) && statSync(file).isFile();
    response.writeHead(found ? 200 : 404, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain' });
    if (found) createReadStream(file).pipe(response);
    else response.end('not found');
  });
  await new Promise(listening => server.listen(0, '127.0.0.1', listening));
  return { address: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

/** Chromium, with WebGPU on its software adapter, or as it is on a machine without a GPU. */
export function open(program, { webgpu }) {
  const args = ['--no-sandbox', ...(webgpu ? ['--enable-unsafe-webgpu'] : [])];
  return puppeteer.launch({ executablePath: program, headless: true, args, protocolTimeout: 600_000 });
}
