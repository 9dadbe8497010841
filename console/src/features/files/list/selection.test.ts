import { expect, test } from 'vitest';
import type { Entry } from '../contract';
import { arrange, nextOrder, type Order } from './arrange';
import { beginningWith, keep, NOTHING, select, selectAll } from './selection';

const IDS = ['a', 'b', 'c', 'd', 'e'];
const chosen = (selection: { readonly chosen: ReadonlySet<string> }) => [...selection.chosen].sort();

test('a range goes from the anchor in both directions, and starts anew elsewhere', () => {
  const third = select(NOTHING, IDS, 2, 'only');
  const down = select(third, IDS, 4, 'range');
  expect(chosen(down)).toEqual(['c', 'd', 'e']);
  expect(chosen(select(down, IDS, 0, 'range'))).toEqual(['a', 'b', 'c']);
  expect(chosen(select(down, IDS, 1, 'only'))).toEqual(['b']);
});

test('the cursor moves without changing the selection, and a row is turned over', () => {
  const two = select(select(NOTHING, IDS, 0, 'only'), IDS, 3, 'cursor');
  expect([two.cursor, chosen(two)]).toEqual(['d', ['a']]);
  const both = select(two, IDS, 3, 'toggle');
  expect(chosen(both)).toEqual(['a', 'd']);
  expect(chosen(select(both, IDS, 0, 'toggle'))).toEqual(['d']);
});

test('nothing lies outside of the list', () => {
  expect(select(NOTHING, IDS, 99, 'only').cursor).toBe('e');
  expect(select(NOTHING, IDS, -5, 'only').cursor).toBe('a');
  expect(select(NOTHING, [], 0, 'only')).toBe(NOTHING);
});

test('what is no longer shown is no longer selected: a filter hides nothing that would be deleted', () => {
  const all = selectAll(select(NOTHING, IDS, 4, 'only'), IDS);
  const left = keep(all, ['a', 'b']);
  expect([left.cursor, chosen(left)]).toEqual([null, ['a', 'b']]);
});

test('typing finds the next name, a longer text also the row of the cursor', () => {
  const names = ['alpha', 'beta', 'Bravo', 'gamma'];
  expect(beginningWith(names, 1, 'b')).toBe(2);
  expect(beginningWith(names, 2, 'b')).toBe(1);
  expect(beginningWith(names, 2, 'br')).toBe(2);
  expect(beginningWith(names, 0, 'z')).toBe(-1);
});

const entry = (text: string, more: Partial<Entry> = {}): Entry => ({
  name: { text, id: text },
  kind: 'file',
  ...more,
});
const BY_NAME: Order = { key: 'name', descending: false };
const texts = (entries: readonly Entry[]) => entries.map(({ name }) => name.text);

test('folders and links to folders come first, numbers count as numbers', () => {
  const entries = [
    entry('file10'),
    entry('file9'),
    entry('zlink', { kind: 'link', leads_to: 'folder' }),
    entry('etc', { kind: 'folder' }),
    entry('.profile'),
  ];
  const shown = { order: BY_NAME, filter: '', hidden: false };
  expect(texts(arrange(entries, shown))).toEqual(['etc', 'zlink', 'file9', 'file10']);
  expect(texts(arrange(entries, { ...shown, hidden: true }))).toContain('.profile');
  expect(texts(arrange(entries, { ...shown, filter: ' FILE1 ' }))).toEqual(['file10']);
  expect(texts(entries)[0]).toBe('file10');
});

test('a long list is in the same order, numbers as numbers', () => {
  const names = Array.from({ length: 20_001 }, (_, at) => `Log ${20_001 - at}`);
  const shown = arrange(
    names.map((text) => entry(text)),
    { order: BY_NAME, filter: '', hidden: false },
  );
  expect(texts(shown).slice(0, 3)).toEqual(['Log 1', 'Log 2', 'Log 3']);
  expect(texts(shown).at(-1)).toBe('Log 20001');
});

test('a column sorts the largest first, a second press the smallest', () => {
  const entries = [entry('a', { size: 1 }), entry('b', { size: 3 }), entry('c')];
  const first = nextOrder(BY_NAME, 'size');
  const shown = { filter: '', hidden: false };
  expect(texts(arrange(entries, { ...shown, order: first }))).toEqual(['b', 'a', 'c']);
  expect(texts(arrange(entries, { ...shown, order: nextOrder(first, 'size') }))).toEqual(['c', 'a', 'b']);
});
