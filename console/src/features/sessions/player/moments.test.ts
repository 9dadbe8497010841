import { expect, test } from 'vitest';
import type { CommandRow } from '#/domain/commands/command-row';
import { momentsOf, nextMoment } from './moments';

const command = (id: string, offset_ms: number, more: Partial<CommandRow> = {}): CommandRow => ({
  id,
  input: `run ${id}`,
  output: '',
  kind: 'echo',
  kind_display: 'Echo',
  risk_level: 0,
  offset_ms,
  timestamp: 0,
  decision: '',
  decision_filter: '',
  has_secrets: false,
  ...more,
});
const event = (id: string, name: string, datetime: string) => ({
  id,
  event: name,
  event_display: 'Live session watched',
  user_display: 'Auditor(aud)',
  datetime,
});
const recording = { began: new Date('2026-11-22T13:43:00Z'), durationMs: 60_000 };

test('commands, transfers, joins and alerts are placed in order of time, each of its kind', () => {
  const moments = momentsOf(
    recording,
    [
      command('late', 50_000, { decision: 'deny' }),
      command('first', 1_000),
      command('typed', 2_000, { input: '', kind: 'hidden', kind_display: 'Input without echo' }),
      command('rm', 3_000, { risk_level: 5 }),
    ],
    [{ id: 't', date_start: '2026/11/22 13:43:10 +0000', operate_display: 'Upload', filename: 'a.sql' }],
    [
      event('j', 'session.watched', '2026/11/22 13:43:20 +0000'),
      event('l', 'session.locked', '2026/11/22 13:43:30 +0000'),
      event('x', 'session.started', '2026/11/22 13:43:01 +0000'),
    ],
  );
  expect(moments.map(({ kind, ms, label }) => [kind, ms, label])).toEqual([
    ['command', 1_000, 'run first'],
    ['command', 2_000, 'Input without echo'],
    ['alert', 3_000, 'run rm'],
    ['transfer', 10_000, 'Upload a.sql'],
    ['join', 20_000, 'Live session watched · Auditor(aud)'],
    ['alert', 30_000, 'Live session watched · Auditor(aud)'],
    ['alert', 50_000, 'run late'],
  ]);
});

test('what happened outside of the recording, or at an unknown time, has no place on it', () => {
  const events = [
    event('before', 'session.locked', '2026/11/22 13:42:50 +0000'),
    event('after', 'session.locked', '2026/11/22 13:44:10 +0000'),
    event('unknown', 'session.locked', ''),
  ];
  expect(momentsOf(recording, [], [], events)).toEqual([]);
  expect(momentsOf({ ...recording, began: null }, [], [], [event('j', 'session.watched', '')])).toEqual([]);
});

test('what ended the session is on the time line, although it was noted after the last byte', () => {
  const ended = event('t', 'session.termination_ordered', '2026/11/22 13:44:01 +0000');
  expect(momentsOf(recording, [], [], [ended]).map(({ ms }) => ms)).toEqual([60_000]);
});

test('behind the last moment the first one is next', () => {
  const moments = momentsOf(recording, [command('a', 1_000), command('b', 2_000)], [], []);
  expect([0, 1_000, 1_500, 2_000].map((ms) => nextMoment(moments, ms)?.ms)).toEqual([
    1_000, 2_000, 2_000, 1_000,
  ]);
  expect(nextMoment([], 0)).toBeUndefined();
});
