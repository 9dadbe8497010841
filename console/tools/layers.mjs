/**
 * Imports point one way: app → features → resource → ui → lib → generated; no feature imports another; islands (heavy, lazy)
 * may use ui and lib; no files import each other in a circle (lazy imports count). Raw colours live in tokens.css only. Exit code 1 lists every breach.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = new URL('../src', import.meta.url).pathname;
const MAY_USE = {
  app: ['app', 'features', 'resource', 'ui', 'lib', 'generated', 'islands'],
  features: ['features', 'resource', 'ui', 'lib', 'generated', 'islands'],
  islands: ['islands', 'ui', 'lib', 'generated'],
  resource: ['resource', 'ui', 'lib', 'generated'],
  ui: ['ui', 'lib'],
  lib: ['lib', 'generated'],
  generated: ['generated'],
  test: ['app', 'features', 'resource', 'ui', 'lib', 'generated', 'test'],
};
const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
const COLOUR = /#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(/;
const COLOUR_FREE = /\.(?:tsx|css)$/;

function* files(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (/\.(?:tsx?|css)$/.test(name)) yield path;
  }
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Circles of files that import each other, each once: a walk in depth that meets a file which is still open. */
function circles(graph) {
  const found = [];
  const closed = new Set();
  const open = [];
  const visit = (file) => {
    if (open.includes(file)) found.push([...open.slice(open.indexOf(file)), file]);
    if (closed.has(file) || open.includes(file)) return;
    open.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    open.pop();
    closed.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

const breaches = [];
/** File → files that it imports, all relative to src. */
const imports = new Map();
for (const path of files(ROOT)) {
  const here = relative(ROOT, path);
  const [layer, area] = here.split('/');
  const text = readFileSync(path, 'utf8');
  const isTest = /\.test\.tsx?$/.test(path);
  if (COLOUR_FREE.test(path) && !isTest && here !== 'ui/tokens.css') {
    text.split('\n').forEach((line, index) => {
      if (COLOUR.test(line) && !/(?:href|to|import|['"]#\/)/.test(line))
        breaches.push(`${here}:${index + 1}: raw colour: ${line.trim()}`);
    });
  }
  if (!(layer in MAY_USE)) continue;
  if (!isTest) imports.set(here, new Set());
  for (const [, target] of text.matchAll(IMPORT)) {
    let to;
    if (target.startsWith('#/')) to = target.slice(2);
    else if (target.startsWith('.')) to = relative(ROOT, resolve(dirname(path), target));
    else continue;
    const file = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].find((end) => isFile(join(ROOT, to + end)));
    if (file !== undefined) imports.get(here)?.add(to + file);
    const [toLayer, toArea] = to.split('/');
    const allowed = isTest ? [...MAY_USE[layer], 'test'] : MAY_USE[layer];
    if (toLayer in MAY_USE && !allowed.includes(toLayer))
      breaches.push(`${here}: ${layer} must not import ${to}`);
    if (layer === 'features' && toLayer === 'features' && area !== toArea)
      breaches.push(`${here}: feature ${area} must not import feature ${toArea}`);
  }
}
for (const circle of circles(imports)) breaches.push(`circle of imports: ${circle.join(' → ')}`);
if (breaches.length > 0) {
  console.error(breaches.join('\n'));
  process.exit(1);
}
console.log('layers: imports point one way, colours live in tokens.css');
