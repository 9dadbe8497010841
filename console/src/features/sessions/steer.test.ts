import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { useToasts } from '#/ui/toast';
import { changeLock } from './steer';

let ok: string[] = [];
recordedServer(() => [
  mock.post('*/api/v1/terminal/tasks/lock-session/', () => HttpResponse.json({ ok, ended: [] })),
]);

test('a lock that concerns no session is no success', async () => {
  ok = [];
  expect(await changeLock(['gone'], true)).toBe(false);
  expect(useToasts.getState().shown).toEqual([]);
  ok = ['li'];
  expect(await changeLock(['li'], true)).toBe(true);
  expect(useToasts.getState().shown).toHaveLength(1);
});
