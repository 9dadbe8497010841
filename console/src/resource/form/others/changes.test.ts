import { expect, test } from 'vitest';
import { changesOfOthers } from './changes';

const start = { name: 'a', comment: 'old', groups: ['1', '2'] };
const stored = { name: 'a', comment: 'theirs', groups: ['2', '1'] };

test.each([
  ['a field that only others changed', { ...start, name: 'mine' }, { untouched: ['comment'], both: [] }],
  ['a field that both changed', { ...start, comment: 'mine' }, { untouched: [], both: ['comment'] }],
  ['a field that both changed in the same way', { ...start, comment: 'theirs' }, { untouched: [], both: [] }],
])('%s', (_title, mine, found) => {
  expect(changesOfOthers(['name', 'comment', 'groups'], { start, mine, stored })).toEqual(found);
});
