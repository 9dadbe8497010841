import { expect, test } from 'vitest';
import { noteServerTime, serverNow } from './server-clock';

const DAY_MS = 86_400_000;
const answerAt = (ms: number) => new Response(null, { headers: { Date: new Date(ms).toUTCString() } });

test.each([
  ['ahead', -DAY_MS],
  ['behind', DAY_MS],
])('a device whose clock is %s a day uses the time of the server', (_title, byMs) => {
  noteServerTime(answerAt(Date.now() + byMs));
  expect(Math.abs(serverNow().getTime() - Date.now() - byMs)).toBeLessThan(2_000);
});

test('seconds of an answer on its way, and an answer without a time, change nothing', () => {
  noteServerTime(answerAt(Date.now() - 20_000));
  noteServerTime(new Response(null));
  expect(Math.abs(serverNow().getTime() - Date.now())).toBeLessThan(1_000);
});
