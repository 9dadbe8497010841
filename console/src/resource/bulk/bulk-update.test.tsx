import { configure, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadNamespaces, startI18n } from '#/lib/i18n';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import { defineResource } from '../define';
import { ResourceList } from '../list/ResourceList';
import { updateMany } from './bulk-update';

interface Row {
  readonly id: string;
  readonly name: string;
}

const group = defineResource<Row>({
  name: 'UserGroupListTable',
  api: 'users/groups/',
  routes: {
    names: { list: 'UserGroupList', create: 'C', update: 'U', detail: 'D' },
    paths: {
      list: '/users/groups',
      create: '/users/groups/create',
      update: '/users/groups/$id/update',
      detail: '/users/groups/$id',
    },
    titles: {
      list: 'nav:group_list',
      create: 'nav:group_create',
      update: 'nav:group_update',
      detail: 'nav:group_detail',
    },
  },
  icon: Users,
  nameOf: (row) => row.name,
  noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
  can: { delete: () => true },
  list: {
    columns: ['name', 'comment'],
    bulkUpdate: { fields: ['is_active', 'comment', 'quota', 'created_by', 'unknown'] },
  },
});

const field = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 128,
  ...more,
});
const fields = {
  name: field('Name', { required: true }),
  comment: field('Comment'),
  is_active: field('Active', { type: 'boolean' }),
  quota: field('Quota', { type: 'integer', required: true }),
  created_by: field('Created by', { read_only: true }),
};
const metadata = { name: 'User group', actions: { GET: fields, POST: fields, PUT: fields, PATCH: fields } };

// A generous timeout for busy machines; a condition that never becomes true still fails.
configure({ asyncUtilTimeout: 20_000 });
vi.setConfig({ testTimeout: 60_000 });

const server = setupServer();
const LIST = '*/api/v1/users/groups/';
type Item = { readonly id: string } & Record<string, unknown>;
let patches: Item[][] = [];
/** Errors by id: a PATCH that contains such an item is answered with a list of errors aligned with the items. */
let refused: Record<string, object> = {};
let total = 2;

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Imported here, so that loading does not count against the timeout of a single test.
  await Promise.all([import('./BulkUpdateDialog'), import('#/ui/question-dialog')]);
}, 60_000);
beforeEach(() => {
  patches = [];
  refused = {};
  total = 2;
  clearToasts();
  server.use(
    mock.options(LIST, () => HttpResponse.json(metadata)),
    mock.get(LIST, ({ request }) => {
      const { searchParams } = new URL(request.url);
      const offset = Number(searchParams.get('offset'));
      const results = Array.from({ length: Math.min(15, total - offset) }, (_, index) => ({
        id: `g${offset + index + 1}`,
        name: `group ${offset + index + 1}`,
      }));
      return HttpResponse.json({ count: total, next: null, previous: null, results });
    }),
    mock.patch(LIST, async ({ request }) => {
      const items = (await request.json()) as Item[];
      patches.push(items);
      if (items.some(({ id }) => id in refused))
        return HttpResponse.json(
          items.map(({ id }) => refused[id] ?? {}),
          { status: 400 },
        );
      return HttpResponse.json(items);
    }),
  );
});
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const ids = (count: number) => Array.from({ length: count }, (_, index) => `g${index + 1}`);

describe('bulk update request', () => {
  beforeAll(() => startI18n(['app'], 'en'));
  const update = (count: number, progress: number[] = []) =>
    updateMany('users/groups/', ids(count), { comment: 'x' }, fields, (done) => progress.push(done));

  test('[S7-049] [S5-063] it is a PATCH with an array: the values once for each row, with its id', async () => {
    const result = await update(2);
    expect(patches).toEqual([
      [
        { id: 'g1', comment: 'x' },
        { id: 'g2', comment: 'x' },
      ],
    ]);
    expect(result).toEqual({ updated: ['g1', 'g2'], failed: new Map() });
  });

  test('it is sent in chunks of at most 100 rows and reports progress', async () => {
    const progress: number[] = [];
    const result = await update(250, progress);
    expect(patches.map((items) => items.length)).toEqual([100, 100, 50]);
    expect(progress).toEqual([100, 200, 250]);
    expect(result.updated).toHaveLength(250);
  });

  test('rows that the server rejects are left out, and the others are sent again', async () => {
    refused = {
      g2: { comment: ['too short'], meta: { port: ['low'] } },
      g3: { non_field_errors: ['locked'] },
    };
    const result = await update(4);
    expect(patches.map((items) => items.map(({ id }) => id))).toEqual([
      ['g1', 'g2', 'g3', 'g4'],
      ['g1', 'g4'],
    ]);
    expect(result.updated).toEqual(['g1', 'g4']);
    expect([...result.failed]).toEqual([
      ['g2', 'Comment: too short; meta.port: low'],
      ['g3', 'locked'],
    ]);
  });

  test.each([
    ['a refusal of all', () => HttpResponse.json({ detail: 'not yours' }, { status: 400 }), 'not yours'],
    [
      'an array of another length',
      () => HttpResponse.json([{}], { status: 400 }),
      'Bad request, please check again',
    ],
    [
      'an array that names nobody',
      () => HttpResponse.json([{}, {}], { status: 400 }),
      'Bad request, please check again',
    ],
    [
      'items without id',
      () => HttpResponse.json([['id or pk not in data']], { status: 400 }),
      'Bad request, please check again',
    ],
    ['a server that fails', () => HttpResponse.json({ error: 'boom' }, { status: 500 }), 'boom'],
  ])('%s ends the work and is the reason of every row', async (_, answer, reason) => {
    let count = 0;
    server.use(
      mock.patch(LIST, () => {
        count += 1;
        return answer();
      }),
    );
    const result = await update(2);
    expect(count).toBe(1);
    expect([...result.failed.values()]).toEqual([reason, reason]);
  });

  test('a connection lost in the middle ends the work and reports which rows were saved', async () => {
    let count = 0;
    server.use(
      mock.patch(LIST, () => {
        count += 1;
        return count === 2 ? HttpResponse.error() : undefined;
      }),
    );
    const result = await update(250);
    expect(result.updated).toHaveLength(100);
    expect(result.failed.size).toBe(150);
    expect(count).toBe(2);
  });
});

