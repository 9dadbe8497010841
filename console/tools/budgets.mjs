/**
 * Weight gates from the build's manifest, in KB of brotli: what a cold visit of a screen downloads.
 * Screens are named by the modules that they load; texts and styles count as well. A list is counted with all that its
 * feature's definitions load, also those of its other lists.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';

const DIST = new URL('../dist/', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, 'utf8'));
const ENTRY = 'index.html';

/** Key of a chunk that vite.config.ts names itself. */
function chunk(name) {
  const found = Object.keys(manifest).find((key) => manifest[key].name === name);
  if (!found) throw new Error(`budgets: there is no chunk ${name}`);
  return found;
}
/** Texts of a feature; Chinese, which is the larger one. */
const texts = (feature) => `src/features/${feature}/locales/zh.json`;

const SIGN_IN = ['src/features/signin/SignInPage.tsx', chunk('texts-zh'), texts('signin')];
const FRAME = ['list', 'texts-zh', 'list-texts-zh'].map(chunk);
/** Every feature with lists made of definitions. */
const LISTS = Object.keys(manifest).filter((key) =>
  /^src\/features\/[^/]+\/([a-z-]+-)?screens\.tsx$/.test(key),
);
const BUDGETS = [
  { name: 'sign-in', js: 130, css: 10, modules: SIGN_IN },
  ...LISTS.map((screens) => {
    const feature = screens.split('/')[2];
    const part = screens.split('/')[3].replace(/-?screens\.tsx$/, '');
    const name = `lists of ${part ? `${feature}, ${part}` : feature}`;
    return { name, js: 192, css: 10, modules: [...FRAME, screens, texts(feature)] };
  }),
];
const CHUNK_KB = 40;
const ISLAND_KB = 110;
const FONT_BYTES = 60_000;

/** What the web server sends: the compressed file, or the file itself where the build left none beside it. */
function sentBytes(path) {
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

const sizes = new Map();
function kilobytes(file) {
  if (!sizes.has(file)) sizes.set(file, sentBytes(DIST + file) / 1000);
  return sizes.get(file);
}

/** Files that these modules load at once, without their lazy parts. */
function closure(modules) {
  const files = { js: new Set(), css: new Set() };
  const seen = new Set();
  const visit = (key) => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    if (!chunk) throw new Error(`budgets: ${key} is not in the manifest`);
    files.js.add(chunk.file);
    for (const style of chunk.css ?? []) files.css.add(style);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const key of [ENTRY, ...modules]) visit(key);
  return files;
}

const failures = [];
function gate(name, actual, limit) {
  const line = `${name.padEnd(44)} ${actual.toFixed(1).padStart(7)} of ${limit} KB`;
  console.log(line);
  if (actual > limit) failures.push(line);
}

for (const budget of BUDGETS) {
  const files = closure(budget.modules);
  const sum = (set) => [...set].reduce((total, file) => total + kilobytes(file), 0);
  gate(`${budget.name}: scripts`, sum(files.js), budget.js);
  gate(`${budget.name}: styles`, sum(files.css), budget.css);
}
const shared = closure(FRAME).js;
for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry || !chunk.file.endsWith('.js') || shared.has(chunk.file)) continue;
  const island = key.startsWith('src/islands/') || key.startsWith('node_modules/');
  const size = kilobytes(chunk.file);
  const limit = island ? ISLAND_KB : CHUNK_KB;
  if (size > limit * 0.75) gate(key, size, limit);
}
for (const chunk of Object.values(manifest)) {
  if (!chunk.file.endsWith('.woff2') || !existsSync(DIST + chunk.file)) continue;
  const bytes = readFileSync(DIST + chunk.file).length;
  if (bytes > FONT_BYTES) failures.push(`${chunk.file}: ${bytes} bytes of font, ${FONT_BYTES} allowed`);
}
if (failures.length > 0) {
  console.error(`over budget:\n${failures.join('\n')}`);
  process.exit(1);
}
