import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { onPhone } from '#/test/phone';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { Grants } from './Grants';
import { type GrantRow, nodesAbove, stateOf } from './grant-row';
import type { GrantPlace } from './grants.resource';

const NOW = new Date('2026-11-22T12:00:00Z');
const permission = {
  id: 'p1',
  name: 'on call',
  is_active: true,
  is_valid: true,
  is_expired: false,
  date_start: '2026/11/01 00:00:00 +0000',
  date_expired: '2026/12/20 00:00:00 +0000',
  assets: [],
  users_display: ['Li(li)'],
  user_groups_display: ['ops'],
  assets_display: [],
  nodes_display: ['/Default/web', '/Default/we'],
  system_users_display: ['deploy(deploy)'],
} satisfies GrantRow;

const { sent } = recordedServer(
  () => [
    mock.options('*/api/v1/perms/asset-permissions/', () =>
      HttpResponse.json({ name: 'permissions', actions: { GET: {}, POST: {} } }),
    ),
    mock.get('*/api/v1/perms/asset-permissions/', () => HttpResponse.json(pageOf([permission]))),
    mock.get('*/api/v1/perms/asset-permissions/p1/users/all/', () =>
      HttpResponse.json(
        pageOf([
          { user: 'u1', user_display: 'Li(li)' },
          { user: 'u2', user_display: 'Wu(wu)' },
        ]),
      ),
    ),
  ],
  () => [import('./GrantList')],
);

test('an asset shows who has access, through what, as whom and until when', async () => {
  await renderScreen(<Grants place={{ kind: 'asset', id: 'a1', nodes: ['/Default/web/shop'] }} />);
  const row = await screen.findByRole('row', { name: /on call/ });
  for (const words of ['Li(li)', 'ops (group)', '/Default/web', 'deploy(deploy)', '2026-12-20', 'Valid'])
    expect(row.textContent).toContain(words);
  expect(row.textContent).not.toContain('/Default/we,');
  await userEvent.click(within(row).getByRole('button', { name: 'Show' }));
  expect(await within(row).findByText('Wu(wu)')).toBeTruthy();
  expect(sent('GET', 'perms/asset-permissions/')[0]?.query.get('asset_id')).toBe('a1');
  const create = screen.getByRole('link', { name: /Create/ });
  expect(create.getAttribute('href')).toContain('/perms/asset-permissions/create?asset=a1');
});

test.each<[GrantPlace, readonly string[]]>([
  [{ kind: 'asset', id: 'a1' }, ['Li(li)', 'As: deploy(deploy)', 'Until: 2026-12-20', 'Valid']],
  [{ kind: 'user', id: 'u1' }, ['/Default/web', 'As: deploy(deploy)', 'Until: 2026-12-20', 'Valid']],
])('on a phone, $kind shows who or what, as whom and until when', async (place, words) => {
  onPhone();
  await renderScreen(<Grants place={place} />);
  const row = (await screen.findByText('on call')).closest('li');
  for (const word of words) expect(row?.textContent).toContain(word);
});

test('a group shows the permissions that name it, without its own name in each row', async () => {
  await renderScreen(<Grants place={{ kind: 'user_group', id: 'g1' }} />);
  const row = await screen.findByRole('row', { name: /on call/ });
  expect(row.textContent).not.toContain('ops (group)');
  expect(sent('GET', 'perms/asset-permissions/')[0]?.query.get('user_group_id')).toBe('g1');
});

test.each<[string, Partial<GrantRow>, string]>([
  ['switched off before anything else', { is_active: false, is_valid: false, is_expired: true }, 'inactive'],
  ['not begun', { is_valid: false, date_start: '2026/12/01 00:00:00 +0000' }, 'waiting'],
  ['over', { is_valid: false, is_expired: true }, 'expired'],
  ['in force', {}, 'valid'],
])('a permission is %s', (_, change, state) => {
  expect(stateOf({ ...permission, ...change }, NOW)).toBe(state);
});

test('a node contains a place by whole steps of the path', () => {
  expect(nodesAbove(permission, ['/Default/web/shop'])).toEqual(['/Default/web']);
  expect(nodesAbove(permission, ['/Default/web'])).toEqual(['/Default/web']);
  expect(nodesAbove({ ...permission, nodes_display: ['/'] }, ['/Default'])).toEqual(['/']);
});
