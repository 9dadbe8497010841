import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';
import { hideJob, useShownJob } from '#/domain/jobs/shown-job';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { ResourceList } from '#/resource/list/ResourceList';
import { Bit } from '#/lib/permissions';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { assetMore } from './asset-more.resource';
import { asset } from './asset.resource';
import { AssetListPage } from './AssetListPage';
import { label } from './label.resource';

const written = {
  hostname: field('Hostname', { required: true }),
  ip: field('IP', { required: true }),
  platform: field('Platform', { type: 'field', required: true }),
  protocols: field('Protocols', { type: 'list', default: ['ssh/22'] }),
  labels: field('Labels', { type: 'field' }),
  nodes: field('Nodes', { type: 'field' }),
  vendor: field('Vendor'),
  sn: field('Serial number'),
  cpu_count: field('CPU count', { type: 'integer' }),
  comment: field('Comment', { max_length: undefined }),
};
const shown = {
  ...written,
  hardware_info: field('Hardware info', { read_only: true }),
  connectivity: field('Connectivity', { type: 'choice', read_only: true, choices: [] }),
};
const metadata = { name: 'Asset', actions: { GET: shown, POST: written, PUT: written, PATCH: written } };

const row = (id: string, more = {}) => ({
  id,
  hostname: id,
  ip: '192.0.2.1',
  platform: 'Linux',
  protocols: ['ssh/22'],
  is_active: true,
  connectivity: 'unknown',
  connectivity_reason: '',
  date_verified: null,
  nodes: ['n1'],
  nodes_display: ['/Default/web'],
  labels: [],
  labels_display: [],
  vendor: 'Dell',
  sn: '',
  cpu_count: null,
  comment: '',
  ...more,
});
const assets = [
  row('ok', { connectivity: 'ok', labels: ['l1', 'l2'], labels_display: ['env:prod', 'tier:core'] }),
  row('failed', {
    connectivity: 'failed',
    connectivity_reason: 'No route to host',
    date_verified: '2026/11/23 10:00:00 +0000',
  }),
  row('new'),
];
const labels = [
  { id: 'l1', name: 'env', value: 'prod', asset_count: 2, comment: null },
  { id: 'l2', name: 'tier', value: 'core', asset_count: 0, comment: null },
];

const pageOfRows = (rows: readonly unknown[]) => HttpResponse.json(pageOf(rows));

const { server, sent, methods } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/assets/nodes/children/tree/', () =>
      HttpResponse.json([
        {
          id: '1',
          name: 'Default (3)',
          title: 'Default',
          pId: '',
          isParent: false,
          meta: { type: 'node', data: { id: 'n0', key: '1', value: 'Default' } },
        },
      ]),
    ),
    mock.get('*/api/v1/assets/nodes/n0/', () =>
      HttpResponse.json({ id: 'n0', key: '1', name: 'Default', value: 'Default', full_value: '/Default' }),
    ),
    mock.get('*/api/v1/assets/nodes/', () =>
      pageOfRows([{ id: 'n2', full_value: '/Default/db', value: 'db' }]),
    ),
    mock.get('*/api/v1/assets/labels/', () => pageOfRows(labels)),
    mock.get('*/api/v1/assets/platforms/', () => pageOfRows([{ id: 1, name: 'Linux', base: 'Linux' }])),
    mock.get('*/api/v1/assets/host-keys/', () => pageOfRows([])),
    mock.get('*/api/v1/assets/assets/:id/', ({ params }) =>
      HttpResponse.json(assets.find((asset) => asset.id === params['id']) ?? row(String(params['id']))),
    ),
    mock.get('*/api/v1/assets/assets/', () => pageOfRows(assets)),
    mock.patch('*/api/v1/assets/assets/:id/', ({ params }) => HttpResponse.json(row(String(params['id'])))),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  ],
  () => [
    import('#/ui/question-dialog'),
    import('./PlacementDialog'),
    import('./AssetRelations'),
    import('./HostKeys'),
  ],
);

