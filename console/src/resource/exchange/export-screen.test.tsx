import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import {
  claimRows,
  csvAnswer,
  exports,
  fields,
  groups,
  LIST,
  metadata,
  openMenu,
  renderScreen,
  saved,
  server,
  where,
} from '#/test/exchange-rig';
import { adminSession, rootOrg } from '#/test/render';
import type { ExchangeDefinition } from '../define';
import { ResourceList } from '../list/ResourceList';

describe('header action', () => {
  /** The offered actions: the entries of the menu, or the single button. */
  const offered = async (
    options: { session?: Session; exchange?: ExchangeDefinition; meta?: object } = {},
  ) => {
    if (options.meta)
      server.use(mock.options(LIST, () => HttpResponse.json({ ...metadata, ...options.meta })));
    await renderScreen(<ResourceList resource={groups(options.exchange)} />, { session: options.session });
    await screen.findByRole('link', { name: 'dba' });
    const buttons = screen.queryAllByRole('button', { name: /^(?:Import|Export)/ });
    if (buttons[0]?.getAttribute('aria-haspopup') !== 'menu')
      return buttons.map((button) => button.textContent);
    await userEvent.click(buttons[0]);
    return screen.getAllByRole('menuitem').map((item) => item.textContent);
  };

  test('[S2-210] [S2-211] a list exports and imports', async () => {
    expect(await offered()).toEqual(['Import', 'Export']);
  });

  test('[S2-216] import is not offered in the root organization', async () => {
    expect(await offered({ session: { ...adminSession, organization: rootOrg } })).toEqual(['Export']);
  });

  test('actions that the definition, the server or the rights exclude are not offered', async () => {
    expect(await offered({ exchange: { import: false } })).toEqual(['Export']);
  });

  test('a server that neither renders nor reads files offers nothing', async () => {
    expect(await offered({ meta: { renders: ['application/json'], parses: ['application/json'] } })).toEqual(
      [],
    );
  });

  test('a single action is a button without a menu', async () => {
    expect(await offered({ exchange: { export: false } })).toEqual(['Import']);
    expect(screen.queryByRole('menuitem')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(await screen.findByRole('dialog', { name: /^Import/ }, { timeout: 60_000 })).toBeTruthy();
  });

  test('without the right to create, import is not offered', async () => {
    expect(await offered({ meta: { actions: { GET: fields } } })).toEqual(['Export']);
  });
});

describe('export', () => {
  test('[S5-046] [S5-047] [S5-048] without condition and selection only "all" is offered; the others say why not', async () => {
    const { dialog } = await openMenu('Export');
    expect(within(dialog).getByRole('radio', { name: /^All/ })).toHaveProperty('checked', true);
    expect(within(dialog).getByRole('radio', { name: /^Selected.*No row is selected/ })).toHaveProperty(
      'disabled',
      true,
    );
    expect(within(dialog).getByRole('radio', { name: /^Filtered.*no condition/ })).toHaveProperty(
      'disabled',
      true,
    );
  });

  test('[S7-064] "all" is a GET on the list with the format, saved under the server\'s file name', async () => {
    const { dialog } = await openMenu('Export');
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Excel (xlsx)' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    expect(await screen.findByText('group_2026-11-21_12-00-00.csv downloaded')).toBeTruthy();
    expect(exports()[0]?.query).toEqual({ format: 'xlsx' });
    // Every request names the organization, so the export is from the displayed organization.
    expect(exports()[0]?.headers.get('X-JMS-ORG')).toBe(adminSession.organization.id);
    expect(saved).toEqual([{ name: 'group_2026-11-21_12-00-00.csv', href: 'blob:http://postern.test/1' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('[S5-046] [S7-066] with conditions the filtered rows are exported under the same conditions', async () => {
    const { dialog } = await openMenu('Export', { address: '/?search=d&name=dba&order=-name' });
    expect(within(dialog).getByRole('radio', { name: /^All.*clear them/ })).toHaveProperty('disabled', true);
    expect(within(dialog).getByRole('radio', { name: /^Filtered/ })).toHaveProperty('checked', true);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', search: 'd', name: 'dba', order: '-name' });
  });

  test('[S5-047] [S7-065] selected rows are exported by their spm', async () => {
    await renderScreen(<ResourceList resource={groups()} />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select dba' }));
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Export' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByRole('radio', { name: /^Selected ?· 1 row$/ })).toHaveProperty(
      'checked',
      true,
    );
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(JSON.parse(where('POST', 'common/resources/cache/')[0]?.body ?? '')).toEqual({
      resources: ['g1'],
    });
    expect(exports()[0]?.query).toEqual({ format: 'csv', spm: 'spm-1' });
  });

  test("a refusal shows the server's message, and the dialog stays open for another try", async () => {
    server.use(
      mock.get(LIST, ({ request }) =>
        new URL(request.url).searchParams.has('format')
          ? HttpResponse.json({ detail: 'Too many rows' }, { status: 400 })
          : csvAnswer(request),
      ),
    );
    const { dialog } = await openMenu('Export');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    expect((await within(dialog).findByRole('alert')).textContent).toBe('Export failed: Too many rows');
    expect(saved).toHaveLength(0);
    server.use(mock.get(LIST, ({ request }) => csvAnswer(request)));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
  });

  test('with more than 10,000 rows the dialog says which rows are left out', async () => {
    claimRows(10_250);
    const { dialog } = await openMenu('Export');
    expect(within(dialog).getByText(/10,000 rows at most\. The other 250 are left out/)).toBeTruthy();
  });

  test('another list than the displayed one can be exported', async () => {
    server.use(mock.get('*/api/v1/users/group-secrets/', ({ request }) => csvAnswer(request)));
    const { dialog } = await openMenu('Export', {}, { exportApi: 'users/group-secrets/' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(where('GET', 'users/group-secrets/')[0]?.query).toEqual({ format: 'csv' });
  });
});

test('[S5-047] a person who may only read can select and export rows', async () => {
  server.use(mock.options(LIST, () => HttpResponse.json({ ...metadata, actions: { GET: fields } })));
  await renderScreen(<ResourceList resource={groups()} />);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select web' }));
  const bar = screen.getByRole('region', { name: 'Actions for the selection' });
  expect(within(bar).queryByRole('button', { name: 'Delete' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  await waitFor(() => expect(exports()[0]?.query).toEqual({ format: 'csv', spm: 'spm-1' }));
});
