import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { AccessHistory } from './AccessHistory';
import type { PastAnswer, PastRow } from './past-access';

const TEXTS = { texts: ['access-history', 'application-kinds'] };
const row: PastRow = {
  id: 'u1',
  name: 'Anna',
  detail: 'anna',
  change: '',
  ways: [
    {
      permission: { id: 'p1', name: 'nightly' },
      actions: ['connect', 'upload_file', 'download_file', 'updownload'],
      system_users: [{ id: 's1', name: 'root', protocol: 'ssh' }],
      names_user: false,
      user_groups: [{ id: 'g1', name: 'web team' }],
      names_target: false,
      nodes: [{ id: 'n1', name: '/Default/web' }],
    },
  ],
  ways_before: [],
};
const then: PastAnswer = {
  at: '2026/05/03 10:00:00 +0000',
  known_since: '2025/01/01 00:00:00 +0000',
  is_known: true,
  object: { id: 'a1', name: 'web-17', is_active: true },
  count: 31,
  results: [row],
};
const nothing = { ...then, count: 0, results: [] };

const { server, sent } = recordedServer(
  () => [mock.get('*/api/v1/perms/history/assets/a1/', () => HttpResponse.json(then))],
  () => [import('./AccessOnDay')],
);

test('people at a chosen time are shown with each way of their access, page by page', async () => {
  await renderScreen(<AccessHistory kind="asset" id="a1" />, TEXTS);
  const person = await screen.findByRole('listitem');
  for (const words of [
    'Anna',
    'nightly',
    'web team',
    '/Default/web',
    'as root (ssh)',
    'Connect, Upload, Download',
  ])
    expect(person.textContent).toContain(words);
  const time = screen.getByRole('textbox', { name: 'Time' });
  await userEvent.clear(time);
  await userEvent.type(time, '2026-05-03 18:30{Tab}');
  await userEvent.type(screen.getByRole('textbox', { name: /Compared with/ }), '2026-05-01 08:00{Tab}');
  await userEvent.click(await screen.findByRole('button', { name: 'Next page' }));
  await screen.findByText(/16–/);
  const query = sent('GET', 'perms/history/assets/a1/').at(-1)?.query;
  expect(query?.get('at')).toBe(new Date('2026-05-03T18:30').toISOString());
  expect(query?.get('compared_with')).toBe(new Date('2026-05-01T08:00').toISOString());
  expect([query?.get('limit'), query?.get('offset')]).toEqual(['15', '15']);
});

test.each<[string, Partial<PastAnswer>, string]>([
  ['before the history begins', { is_known: false, object: null }, 'The history begins at 2025-01-01'],
  ['before the asset existed', { object: null }, 'The asset did not exist at this time'],
  ['while it was disabled', { object: { id: 'a1', name: 'x', is_active: false } }, 'The asset was disabled'],
  ['when nobody had access', {}, 'Nobody could connect at this time'],
])('an empty answer says why: %s', async (_when, values, words) => {
  server.use(
    mock.get('*/api/v1/perms/history/assets/a1/', () => HttpResponse.json({ ...nothing, ...values })),
  );
  await renderScreen(<AccessHistory kind="asset" id="a1" />, TEXTS);
  expect(await screen.findByText(new RegExp(words))).toBeTruthy();
});

test('a failure says so and can be tried again', async () => {
  server.use(mock.get('*/api/v1/perms/history/assets/a1/', () => HttpResponse.json({}, { status: 500 })));
  await renderScreen(<AccessHistory kind="asset" id="a1" />, TEXTS);
  expect(await screen.findByText('The history could not be loaded')).toBeTruthy();
  expect(screen.getByRole('button', { name: /again|Retry/i })).toBeTruthy();
});

test('what a person lost and got otherwise is marked, with the ways before and after', async () => {
  const [way] = row.ways;
  server.use(
    mock.get('*/api/v1/perms/history/users/u1/applications/', () =>
      HttpResponse.json({
        ...then,
        results: [
          { ...row, id: 'x1', name: 'shop', detail: 'mysql', change: 'lost', ways: [], ways_before: [way] },
          { ...row, id: 'x2', name: 'blog', change: 'changed', ways_before: [way] },
        ],
      }),
    ),
    mock.get('*/api/v1/perms/history/users/u1/assets/', () => HttpResponse.json(nothing)),
  );
  await renderScreen(<AccessHistory kind="user" id="u1" />, TEXTS);
  await screen.findByText('The user could reach nothing at this time');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Show' }), 'Applications');
  const lost = (await screen.findByText('shop')).closest('li');
  expect(lost?.textContent).toContain('Lost');
  expect(lost?.textContent).toContain('MySQL');
  expect(screen.getByRole('link', { name: 'shop' }).getAttribute('href')).toContain(
    '/applications/databases/x1',
  );
  const changed = screen.getByText('blog').closest('li');
  for (const words of ['Changed', 'Before', 'After']) expect(changed?.textContent).toContain(words);
});
