import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const CHECK = resolve('tools/locales.mjs');
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the check over a feature with these texts and this code. */
function check(zh: object, en: object, code: string) {
  const root = mkdtempSync(join(tmpdir(), 'locales-'));
  made.push(root);
  mkdirSync(join(root, 'thing', 'locales'), { recursive: true });
  writeFileSync(join(root, 'thing', 'locales', 'zh.json'), JSON.stringify(zh));
  writeFileSync(join(root, 'thing', 'locales', 'en.json'), JSON.stringify(en));
  writeFileSync(join(root, 'thing', 'Thing.tsx'), code);
  const { status, stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  return { status, said: stderr.trim() };
}
const USE = "t('thing:name')";

test('texts that exist in both languages and are used pass', () => {
  expect(check({ name: '名称' }, { name: 'Name' }, USE)).toEqual({ status: 0, said: '' });
});

test('[S1-061] a text that is missing in either language fails the check', () => {
  expect(check({ name: '名称' }, {}, USE)).toEqual({ status: 1, said: 'en: thing:name is missing' });
  const withoutChinese = check({}, { name: 'Name' }, USE);
  expect(withoutChinese.status).toBe(1);
  expect(withoutChinese.said).toContain('zh: thing:name is missing');
});

test('an English text with a count needs a singular and a plural', () => {
  const zh = { name: '{{count}} 台主机' };
  expect(check(zh, { name: '{{count}} hosts' }, USE).said).toBe(
    'en: thing:name counts, but has no _one and _other',
  );
  expect(check(zh, { name_one: '{{count}} host' }, USE).said).toContain(
    'thing:name_one has no _other beside it',
  );
  expect(check(zh, { name_one: '{{count}} host', name_other: '{{count}} hosts' }, USE).status).toBe(0);
  expect(check(zh, { name: '{{count}} min' }, USE).status).toBe(0);
});

test('empty texts, differing placeholders, unused keys and unknown keys fail as well', () => {
  expect(check({ name: ' ' }, { name: 'Name' }, USE).said).toContain('zh: thing:name is empty');
  expect(check({ name: '{{n}}' }, { name: '{{m}}' }, USE).said).toContain('placeholders differ');
  expect(check({ name: '名称' }, { name: 'Name' }, '').said).toBe('thing:name is not used');
  expect(check({ name: '名称' }, { name: 'Name' }, `${USE} t('thing:other')`).said).toContain('thing:other');
});

test('a key with a star in the code uses all keys that begin so, and one of them must exist', () => {
  const texts = { label_list: 'Labels', label_create: 'Create label', site: { one: 'site', many: 'sites' } };
  const uses = (...keys: string[]) =>
    check(texts, texts, keys.map((key) => `routes('thing:${key}');`).join(''));
  expect(uses('label_*', 'site.*')).toEqual({ status: 0, said: '' });
  expect(uses('label_*').said).toBe('thing:site.many is not used\nthing:site.one is not used');
  expect(uses('label_*', 'site.*', 'rack_*').said).toBe('code names thing:rack_*, of which none exists');
});
