import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { bringSessionNews, noteSessionNews } from '#/lib/live-sessions';
import { recordedServer } from '#/test/recorded';
import { Role } from '#/lib/permissions';
import { adminSession, renderScreen } from '#/test/render';
import { DashboardPage } from './DashboardPage';
import { ceilingOf } from './lines';

let online = 1;
const needs = (results: readonly object[]) =>
  HttpResponse.json({ date: '2026/11/22 13:43:03 +0000', results });
const need = (kind: string, count: number, more: object = {}) => ({
  kind,
  count,
  is_more: false,
  session: null,
  ...more,
});
const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/index/needs/', () =>
    needs([
      need('risky_sessions', 1, { session: { id: 's1', user: 'Ann(ann)', asset: 'web-1' } }),
      need('unreachable_assets', 1000, { is_more: true }),
    ]),
  ),
  mock.get('*/api/v1/index/', ({ request }) => {
    const days = new URL(request.url).searchParams.has('monthly') ? 30 : 7;
    const each = (value: number) => Array.from({ length: days }, (_, day) => value + day);
    return HttpResponse.json({
      total_count_users: 1284,
      total_count_assets: 10_632,
      total_count_online_users: online,
      total_count_online_sessions: online + 1,
      dates_metrics_date: each(1).map((day) => `11-${String(day).padStart(2, '0')}`),
      dates_metrics_total_count_login: each(100),
      dates_metrics_total_count_active_users: each(10),
      dates_metrics_total_count_active_assets: each(50),
      dates_total_count_active_users: 5,
      dates_total_count_inactive_users: 6,
      dates_total_count_disabled_users: 7,
      dates_total_count_active_assets: 1,
      dates_total_count_inactive_assets: 0,
      dates_total_count_disabled_assets: 0,
      dates_login_times_top10_assets: [
        { asset_id: 'a1', asset: 'web-1', total: 8, last: '2026/11/22 13:43:03 +0000' },
        { asset_id: 'a2', asset: 'db-1', total: 4, last: '2026/11/22 13:43:03 +0000' },
      ],
      dates_login_times_top10_users: [],
      dates_login_record_top10_sessions: [
        {
          id: 's1',
          user: 'Ann(ann)',
          asset: 'web-1',
          is_finished: false,
          date_start: '2026/11/22 13:43:03 +0000',
        },
      ],
    });
  }),
]);

const show = () => renderScreen(<DashboardPage />, { texts: ['dashboard'] });
const asked = () => sent('GET', 'index/').length;

beforeEach(() => {
  online = 1;
});

test('figures lead to the lists that they count, and the chart has its table', async () => {
  await show();
  expect(await screen.findByRole('link', { name: '1,284' })).toHaveProperty('pathname', '/users/users');
  expect(screen.getByRole('link', { name: '10,632' })).toHaveProperty('pathname', '/assets/assets');
  expect((await screen.findByRole('link', { name: 'db-1' })).getAttribute('href')).toBe(
    '/terminal/session?activeTab=offline&asset_id=a2',
  );
  await screen.findByRole('img', { name: /11-01 to 11-07/ });
  await userEvent.click(screen.getByRole('button', { name: 'Table' }));
  const row = screen.getByRole('row', { name: /11-07/ });
  expect(
    within(row)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  ).toEqual(['106', '56', '16']);
});

test('figures that did not load say why beside a button to try again', async () => {
  server.use(mock.get('*/api/v1/index/', () => HttpResponse.json({}, { status: 400 }), { once: true }));
  await show();
  const [alert] = await screen.findAllByRole('alert');
  expect(alert?.textContent).toContain('The figures did not load');
  await userEvent.click(screen.getAllByRole('button', { name: 'Retry' })[0] as HTMLElement);
  expect(await screen.findByRole('link', { name: '1,284' })).toBeTruthy();
});

test('what needs somebody leads to where it is dealt with, the most urgent first', async () => {
  await show();
  const links = within(
    (await screen.findByText('Ann(ann) · web-1')).closest('ul') as HTMLElement,
  ).getAllByRole('link');
  expect(links.map((link) => [link.textContent?.split(':')[0], link.getAttribute('href')])).toEqual([
    ['Watch', '/terminal/session?activeTab=online&preview=s1'],
    ['See', '/assets/assets?order=connectivity'],
  ]);
  expect(screen.getByText('1,000+ assets do not answer')).toBeTruthy();
});

test('an auditor reads what needs somebody, and follows only what auditors may open', async () => {
  await renderScreen(<DashboardPage />, {
    texts: ['dashboard'],
    session: { ...adminSession, currentRole: Role.OrgAuditor },
  });
  await screen.findByText('1,000+ assets do not answer');
  expect(screen.queryByRole('link', { name: /assets do not answer/ })).toBeNull();
  expect(screen.getByRole('link', { name: /1 live session/ })).toBeTruthy();
});

test('nothing due says so', async () => {
  server.use(mock.get('*/api/v1/index/needs/', () => needs([])));
  await show();
  expect(await screen.findByText(/^Nothing needs you\. Checked /)).toBeTruthy();
});

test('thirty days are asked for and shown', async () => {
  await show();
  await screen.findByRole('img', { name: /11-07/ });
  await userEvent.click(screen.getByRole('button', { name: '30 days' }));
  expect(await screen.findByRole('img', { name: /11-30/ })).toBeTruthy();
});

test('what is online follows the news of sessions, without asking at intervals', async () => {
  const leave = bringSessionNews(() => undefined);
  await show();
  await screen.findByRole('link', { name: '1' });
  const before = asked();
  online = 7;
  noteSessionNews();
  noteSessionNews();
  await screen.findByRole('link', { name: '7' }, { timeout: 4_000 });
  // What is live, once each: two figures, and what needs somebody.
  expect(asked() - before).toBe(2);
  expect(sent('GET', 'index/needs/').length).toBe(2);
  leave();
});

test.each([
  [0, 4],
  [3, 4],
  [7, 8],
  [106, 200],
  [512, 800],
])('the top of the scale for %i is %i', (largest, top) => {
  expect(ceilingOf(largest)).toBe(top);
});
