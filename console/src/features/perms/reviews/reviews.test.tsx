import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { previewOf } from '#/test/previews';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { ReviewPage } from './ReviewPage';
import type { ReviewRow } from './review.resource';

const PLACE = { address: '/perms/reviews', pattern: '/perms/reviews', texts: ['reviews'] };
const row: ReviewRow = {
  id: 'p1',
  name: 'on call',
  findings: ['unused', 'ending'],
  date_last_used: null,
  date_expired: '2026/12/20 00:00:00 +0000',
  is_active: true,
  created_by: 'Li(li)',
  users_display: ['Anna(anna)'],
  user_groups_display: ['ops'],
  assets_display: ['web-17(192.0.2.17)'],
  nodes_display: [],
};

const ofApplications: ReviewRow = {
  id: 'p2',
  name: 'orders, read only',
  findings: ['expired'],
  date_expired: '2026/10/20 00:00:00 +0000',
  is_active: true,
  created_by: 'Li(li)',
  users_display: ['Anna(anna)'],
  user_groups_display: [],
  applications_display: ['orders'],
  type_display: 'MySQL',
};

const { sent } = recordedServer(() => [
  mock.options('*/api/v1/perms/reviews/asset-permissions/', () =>
    HttpResponse.json({ name: 'reviews', actions: { GET: {} } }),
  ),
  mock.get('*/api/v1/perms/reviews/asset-permissions/', () => HttpResponse.json(pageOf([row]))),
  mock.get('*/api/v1/perms/reviews/asset-permissions/p1/people/', () =>
    HttpResponse.json(
      pageOf([{ user: 'u2', user_display: 'Ben(ben)', direct: false, date_last_used: null }]),
    ),
  ),
  mock.options('*/api/v1/perms/reviews/application-permissions/', () =>
    HttpResponse.json({ name: 'reviews', actions: { GET: {} } }),
  ),
  mock.get('*/api/v1/perms/reviews/application-permissions/', () =>
    HttpResponse.json(pageOf([ofApplications])),
  ),
  mock.post('*/api/v1/perms/preview/', () => HttpResponse.json(previewOf({ lost: [2, 3, 6] }))),
  mock.patch('*/api/v1/perms/asset-permissions/p1/', () => HttpResponse.json({ id: 'p1' })),
]);

test('unused permissions are listed with their people, and one click leads to each change', async () => {
  await renderScreen(<ReviewPage />, PLACE);
  const line = await screen.findByRole('row', { name: /on call/ });
  for (const words of ['Unused', 'Ends soon', 'Never', 'Anna(anna)', 'web-17'])
    expect(line.textContent).toContain(words);
  const first = sent('GET', 'perms/reviews/asset-permissions/')[0]?.query;
  expect([first?.get('finding'), first?.get('days')]).toEqual(['unused', '90']);
  await userEvent.click(within(line).getByRole('button', { name: 'Details of on call' }));
  const person = await screen.findByRole('link', { name: 'Ben(ben)' });
  expect(person.getAttribute('href')).toContain('/users/users/u2');
  expect(screen.getByText('Through a group')).toBeTruthy();
  await userEvent.click(within(line).getByRole('button', { name: /Deactivate/ }));
  const question = await screen.findByRole('alertdialog');
  expect(await within(question).findByText('Loss: 2 people → 3 assets')).toBeTruthy();
  await userEvent.click(within(question).getByRole('button', { name: 'Deactivate' }));
  await screen.findByText('on call is inactive');
  expect(sent('PATCH', 'perms/asset-permissions/p1/')[0]?.body).toEqual({ is_active: false });
});

test('another finding and another time are asked for', async () => {
  await renderScreen(<ReviewPage />, PLACE);
  await screen.findByRole('row', { name: /on call/ });
  await userEvent.selectOptions(screen.getByRole('combobox', { name: /Without use for/ }), '365 days');
  await userEvent.click(screen.getByRole('button', { name: 'All' }));
  await screen.findByRole('row', { name: /on call/ });
  const last = sent('GET', 'perms/reviews/asset-permissions/').at(-1)?.query;
  expect([last?.get('finding'), last?.get('days')]).toEqual([null, '365']);
});

test('permissions of applications are reviewed by their end, and their use is not known', async () => {
  await renderScreen(<ReviewPage />, PLACE);
  await screen.findByRole('row', { name: /on call/ });
  await userEvent.click(screen.getByRole('button', { name: 'Applications' }));
  const line = await screen.findByRole('row', { name: /orders, read only/ });
  expect(screen.getByText(/There are no sessions to applications yet/)).toBeTruthy();
  for (const words of ['Expired', 'Not known', 'Anna(anna)', 'orders'])
    expect(line.textContent).toContain(words);
  expect(screen.queryByRole('button', { name: 'Unused' })).toBeNull();
  const first = sent('GET', 'perms/reviews/application-permissions/')[0]?.query;
  expect([first?.get('finding'), first?.get('days')]).toEqual(['expired', null]);
  const name = within(line).getByRole('link', { name: 'orders, read only' });
  expect(name.getAttribute('href')).toContain('/perms/app-permissions/p2');
});
