/**
 * Every text exists in Chinese and English with the same placeholders, every key that the code names exists, and every key is used.
 * English counts by `_one` and `_other`.
 * Keys built at run time are declared beside the code, `// i18n: namespace:prefix.*`, or are named with a star: `'nav:label_*'`.
 * An argument names another folder than `src` (the check's own test uses it).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = process.argv[2] ?? new URL('../src', import.meta.url).pathname;

function* walk(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* walk(path);
    else yield path;
  }
}

function flatten(tree, prefix, into) {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') into.set(prefix + key, value);
    else flatten(value, `${prefix}${key}.`, into);
  }
  return into;
}

const PLURAL = /_(?:one|other|zero)$/;
/** English words that follow a number and change with it; units (`min`, `KB`) do not. */
const COUNTED = /\{\{count\}\} (?:[a-z]+ )?(?:[a-z]{2,}s|people)\b/;
const UNCHANGED = /\{\{count\}\} (?:is|was)\b/;
const texts = { zh: new Map(), en: new Map() };
const problems = [];
let code = '';
for (const path of walk(ROOT)) {
  const locale = /locales\/(zh|en)\.json$/.exec(path);
  if (locale) {
    const namespace = basename(dirname(dirname(path)));
    const all = flatten(JSON.parse(readFileSync(path, 'utf8')), `${namespace}:`, new Map());
    for (const [key, value] of all) {
      const name = key.replace(PLURAL, '');
      if (locale[1] === 'en' && !PLURAL.test(key) && COUNTED.test(value) && !UNCHANGED.test(value))
        problems.push(`en: ${key} counts, but has no _one and _other`);
      if (locale[1] === 'en' && key.endsWith('_one') && !all.has(key.replace(PLURAL, '_other')))
        problems.push(`en: ${key} has no _other beside it`);
      if (value.trim() === '') problems.push(`${locale[1]}: ${key} is empty`);
      texts[locale[1]].set(name, `${texts[locale[1]].get(name) ?? ''}${value}`);
    }
  } else if (/\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)) code += readFileSync(path, 'utf8');
}

const holes = (text) =>
  [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]))].sort().join();
for (const [key, text] of texts.zh) {
  const other = texts.en.get(key);
  if (other === undefined) problems.push(`en: ${key} is missing`);
  else if (holes(text) !== holes(other))
    problems.push(`${key}: placeholders differ (${holes(text)} / ${holes(other)})`);
}
for (const key of texts.en.keys()) if (!texts.zh.has(key)) problems.push(`zh: ${key} is missing`);

const named = new Set(
  [...code.matchAll(/['"`]([a-z][a-z0-9_-]*:[a-zA-Z0-9_.]+)['"`]/g)].map((match) => match[1]),
);
const prefixes = [...code.matchAll(/(?:i18n: |['"`])([\w-]+:[\w.]*)\*/g)].map((match) => match[1]);
const namespaces = new Set([...texts.zh.keys()].map((key) => key.split(':')[0]));
for (const key of named) {
  if (namespaces.has(key.split(':')[0]) && !texts.zh.has(key))
    problems.push(`code names ${key}, which does not exist`);
}
for (const prefix of prefixes) {
  const known =
    !namespaces.has(prefix.split(':')[0]) || [...texts.zh.keys()].some((key) => key.startsWith(prefix));
  if (!known) problems.push(`code names ${prefix}*, of which none exists`);
}
for (const key of texts.zh.keys()) {
  if (!named.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)))
    problems.push(`${key} is not used`);
}
if (problems.length > 0) {
  console.error(problems.sort().join('\n'));
  process.exit(1);
}
console.log(`locales: ${texts.zh.size} texts in both languages, all used`);