describe('form', () => {
  test('[S2-221] an update returns to the list', async () => {
    server.use(mock.put('*/api/v1/assets/assets/:id/', () => HttpResponse.json(row('ok'))));
    const { router } = await renderScreen(<ResourceForm resource={asset} mode="update" />, {
      address: '/assets/assets/ok/update',
      pattern: '/assets/assets/$id/update',
    });
    await userEvent.type(await screen.findByLabelText(/Comment/), 'moved');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets'));
    expect(sent('PUT', 'assets/assets/ok/')[0]?.body).toMatchObject({ hostname: 'ok', comment: 'moved' });
  });

  test('a new asset opens its own page', async () => {
    server.use(mock.post('*/api/v1/assets/assets/', () => HttpResponse.json(row('fresh'), { status: 201 })));
    const { router } = await renderScreen(<ResourceForm resource={asset} mode="create" />);
    await userEvent.type(await screen.findByLabelText(/Hostname/), 'fresh');
    await userEvent.type(screen.getByLabelText(/^\*?IP/), '192.0.2.7');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets/fresh'));
  });
});

describe('list', () => {
  test('it shows the columns of the contract and the labels', async () => {
    await renderScreen(<ResourceList resource={asset} />);
    await screen.findByRole('link', { name: 'ok' });
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent.trim());
    expect(heads.filter((head) => head !== '')).toEqual([
      'Hostname',
      'IP',
      'Protocols',
      'Connectivity',
      'Platform',
      'Hardware info',
      'Labels',
      'Actions',
    ]);
    expect(screen.getByTitle('env:prod, tier:core').textContent).toBe('env prod+1');
  });

  test('[S4-039] connectivity is shown as Reachable, Unreachable or Unknown', async () => {
    await renderScreen(<ResourceList resource={asset} />);
    await screen.findByRole('link', { name: 'ok' });
    for (const [name, word] of [
      ['ok', 'Reachable'],
      ['failed', 'Unreachable'],
      ['new', 'Unknown'],
    ] as const) {
      const line = screen.getByRole('link', { name }).closest('tr');
      expect(within(line as HTMLElement).getByText(word)).toBeTruthy();
    }
  });

  test('an unreachable asset says when that was seen and why', async () => {
    await renderScreen(<ResourceList resource={asset} />);
    await screen.findByRole('link', { name: 'failed' });
    const state = screen.getByText('Unreachable').closest('[title]');
    expect(state?.getAttribute('title')).toMatch(/2026[^]*No route to host/);
  });

  test('chosen assets are tested by one job, whose log opens', async () => {
    server.use(
      mock.post('*/api/v1/assets/assets/tasks/', () => HttpResponse.json({ task: 'job-1' }, { status: 201 })),
    );
    await renderScreen(<AssetListPage />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select ok' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select failed' }));
    await userEvent.click(screen.getByRole('button', { name: 'Test connectivity' }));
    await waitFor(() => expect(useShownJob.getState().id).toBe('job-1'));
    expect(sent('POST', 'assets/assets/tasks/')[0]?.body).toEqual({
      action: 'test',
      assets: ['ok', 'failed'],
    });
    hideJob();
  });

  test('[S5-059] the delete question names the asset by its hostname', async () => {
    await renderScreen(<ResourceList resource={asset} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of failed' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete asset “failed”?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(sent('DELETE', 'assets/assets/')).toHaveLength(0);
  });

  test('the label in the address is a condition of the request', async () => {
    await renderScreen(<ResourceList resource={asset} />, { address: '/?label=env:prod' });
    await screen.findByRole('link', { name: 'ok' });
    expect(sent('GET', 'assets/assets/')[0]?.query.get('label')).toBe('env:prod');
    expect(screen.getByText('Label: env:prod')).toBeTruthy();
  });

  test('chosen assets are moved into a node, and the selection is cleared', async () => {
    server.use(mock.put('*/api/v1/assets/nodes/n2/assets/replace/', () => HttpResponse.json({})));
    await renderScreen(<AssetListPage />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select ok' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select new' }));
    expect(screen.queryByRole('button', { name: 'Remove from node' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Move to node' }));
    const dialog = await screen.findByRole('dialog', { name: 'Put 2 assets into a node' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Move' }));
    expect(await within(dialog).findByText('This field is required')).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('combobox', { name: 'Node' }));
    await userEvent.click(await screen.findByRole('option', { name: /\/Default\/db/ }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Move' }));
    expect(await screen.findByText('2 assets placed')).toBeTruthy();
    expect(sent('PUT', 'assets/nodes/n2/assets/replace/')[0]?.body).toEqual({ assets: ['ok', 'new'] });
    await waitFor(() =>
      expect(screen.queryByRole('region', { name: 'Actions for the selection' })).toBeNull(),
    );
  });

  test('inside a node, chosen assets are removed from it', async () => {
    server.use(mock.put('*/api/v1/assets/nodes/n0/assets/remove/', () => HttpResponse.json({})));
    await renderScreen(<AssetListPage />, { address: '/?node=n0' });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select new' }));
    await userEvent.click(screen.getByRole('button', { name: 'Remove from node' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Remove 1 asset from this node?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('1 asset removed')).toBeTruthy();
    expect(sent('PUT', 'assets/nodes/n0/assets/remove/')[0]?.body).toEqual({ assets: ['new'] });
  });

  test('the node of the address is named after a reload, and its menu shows what identifies it', async () => {
    await renderScreen(<AssetListPage />, { address: '/?node=n0' });
    expect(await screen.findByRole('heading', { level: 1, name: 'Default' })).toBeTruthy();
    // Without room for it beside the list, the tree is in a drawer.
    await userEvent.click(await screen.findByRole('button', { name: 'Default' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Node actions' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Node information' }));
    const dialog = await screen.findByRole('dialog', { name: 'Node information' });
    expect(await within(dialog).findByText('/Default')).toBeTruthy();
  });

  test('a node that no longer exists leaves the address, with a message', async () => {
    server.use(
      mock.get('*/api/v1/assets/nodes/gone/', () => HttpResponse.json({ detail: 'no' }, { status: 404 })),
    );
    const { router } = await renderScreen(<AssetListPage />, { address: '/?node=gone' });
    expect(await screen.findByText(/This node no longer exists/)).toBeTruthy();
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty('node'));
  });

  test('in the root organization assets cannot be moved', async () => {
    await renderScreen(<ResourceList resource={asset} />, {
      session: { ...adminSession, organization: rootOrg },
    });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select ok' }));
    expect(screen.queryByRole('button', { name: 'Move to node' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Actions of ok' }));
    expect(screen.queryByRole('menuitem', { name: 'Edit more information' })).toBeNull();
  });
});

describe('more information', () => {
  const at = { address: '/assets/assets/detail/new/update', pattern: '/assets/assets/detail/$id/update' };

  test('it writes hardware and system with a PATCH and returns to the asset', async () => {
    const { router } = await renderScreen(<ResourceForm resource={assetMore} mode="update" />, at);
    const vendor = await screen.findByLabelText<HTMLInputElement>(/Vendor/);
    expect(vendor.value).toBe('Dell');
    await userEvent.type(screen.getByLabelText(/Serial number/), 'S-1');
    await userEvent.type(screen.getByLabelText(/CPU count/), '2');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets/new'));
    const body = sent('PATCH', 'assets/assets/new/')[0]?.body as Record<string, unknown>;
    expect(body).toMatchObject({ hostname: 'new', vendor: 'Dell', sn: 'S-1', cpu_count: 2 });
    for (const name of ['protocols', 'nodes', 'labels', 'comment'])
      expect(Object.keys(body)).not.toContain(name);
    expect(methods().includes('PUT')).toBe(false);
  });

  test('the menu of a row opens it', async () => {
    const { router } = await renderScreen(<ResourceList resource={asset} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of new' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Edit more information' }));
    expect(router.state.location.pathname).toBe('/assets/assets/detail/new/update');
  });
});

describe('detail', () => {
  const at = (id: string) => ({ address: `/assets/assets/${id}`, pattern: '/assets/assets/$id' });
  const card = async (title: string) =>
    (await screen.findByRole('heading', { level: 2, name: title })).closest('section') as HTMLElement;

  test('adding and removing labels sends a PATCH with all labels', async () => {
    await renderScreen(<ResourceDetail resource={asset} />, at('ok'));
    const box = await card('Labels');
    await userEvent.click(within(box).getByRole('button', { name: 'Remove env:prod' }));
    await waitFor(() => expect(sent('PATCH', 'assets/assets/ok/')).toHaveLength(1));
    expect(sent('PATCH', 'assets/assets/ok/')[0]?.body).toEqual({ labels: ['l2'] });
  });

  test('a new label is added to the existing ones', async () => {
    server.use(
      mock.get('*/api/v1/assets/assets/one/', () =>
        HttpResponse.json(row('one', { labels: ['l2'], labels_display: ['tier:core'] })),
      ),
    );
    await renderScreen(<ResourceDetail resource={asset} />, at('one'));
    const box = await card('Labels');
    await userEvent.click(within(box).getByRole('combobox', { name: 'Add a label' }));
    await userEvent.click(await screen.findByRole('option', { name: /env: prod/ }));
    await userEvent.click(within(box).getByRole('button', { name: 'Add' }));
    await waitFor(() =>
      expect(sent('PATCH', 'assets/assets/one/')[0]?.body).toEqual({ labels: ['l2', 'l1'] }),
    );
  });

  test.each([
    [Bit.admin, false],
    [Bit.admin | Bit.audit, true],
  ])('the tab of commands with permission %i: %s', async (currentRole, isShown) => {
    const session = { ...adminSession, currentRole };
    await renderScreen(<ResourceDetail resource={asset} />, { ...at('ok'), session });
    await screen.findByRole('tab', { name: 'Sessions' });
    expect(screen.queryByRole('tab', { name: 'Commands' }) !== null).toBe(isShown);
  });

  test('the last node cannot be removed', async () => {
    await renderScreen(<ResourceDetail resource={asset} />, at('new'));
    const box = await card('Nodes');
    const remove = within(box).getByRole('button', { name: 'Remove /Default/web' });
    expect(remove.getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(remove);
    expect(sent('PATCH', 'assets/assets/new/')).toHaveLength(0);
  });
});

describe('labels', () => {
  const fields = {
    name: field('Name', { required: true, filter: true }),
    value: field('Value', { required: true, filter: true }),
    asset_count: field('Assets amount', { read_only: true, order: true }),
    assets: field('Assets', { type: 'field' }),
    comment: field('Comment', { max_length: undefined }),
  };
  beforeEach(() => {
    server.use(
      mock.options('*/api/v1/assets/labels/*', () =>
        HttpResponse.json({ name: 'Label', actions: { GET: fields, POST: fields, PUT: fields } }),
      ),
      mock.options('*/api/v1/assets/labels/', () =>
        HttpResponse.json({ name: 'Label', actions: { GET: fields, POST: fields, PUT: fields } }),
      ),
    );
  });

  test('[S1-023] the list links from a label to the assets that have it', async () => {
    await renderScreen(<ResourceList resource={label} />);
    const count = await screen.findByRole('link', { name: '2' });
    expect(count.getAttribute('href')).toBe('/assets/assets?label=env%3Aprod');
    expect(screen.queryByRole('link', { name: '0' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Create label' })).toBeTruthy();
  });

  test('a label is created from name, value and assets', async () => {
    server.use(
      mock.post('*/api/v1/assets/labels/', () =>
        HttpResponse.json({ ...labels[0], id: 'l9' }, { status: 201 }),
      ),
    );
    const { router } = await renderScreen(<ResourceForm resource={label} mode="create" />);
    await userEvent.type(await screen.findByLabelText(/Name/), 'env');
    await userEvent.type(screen.getByLabelText(/Value/), 'prod');
    await userEvent.click(screen.getByRole('combobox', { name: 'Assets' }));
    await userEvent.click(await screen.findByRole('option', { name: /failed/ }));
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels'));
    expect(sent('POST', 'assets/labels/')[0]?.body).toEqual({
      name: 'env',
      value: 'prod',
      assets: ['failed'],
      comment: '',
    });
    expect(await screen.findByText('env:prod created')).toBeTruthy();
  });

  test('a duplicate name and value is reported at both fields', async () => {
    server.use(
      mock.post('*/api/v1/assets/labels/', () =>
        HttpResponse.json({ name: ['This field must be unique.'], value: ['Taken.'] }, { status: 400 }),
      ),
    );
    await renderScreen(<ResourceForm resource={label} mode="create" />);
    await userEvent.type(await screen.findByLabelText(/Name/), 'env');
    await userEvent.type(screen.getByLabelText(/Value/), 'prod');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('This field must be unique.')).toBeTruthy();
    expect(screen.getByText('Taken.')).toBeTruthy();
  });
});