describe('bulk update dialog', () => {
  async function open(...names: string[]) {
    await renderScreen(<ResourceList resource={group} />);
    await loadNamespaces(['bulk']);
    await screen.findByRole('link', { name: 'group 1' });
    for (const name of names)
      await userEvent.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    await userEvent.click(within(bar).getByRole('button', { name: 'Update' }));
    return screen.findByRole('dialog');
  }
  const tick = (label: string) => userEvent.click(screen.getByRole('checkbox', { name: `Change ${label}` }));
  const agree = async (count: number) => {
    const question = await screen.findByRole('alertdialog', {
      name: count === 1 ? 'Update 1 user group?' : `Update ${count} user groups?`,
    });
    await userEvent.click(within(question).getByRole('button', { name: `Update ${count}` }));
    return question;
  };

  test('[S5-062] [S5-063] only ticked fields are sent, for each selected row', async () => {
    const dialog = await open('group 1', 'group 2');
    const comment = within(dialog).getByRole('textbox', { name: 'Comment' });
    expect(comment).toHaveProperty('disabled', true);
    await tick('Comment');
    await userEvent.type(comment, 'nights');
    await tick('Active');
    await tick('Active');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 2' }));
    await agree(2);
    expect(await screen.findByText('2 user groups updated')).toBeTruthy();
    expect(patches).toEqual([
      [
        { id: 'g1', comment: 'nights' },
        { id: 'g2', comment: 'nights' },
      ],
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByRole('region', { name: 'Actions for the selection' })).toBeNull();
  });

  test('a ticked checkbox field is sent as it is, and an emptied text as empty', async () => {
    const dialog = await open('group 1');
    await tick('Active');
    await tick('Comment');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 1' }));
    await agree(1);
    await waitFor(() => expect(patches).toEqual([[{ id: 'g1', is_active: false, comment: '' }]]));
  });

  test('the question names count, fields and the first names', async () => {
    const dialog = await open('group 1', 'group 2');
    await tick('Active');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 2' }));
    const question = await screen.findByRole('alertdialog', { name: 'Update 2 user groups?' });
    expect(question.textContent).toContain('Active');
    expect(
      within(question)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['group 1', 'group 2']);
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(patches).toEqual([]);
  });

  test('without a tick nothing is sent; fields that cannot be changed are not listed', async () => {
    const dialog = await open('group 1');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 1' }));
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(
      within(dialog)
        .getAllByRole('checkbox', { name: /^Change / })
        .map((box) => box.ariaLabel),
    ).toEqual(['Change Active', 'Change Comment', 'Change Quota']);
  });

  test('a ticked required field needs a value, an unticked one does not', async () => {
    const dialog = await open('group 1');
    await tick('Quota');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 1' }));
    expect(await within(dialog).findByText('This field is required')).toBeTruthy();
    await tick('Quota');
    await tick('Comment');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 1' }));
    await agree(1);
    await waitFor(() => expect(patches).toHaveLength(1));
  });

  test('failed rows are named with their reason and stay selected', async () => {
    refused = { g2: { comment: ['too short'] } };
    const dialog = await open('group 1', 'group 2');
    await tick('Comment');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 2' }));
    await agree(2);
    const note = await within(dialog).findByRole('alert');
    expect(within(note).getByRole('listitem').textContent).toBe('group 2: Comment: too short');
    expect(await screen.findByText('1 user group updated')).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText('1 selected')).toBeTruthy();
    expect(screen.getByRole('checkbox', { name: 'Select group 2' })).toHaveProperty('checked', true);
    expect(screen.getByRole('checkbox', { name: 'Select group 1' })).toHaveProperty('checked', false);
  });

  test('rows selected on several pages are updated together', async () => {
    total = 20;
    await renderScreen(<ResourceList resource={group} />);
    await loadNamespaces(['bulk']);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select group 1' }));
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select group 17' }));
    await userEvent.click(screen.getByRole('button', { name: 'Update' }));
    const dialog = await screen.findByRole('dialog', { name: 'Update 2 user groups' });
    await tick('Active');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Update 2' }));
    await agree(2);
    await waitFor(() => expect(patches[0]?.map(({ id }) => id)).toEqual(['g1', 'g17']));
  });

  test('in the root organization it says why it is not possible', async () => {
    await renderScreen(<ResourceList resource={group} />, {
      session: { ...adminSession, organization: rootOrg },
    });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select group 1' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    const button = within(bar).getByRole('button', { name: 'Update' });
    expect(button.title).toMatch(/global organization/);
    await userEvent.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a failed metadata request is reported in the dialog', async () => {
    await renderScreen(<ResourceList resource={group} />);
    await loadNamespaces(['bulk']);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select group 1' }));
    const { queryClient } = await import('#/lib/query');
    queryClient.removeQueries({ queryKey: ['metadata'] });
    server.use(mock.options(LIST, () => HttpResponse.json({}, { status: 500 })));
    await userEvent.click(screen.getByRole('button', { name: 'Update' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByRole('button', { name: 'Retry' })).toBeTruthy();
  });
});
