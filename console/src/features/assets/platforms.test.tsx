import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { platform } from './platform.resource';

const choices = (...values: string[]) => values.map((value) => ({ value, display_name: value }));
const written = {
  name: field('Name', { required: true }),
  base: field('Base', { type: 'choice', choices: choices('Linux', 'Unix', 'MacOS', 'BSD', 'Windows') }),
  charset: field('Charset', { type: 'choice', choices: choices('utf8', 'gbk') }),
  meta: field('Meta', {
    type: 'nested object',
    children: {
      security: field('Security', { type: 'choice', choices: choices('rdp', 'nla', 'tls', 'any') }),
      console: field('Console', { type: 'choice', choices: choices('true', 'false') }),
    },
  }),
  comment: field('Comment'),
};
const metadata = { name: 'Platform', actions: { GET: written, POST: written, PUT: written, PATCH: written } };
const linux = {
  id: 1,
  name: 'Linux',
  base: 'Linux',
  charset: 'utf8',
  internal: true,
  meta: null,
  comment: '',
  asset_count: 3,
};
const own = { ...linux, id: 8, name: 'Win11', base: 'Windows', internal: false, meta: { security: 'tls' } };

const { sent } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/assets/platforms/:id/', ({ params }) =>
      HttpResponse.json(params['id'] === '1' ? linux : own),
    ),
    mock.put('*/api/v1/assets/platforms/:id/', () => HttpResponse.json(own)),
    mock.get('*/api/v1/assets/platforms/', () => HttpResponse.json(pageOf([linux, own]))),
  ],
  () => [import('./ListedAssets')],
);

async function open(screenOf: ReactNode, id: number, rest = '') {
  await renderScreen(screenOf, {
    address: `/assets/platforms/${id}${rest}`,
    pattern: `/assets/platforms/$id${rest}`,
  });
}

test('[S2-051] settings of remote desktops are fields of Windows platforms', async () => {
  await open(<ResourceForm resource={platform} mode="update" />, 8, '/update');
  const session = await screen.findByRole('switch', { name: 'Console session' });
  expect((session as HTMLInputElement).checked).toBe(false);
  await userEvent.click(session);
  await userEvent.click(screen.getByRole('radio', { name: 'nla' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT', 'assets/platforms/8/')).toHaveLength(1));
  expect(sent('PUT', 'assets/platforms/8/')[0]?.body).toMatchObject({
    base: 'Windows',
    meta: { security: 'nla', console: 'true' },
  });
});

test('a built-in platform says why it stays, before anything is tried', async () => {
  await open(<ResourceDetail resource={platform} />, 1);
  for (const name of ['Update', 'Delete']) {
    const button = await screen.findByRole('button', { name });
    expect(button.title).toContain('Linux is built in');
  }
  expect(screen.getByText(/Linux is built in: it cannot be changed or deleted/)).toBeTruthy();
});

test('the form of a built-in platform cannot be saved and has no settings of remote desktops', async () => {
  await open(<ResourceForm resource={platform} mode="update" />, 1, '/update');
  expect(await screen.findByText(/Linux is built in: it cannot be changed/)).toBeTruthy();
  expect(screen.queryByRole('switch', { name: 'Console session' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(sent('PUT', 'assets/platforms/1/')).toHaveLength(0);
});
