import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { adminSession, renderScreen } from '#/test/render';
import { ReplaySearch } from './ReplaySearch';

const hit = {
  id: 'h1',
  kind: 'screen',
  session: { id: 's1' },
  offset_ms: 61_234,
  datetime: '2026/11/22 13:44:04 +0000',
  line: '😀 数据库',
  matches: [[2, 5]],
  before: [],
  after: [],
};
let body: object = {};
let status = 200;
const { sent } = recordedServer(() => [
  mock.get('*/api/v1/terminal/recording-hits/', () => HttpResponse.json(body, { status })),
]);
const jumps: number[] = [];

beforeEach(() => {
  body = { results: [hit], next: null, waiting: 0, failed: 0, incomplete: 0 };
  status = 200;
  jumps.length = 0;
});

const open = (session = adminSession) =>
  renderScreen(<ReplaySearch sessionId="s1" onSeek={(ms) => jumps.push(ms)} />, {
    texts: ['sessions', 'recording-hits'],
    session,
  });
const find = async (text: string) =>
  userEvent.type(await screen.findByRole('searchbox', { name: 'Find in this recording' }), `${text}{Enter}`);

test('a text is looked for in this recording only, and a hit jumps to its moment', async () => {
  await open();
  await find('数据库');
  const found = await screen.findByRole('button', { name: /01:01/ });
  expect(found.querySelector('mark')?.textContent).toBe('数据库');
  const [query] = sent('GET', 'terminal/recording-hits/').map((request) => request.query);
  expect([query?.get('session_id'), query?.get('text')]).toEqual(['s1', '数据库']);
  expect(query?.get('date_from')).toBeNull();
  await userEvent.click(found);
  expect(jumps).toEqual([61_234]);
});

test.each([
  [{ waiting: 1 }, /this recording is not indexed yet/],
  [{ failed: 1 }, /this recording could not be indexed/],
  [{ incomplete: 1 }, /A part of this recording is not in the index/],
])('nothing found says what is not in the index: %j', async (counts, words) => {
  body = { results: [], next: null, waiting: 0, failed: 0, incomplete: 0, ...counts };
  await open();
  await find('absent');
  expect(await screen.findByText(words)).toBeTruthy();
});

test('a failure is shown below the field, and a short text is not sent', async () => {
  body = { detail: 'The index is busy.' };
  status = 503;
  await open();
  await find('x');
  await screen.findByText('Type at least 2 characters.');
  expect(sent('GET', 'terminal/recording-hits/')).toEqual([]);
  await find('yz');
  expect(await screen.findByText('The index is busy.')).toBeTruthy();
});

test('where searching is switched off there is no field', async () => {
  await open({ ...adminSession, settings: { TERMINAL_SEARCH_RECORDINGS: false } });
  await waitFor(() => expect(screen.queryByRole('searchbox')).toBeNull());
});
