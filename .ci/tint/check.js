// Compiles every .wgsl file below the given folders with Tint, the compiler of Dawn and Chrome, and prints its errors:
//
//     node check.js FOLDER...
//
// No GPU is needed: Dawn's null backend has a device that checks everything and computes nothing.
// Exit code: 0 all compiled, 1 some were refused, 2 nothing could be checked.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'webgpu';

// Objects of the package must not be collected before the process ends: it crashes when one is.
const alive = [];
const keep = object => (alive.push(object), object);

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

function wgslFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.wgsl'));
  return files.map(file => join(file.parentPath ?? file.path, file.name)).sort();
}

async function openDevice() {
  const gpu = keep(create(['backend=null']));
  const adapter = keep(await gpu.requestAdapter()) ?? fail("Dawn's null backend has no adapter");
  return keep(await adapter.requestDevice({ requiredFeatures: ['subgroups'] }));
}

const SUBGROUP_OPERATION = /^.*\bsubgroup[A-Z]\w*\(.*$/gm;

/**
 * The texts that stand for a module. naga takes subgroup operations without the directive that the standard asks for.
 * Of those operations the standard asks less than Vulkan does: uniform control flow in a subgroup, where Vulkan's must
 * be uniform in the workgroup. A barrier before each of them asks for that.
 */
function textsOf(code) {
  if (code.search(SUBGROUP_OPERATION) < 0) return [code];
  const withBarriers = code.replace(SUBGROUP_OPERATION, line => `workgroupBarrier(); ${line}`);
  return [code, withBarriers].map(text => `enable subgroups; ${text}`);
}

/** Tint's errors in a text: `line: message` of each. */
async function errorsOf(device, code) {
  device.pushErrorScope('validation');
  const module = keep(device.createShaderModule({ code }));
  const info = keep(await module.getCompilationInfo());
  const failure = keep(await device.popErrorScope());
  const errors = [...info.messages].filter(message => message.type === 'error');
  if (errors.length === 0 && failure) return [`1: ${failure.message}`];
  return errors.map(({ lineNum, message }) => {
    const line = code.split('\n')[lineNum - 1] ?? '';
    return `${lineNum}: ${message}\n    ${line.trim()}`;
  });
}

const folders = process.argv.slice(2);
if (folders.length === 0) fail('name the folders to check');
let files = [];
try {
  files = folders.flatMap(wgslFiles);
} catch (error) {
  fail(error.message);
}
if (files.length === 0) fail(`no .wgsl file below ${folders.join(', ')}`);

const device = await openDevice();
// The same text under several names is compiled once.
const verdicts = new Map();
let refused = 0;
for (const file of files) {
  const code = readFileSync(file, 'utf8');
  if (!verdicts.has(code)) {
    const errors = [];
    for (const text of textsOf(code)) errors.push(...(await errorsOf(device, text)));
    verdicts.set(code, errors);
  }
  const errors = verdicts.get(code);
  if (errors.length > 0) refused += 1;
  for (const error of errors) console.log(`${file}:${error}`);
}
console.log(`Tint: ${files.length} modules, ${verdicts.size} different ones, ${refused} refused`);
process.exit(refused > 0 ? 1 : 0);
