import { describe, expect, test } from 'vitest';
import { bySession } from './group';
import { type Hit, momentOf, textProblem } from './hits';
import { beginningNearMatch, partsOf } from './marked';

const hit = (id: string, session: string, more: Partial<Hit> = {}): Hit => ({
  id,
  kind: 'screen',
  session: {
    id: session,
    user: 'Li(li)',
    user_id: 'u1',
    asset: 'web-01',
    asset_id: 'a1',
    system_user: 'root(root)',
    protocol: 'ssh',
    date_start: '2026/11/22 13:43:03 +0000',
    org_id: 'o1',
    org_name: 'Default',
    is_whole: true,
  },
  offset_ms: 61_234,
  datetime: '2026/11/22 13:44:04 +0000',
  line: 'a line',
  matches: [],
  before: [],
  after: [],
  ...more,
});

const marked = (line: string, matches: readonly (readonly [number, number])[]) =>
  partsOf(line, matches).map(({ text, isMatch }) => (isMatch ? `[${text}]` : text));

describe('matches of a line', () => {
  test('are marked where they are, at the ends too', () => {
    expect(marked('drop table x', [[0, 4]])).toEqual(['[drop]', ' table x']);
    expect(
      marked('ls ls ls', [
        [6, 8],
        [0, 2],
      ]),
    ).toEqual(['[ls]', ' ls ', '[ls]']);
  });

  test('are counted in code points, so an emoji before them does not move them', () => {
    expect(marked('😀😀 echo 数据库 ok', [[8, 11]])).toEqual(['😀😀 echo ', '[数据库]', ' ok']);
    expect(marked('x 🔑 y', [[2, 3]])).toEqual(['x ', '[🔑]', ' y']);
  });

  test('that overlap or leave the line mark each character once', () => {
    expect(
      marked('aaaa', [
        [0, 2],
        [1, 3],
      ]),
    ).toEqual(['[aa]', '[a]', 'a']);
    expect(marked('ab', [[1, 99]])).toEqual(['a', '[b]']);
    expect(marked('ab', [[5, 9]])).toEqual(['ab']);
    expect(marked('', [[0, 1]])).toEqual([]);
  });
});

test('a line that is shown in one row begins shortly before its first match', () => {
  const late = { line: `${'😀'.repeat(40)}needle`, matches: [[40, 46]] as const };
  const shown = beginningNearMatch(late);
  expect(marked(shown.line, shown.matches)).toEqual([`…${'😀'.repeat(8)}`, '[needle]']);
  const early = { line: 'a needle', matches: [[2, 8]] as const };
  expect(beginningNearMatch(early)).toEqual(early);
});

test('hits are grouped by session, in the order of the sessions, also across pages', () => {
  const groups = bySession([hit('1', 's2'), hit('2', 's2'), hit('3', 's1'), hit('4', 's2')]);
  expect(groups.map(({ session, hits }) => [session.id, hits.map(({ id }) => id)])).toEqual([
    ['s2', ['1', '2', '4']],
    ['s1', ['3']],
  ]);
});

test('a hit leads to its moment in the player', () => {
  expect(momentOf(hit('1', 's1'))).toBe('/terminal/sessions/s1?t=61.234&activeTab=replay');
});

test('a text has 2 to 200 characters; an emoji is one', () => {
  expect([textProblem(' a '), textProblem('😀'), textProblem('')]).toEqual(['short', 'short', 'short']);
  expect([textProblem('数据'), textProblem('ls'), textProblem('😀'.repeat(200))]).toEqual([null, null, null]);
  expect(textProblem('x'.repeat(201))).toBe('long');
});
