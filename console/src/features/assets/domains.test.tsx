import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { domain } from './domain.resource';
import { gateway } from './gateway.resource';

const written = {
  name: field('Name', { required: true }),
  ip: field('IP', { required: true }),
  port: field('Port', { type: 'integer', default: 22, min_value: 1, max_value: 65535 }),
  username: field('Username'),
  password: field('Password', { write_only: true }),
  private_key: field('SSH private key', { write_only: true }),
  domain: field('Domain', { type: 'field', required: true }),
  is_active: field('Is active', { type: 'boolean', default: true }),
  comment: field('Comment'),
};
const shown = { ...written, is_connective: field('Answers', { type: 'boolean', read_only: true }) };
const metadata = { name: 'Gateway', actions: { GET: shown, POST: written, PUT: written, PATCH: written } };

const gate = {
  id: 'g1',
  name: 'gate-1',
  ip: '192.0.2.2',
  port: 22,
  protocol: 'ssh',
  username: 'forward',
  is_active: true,
  is_connective: false,
  domain: 'd1',
  domain_display: 'branch',
  ssh_key_fingerprint: '',
  comment: '',
};
const zone = {
  id: 'd1',
  name: 'branch',
  asset_count: 2,
  gateway_count: 1,
  reached_through: 'd0',
  reached_through_display: 'headquarters',
  comment: '',
};

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/assets/domains/:id/', () => HttpResponse.json(zone)),
    mock.get('*/api/v1/assets/domains/', () => HttpResponse.json(pageOf([zone]))),
    mock.get('*/api/v1/assets/gateways/:id/', () => HttpResponse.json(gate)),
    mock.get('*/api/v1/assets/gateways/', () => HttpResponse.json(pageOf([gate]))),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
    mock.get('*/api/v1/assets/host-keys/', () =>
      HttpResponse.json(
        pageOf([
          {
            id: 'k1',
            key_type: 'ssh-ed25519',
            fingerprint: 'SHA256:pinned',
            host: '192.0.2.2',
            port: 22,
            via: 'hq-gate',
            date_created: '2026-11-20T08:00:00Z',
            refused_fingerprint: 'SHA256:other',
          },
        ]),
      ),
    ),
  ],
  () => [import('./HostKeys'), import('./Gateways')],
);

const isDisabled = (element: HTMLElement) => element.hasAttribute('disabled');

test('[S2-036] a new gateway belongs to the domain of the address, and saving returns to its gateways', async () => {
  server.use(mock.post('*/api/v1/assets/gateways/', () => HttpResponse.json(gate, { status: 201 })));
  window.history.replaceState(null, '', '/?domain=d1');
  const { router } = await renderScreen(<ResourceForm resource={gateway} mode="create" />, {
    address: '/assets/gateways/create?domain=d1',
    pattern: '/assets/gateways/create',
  });
  await userEvent.type(await screen.findByLabelText(/^\*?Name/), 'gate-1');
  await userEvent.type(screen.getByLabelText(/^\*?IP/), '192.0.2.2');
  await userEvent.type(screen.getByLabelText(/^\*?Username/), 'forward');
  expect(isDisabled(screen.getByRole('combobox', { name: 'Domain' }))).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/domains/d1'));
  expect(router.state.location.search).toEqual({ activeTab: 'gateways' });
  expect(sent('POST', 'assets/gateways/')[0]?.body).toMatchObject({ name: 'gate-1', domain: 'd1', port: 22 });
  window.history.replaceState(null, '', '/');
});

test('[S2-037] cancelling the update of a gateway returns to the gateways of its domain', async () => {
  const { router } = await renderScreen(<ResourceForm resource={gateway} mode="update" />, {
    address: '/assets/gateways/g1/update',
    pattern: '/assets/gateways/$id/update',
  });
  expect(isDisabled(await screen.findByRole('combobox', { name: 'Domain' }))).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/assets/domains/d1'));
});

test('the page of a gateway shows its pinned host key, the way to it, and a key that was refused', async () => {
  await renderScreen(<ResourceDetail resource={gateway} />, {
    address: '/assets/gateways/g1',
    pattern: '/assets/gateways/$id',
  });
  await screen.findByText('SHA256:pinned');
  expect(screen.getByText(/192\.0\.2\.2:22 through hq-gate/)).toBeDefined();
  expect(screen.getByText(/SHA256:other/)).toBeDefined();
  expect(screen.getAllByText('Did not answer')[0]).toBeDefined();
  expect(sent('GET', 'assets/host-keys/')[0]?.query.get('gateway')).toBe('g1');
});

test('[S2-035] the page of a domain links to the domain that it is reached through and lists its gateways', async () => {
  await renderScreen(<ResourceDetail resource={domain} />, {
    address: '/assets/domains/d1?activeTab=gateways',
    pattern: '/assets/domains/$id',
  });
  expect((await screen.findByRole('link', { name: 'gate-1' })).getAttribute('href')).toContain(
    '/assets/gateways/g1',
  );
  expect(screen.getByRole('link', { name: 'Create gateway' }).getAttribute('href')).toContain(
    '/assets/gateways/create?domain=d1',
  );
  await userEvent.click(screen.getByRole('tab', { name: 'Basic' }));
  expect(screen.getByRole('link', { name: 'headquarters' })).toBeDefined();
});

test('a domain that is reached directly shows a dash as its way', async () => {
  server.use(
    mock.get('*/api/v1/assets/domains/d1/', () =>
      HttpResponse.json({ ...zone, reached_through: null, reached_through_display: '' }),
    ),
  );
  await renderScreen(<ResourceDetail resource={domain} />, {
    address: '/assets/domains/d1',
    pattern: '/assets/domains/$id',
  });
  const name = (await screen.findAllByText('branch')).at(-1);
  const ways = name?.closest('dl')?.querySelectorAll('dd');
  expect([...(ways ?? [])].map((fact) => fact.textContent).slice(0, 2)).toEqual(['branch', '—']);
});
