/**
 * Imports point one way: app → features → domain → resource → ui → lib → generated; no feature imports another; islands (heavy,
 * lazy) may use ui and lib; no files import each other in a circle (lazy imports count). Raw colours live in tokens.css only.
 * Resources name the path of their list, so that their names are checked, and cast nothing.
 * The kit (resource, ui) knows no kind of object by name, and no browser's own date input. Exit code 1 lists every breach.
 * An argument names another folder than `src` (the check's own test uses it).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = process.argv[2] ?? new URL('../src', import.meta.url).pathname;
const MAY_USE = {
  app: ['app', 'features', 'domain', 'resource', 'ui', 'lib', 'generated', 'islands'],
  features: ['features', 'domain', 'resource', 'ui', 'lib', 'generated', 'islands'],
  domain: ['domain', 'resource', 'ui', 'lib', 'generated'],
  islands: ['islands', 'ui', 'lib', 'generated'],
  resource: ['resource', 'ui', 'lib', 'generated'],
  ui: ['ui', 'lib'],
  lib: ['lib', 'generated'],
  generated: ['generated'],
  test: ['app', 'features', 'domain', 'resource', 'ui', 'lib', 'generated', 'test'],
};
const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
const COLOUR = /#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(/;
const BROWSER_DATES = /type=["'{]+(?:date|time|datetime-local|month|week)\b|showPicker\(/;
const KIT = new Set(['resource', 'ui']);
/** Kinds of object and factors of ours: a list, form or dialog that names one serves that one only. */
const STRANGER =
  /(?<![a-z])(?:mfa|otp|assets?|ssh|system.?users?|platforms?|credentials?|passkeys?|replays?)(?![a-z])/i;
const COLOUR_FREE = /\.(?:tsx|css)$/;

function* files(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (/\.(?:tsx?|css)$/.test(name)) yield path;
  }
}

/** Code without comments and without what is shown or styled by name: style classes, and texts of the ssh key format. */
function bare(text) {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/(?<!:)\/\/.*$/gm, '');
}

/** Words of a line: camelCase and snake_case taken apart. */
function words(line) {
  return line.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
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
  if (KIT.has(layer) && !isTest && /\.tsx?$/.test(path)) {
    bare(`// ${here}\n${text}`)
      .split('\n')
      .forEach((line, index) => {
        if (STRANGER.test(words(line)))
          breaches.push(`${here}:${index}: the kit names a kind of object: ${line.trim()}`);
      });
    if (STRANGER.test(words(here))) breaches.push(`${here}: the kit names a kind of object in a path`);
  }
  if (path.endsWith('.tsx') && BROWSER_DATES.test(text))
    breaches.push(`${here}: use ui/dates instead of the browser's date input`);
  if (layer === 'features' && !isTest && /(?:defineResource|definePlain)(?:<\w+>)?\(/.test(text))
    breaches.push(`${here}: the resource names no path: its columns, fields and filters are not checked`);
  if (/\.resource\.tsx?$/.test(path) && /\bas (?!const\b|\{)[A-Z]\w*|: any\b|as any\b/.test(bare(text)))
    breaches.push(`${here}: a cast or any hides wrong names in a resource`);
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
