import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { endSessions } from './end-sessions';

let live: { id: string; user: string; asset: string }[] = [];
const session = (id: string) => ({ id, user: 'zhang', asset: `${id}-host` });

const { server, sent } = recordedServer(
  () => [
    mock.get('*/api/v1/terminal/sessions/', ({ request }) => {
      const { searchParams: query } = new URL(request.url);
      const offset = Number(query.get('offset'));
      const results = live.slice(offset, offset + Number(query.get('limit')));
      return HttpResponse.json({ count: live.length, next: null, previous: null, results });
    }),
    mock.post('*/api/v1/terminal/tasks/kill-session/', async ({ request }) =>
      HttpResponse.json({ ok: await request.json() }),
    ),
  ],
  () => [import('#/ui/question-dialog')],
);

beforeEach(() => {
  live = [session('s1'), session('s2')];
});

const tools = { refresh: () => undefined, navigate: () => undefined };
const end = () => endSessions({ kind: 'user', id: 'u1', name: 'Zhang' }, tools);
const view = () => renderScreen(<p>page</p>, { texts: ['session-history'] });

test('the question says how many end, and sessions that begin meanwhile end too', async () => {
  await view();
  void end();
  const question = await screen.findByRole('alertdialog', { name: 'End 2 sessions of Zhang?' });
  expect(within(question).getByText(/zhang → s1-host/)).toBeTruthy();
  expect(sent('POST', 'terminal/tasks/kill-session/')).toHaveLength(0);
  live = [...live, session('s3')];
  await userEvent.click(within(question).getByRole('button', { name: 'End 2 sessions' }));
  expect(await screen.findByText('3 sessions are being ended')).toBeTruthy();
  expect(sent('POST', 'terminal/tasks/kill-session/')[0]?.body).toEqual(['s1', 's2', 's3']);
  const [asked] = sent('GET', 'terminal/sessions/');
  expect([asked?.query.get('user_id'), asked?.query.get('is_finished')]).toEqual(['u1', '0']);
});

test('more sessions than one request may end are ended in several', async () => {
  live = Array.from({ length: 1_001 }, (_, index) => session(`s${index}`));
  await view();
  void end();
  const question = await screen.findByRole('alertdialog', { name: 'End 1001 sessions of Zhang?' });
  await userEvent.click(within(question).getByRole('button', { name: 'End 1001 sessions' }));
  expect(await screen.findByText('1001 sessions are being ended')).toBeTruthy();
  const sizes = sent('POST', 'terminal/tasks/kill-session/').map(({ body }) => (body as string[]).length);
  expect(sizes).toEqual([1_000, 1]);
});

test('without a live session nothing is asked', async () => {
  live = [];
  await view();
  await end();
  expect(await screen.findByText('Zhang has no live session here')).toBeTruthy();
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('a refusal stays in the question', async () => {
  server.use(
    mock.post('*/api/v1/terminal/tasks/kill-session/', () =>
      HttpResponse.json({ detail: 'Not permitted here' }, { status: 403 }),
    ),
  );
  await view();
  void end();
  const question = await screen.findByRole('alertdialog', { name: 'End 2 sessions of Zhang?' });
  await userEvent.click(within(question).getByRole('button', { name: 'End 2 sessions' }));
  expect(await within(question).findByText(/Not permitted here/)).toBeTruthy();
});
