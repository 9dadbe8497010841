import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { choices, field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen, rootOrg, adminSession } from '#/test/render';
import { MoveDialog } from './MoveDialog';
import type { StorageRow } from './storage-row';
import { storage } from './storage.resource';
import { StorageCreatePage } from './StorageCreatePage';
import { StorageListPage } from './StorageListPage';

const s3 = {
  BUCKET: field('Bucket', { required: true }),
  ACCESS_KEY: field('Access key', { write_only: true }),
  SECRET_KEY: field('Secret key', { write_only: true }),
  ENDPOINT: field('Endpoint', { required: true }),
};
const plain = {
  name: field('Name', { required: true, filter: true }),
  is_default: field('Default storage', { type: 'boolean' }),
  comment: field('Comment'),
};
function described(types: readonly string[], children: object = {}) {
  const type = field('Type', { type: 'choice', choices: choices(...types), filter: true });
  const meta = field('Meta', { type: 'nested object', required: true, children });
  const written = { ...plain, type, meta };
  return {
    name: 'Storage',
    actions: { GET: written, POST: written, PUT: written, PATCH: written },
  };
}

const built = (id: string, name: string, type: string, isDefault: boolean) => ({
  id,
  name,
  type,
  type_display: type,
  meta: {},
  is_default: isDefault,
  is_built_in: true,
  comment: '',
});
const archive = {
  ...built('r3', 'archive', 's3', false),
  meta: { BUCKET: 'records', ENDPOINT: 'https://s3.example.com' },
  is_built_in: false,
  comment: 'In Frankfurt',
};
const rows = [built('r1', 'default', 'server', true), built('r2', 'null', 'null', false), archive];
const one = { ...archive, stored_secrets: ['ACCESS_KEY', 'SECRET_KEY'] };

const REPLAY = '*/api/v1/terminal/replay-storages/';
const COMMAND = '*/api/v1/terminal/command-storages/';

const { server, sent } = recordedServer(
  () => [
    mock.options(REPLAY, ({ request }) => {
      const type = new URL(request.url).searchParams.get('type');
      return HttpResponse.json(described(['null', 'server', 's3', 'oss'], type === null ? {} : s3));
    }),
    mock.options(`${REPLAY}:id/`, () => HttpResponse.json(described(['null', 'server', 's3', 'oss'], s3))),
    mock.get(REPLAY, () => HttpResponse.json(pageOf(rows))),
    mock.get(`${REPLAY}:id/`, () => HttpResponse.json(one)),
    mock.options(COMMAND, () => HttpResponse.json(described(['null', 'server']))),
    mock.get(COMMAND, () => HttpResponse.json(pageOf([built('c1', 'default', 'server', true)]))),
  ],
  () => [import('#/ui/question-dialog'), import('./StorageTest'), import('./MoveDialog')],
);

const view = (screenOf: React.ReactNode, options: object = {}) =>
  renderScreen(screenOf, { texts: ['storages'], ...options });
const menuOf = async (name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  return screen.getAllByRole('menuitem').map((item) => item.textContent);
};

test('[S2-106] both kinds are on one screen, and the built-in storages say why they stay', async () => {
  await view(<StorageListPage />);
  expect(await menuOf('archive')).toEqual(['Make it the default', 'Move recordings', 'Update', 'Delete']);
  await userEvent.keyboard('{Escape}');
  await menuOf('default');
  for (const name of ['Update', 'Delete']) {
    const action = screen.getByRole('menuitem', { name: new RegExp(name) });
    expect(action.getAttribute('aria-disabled')).toBe('true');
    expect(action.textContent + action.title).toContain(
      'This storage is part of Postern. It cannot be changed or deleted.',
    );
  }
  await userEvent.keyboard('{Escape}');
  expect(screen.getByRole('row', { name: /archive.*records · https/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /default.*Default/ })).toBeTruthy();
  await userEvent.click(screen.getByRole('tab', { name: 'Command storages' }));
  await waitFor(() => expect(sent('GET', 'terminal/command-storages/')).toHaveLength(1));
});

test('the create menu holds the types that the server offers, and nothing without one', async () => {
  const replay = await view(<StorageListPage />);
  await screen.findByText('archive');
  await userEvent.click(screen.getByRole('button', { name: /Create replay storage/ }));
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['the s3', 'the oss']);
  await userEvent.click(screen.getByRole('menuitem', { name: 'the oss' }));
  expect(replay.router.state.location.href).toBe('/terminal/replay-storage/create?type=oss');
  replay.unmount();
  await view(<StorageListPage />, { address: '/?activeTab=command' });
  await screen.findByText('default');
  const create = screen.getByRole('button', { name: /Create command storage/ });
  expect(create.getAttribute('aria-disabled')).toBe('true');
  expect(create.title).toBe('This installation offers nothing that can be created here');
  expect(screen.getByText('This installation keeps commands in its database only.')).toBeTruthy();
});

test('a row is tested in a dialog, which says the result and tests again', async () => {
  const answers = [
    { is_valid: false, msg: 'There is no bucket records' },
    { is_valid: true, msg: '' },
  ];
  server.use(
    mock.post(`${REPLAY}r3/test-connective/`, async () => {
      await delay(20);
      return HttpResponse.json(answers.shift());
    }),
  );
  await view(<StorageListPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection archive' }));
  const dialog = await screen.findByRole('dialog', { name: 'Test of archive' });
  expect(await within(dialog).findByText('There is no bucket records')).toBeTruthy();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Test again' }));
  expect(await within(dialog).findByText('The storage works')).toBeTruthy();
  expect(sent('POST', 'terminal/replay-storages/r3/test-connective/')).toHaveLength(2);
});

test('another storage becomes the default after a question', async () => {
  server.use(mock.patch(`${REPLAY}r3/`, () => HttpResponse.json({ ...one, is_default: true })));
  await view(<StorageListPage />);
  expect(await menuOf('archive')).toContain('Make it the default');
  await userEvent.click(screen.getByRole('menuitem', { name: 'Make it the default' }));
  const question = await screen.findByRole('alertdialog', { name: 'Make “archive” the default storage?' });
  expect(sent('PATCH', 'terminal/replay-storages/r3/')).toHaveLength(0);
  await userEvent.click(within(question).getByRole('button', { name: 'Make it the default' }));
  expect(await screen.findByText('“archive” is the default storage')).toBeTruthy();
  expect(sent('PATCH', 'terminal/replay-storages/r3/')[0]?.body).toEqual({ is_default: true });
});

test('[S2-107] a new storage has the fields of its type, and is tested once it is saved', async () => {
  server.use(
    mock.post(REPLAY, () => HttpResponse.json(one, { status: 201 })),
    mock.post(`${REPLAY}r3/test-connective/`, () =>
      HttpResponse.json({ is_valid: false, msg: 'The key was refused' }),
    ),
  );
  const { router } = await view(<StorageCreatePage kind="replay" />, {
    address: '/terminal/replay-storage/create?type=s3',
    pattern: '/terminal/replay-storage/create',
    // Storages belong to no organization.
    session: { ...adminSession, organization: rootOrg },
  });
  await userEvent.type(await screen.findByLabelText(/^\*?Name/), 'archive');
  await userEvent.type(screen.getByLabelText(/^\*?Bucket/), 'records');
  await userEvent.type(screen.getByLabelText(/^\*?Endpoint/), 'https://s3.example.com');
  await userEvent.type(screen.getByLabelText(/^\*?Access key/), 'AK');
  await userEvent.type(screen.getByLabelText(/^\*?Secret key/), 'SK');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/terminal/storages'));
  const [created] = sent('POST', 'terminal/replay-storages/');
  expect(created?.query.get('type')).toBe('s3');
  expect(created?.body).toEqual({
    name: 'archive',
    type: 's3',
    is_default: false,
    comment: '',
    meta: { BUCKET: 'records', ACCESS_KEY: 'AK', SECRET_KEY: 'SK', ENDPOINT: 'https://s3.example.com' },
  });
  expect(await screen.findByText('The storage “archive” does not work')).toBeTruthy();
  expect(screen.getByText('The key was refused')).toBeTruthy();
});

test('[S2-108] keys that are left empty are kept, and the saved values can be tested', async () => {
  server.use(
    mock.put(`${REPLAY}r3/`, () => HttpResponse.json(one)),
    mock.post(`${REPLAY}r3/test-connective/`, () =>
      HttpResponse.json({ is_valid: true, msg: 'It answered' }),
    ),
  );
  await view(<ResourceForm resource={storage.replay} mode="update" />, {
    address: '/terminal/replay-storage/r3/update',
    pattern: '/terminal/replay-storage/$id/update',
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Test connection' }));
  expect(await screen.findByText('It answered')).toBeTruthy();
  await userEvent.clear(screen.getByLabelText(/^\*?Bucket/));
  await userEvent.type(screen.getByLabelText(/^\*?Bucket/), 'other');
  // Without keys nothing can be kept there.
  expect(screen.queryByRole('button', { name: /Remove/ })).toBeNull();
  expect(screen.getAllByText(/Leave empty to keep it/)).toHaveLength(2);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT', 'terminal/replay-storages/r3/')).toHaveLength(1));
  expect(sent('PUT', 'terminal/replay-storages/r3/')[0]?.body).toMatchObject({
    meta: { BUCKET: 'other', ENDPOINT: 'https://s3.example.com' },
  });
  expect(JSON.stringify(sent('PUT', 'terminal/replay-storages/r3/')[0]?.body)).not.toContain('_KEY');
});

test('another endpoint needs the keys again', async () => {
  await view(<ResourceForm resource={storage.replay} mode="update" />, {
    address: '/terminal/replay-storage/r3/update',
    pattern: '/terminal/replay-storage/$id/update',
  });
  expect(await screen.findAllByText(/Leave empty to keep it/)).toHaveLength(2);
  await userEvent.type(screen.getByLabelText(/^\*?Endpoint/), ':8443');
  expect(await screen.findAllByText(/The endpoint has changed/)).toHaveLength(2);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(sent('PUT', 'terminal/replay-storages/r3/')).toHaveLength(0);
});

test('a type that is not offered is replaced; without a type the form says so', async () => {
  const { router, unmount } = await view(<StorageCreatePage kind="replay" />, {
    address: '/terminal/replay-storage/create?type=swift',
    pattern: '/terminal/replay-storage/create',
  });
  await waitFor(() => expect(router.state.location.href).toBe('/terminal/replay-storage/create?type=s3'));
  expect(await screen.findByLabelText(/^\*?Bucket/)).toBeTruthy();
  unmount();
  await view(<StorageCreatePage kind="command" />);
  expect(await screen.findByText('This installation keeps commands in its database only.')).toBeTruthy();
});

test('the default cannot be deleted, and a storage that keeps nothing cannot become it', async () => {
  server.use(mock.get(REPLAY, () => HttpResponse.json(pageOf([{ ...archive, is_default: true }, rows[1]]))));
  await view(<StorageListPage />);
  expect(await menuOf('archive')).not.toContain('Make it the default');
  const removal = screen.getByRole('menuitem', { name: /Delete/ });
  expect(removal.textContent + removal.title).toContain('Make another storage the default first.');
  await userEvent.keyboard('{Escape}');
  expect((await menuOf('null')).join()).not.toContain('Make it the default');
});

test('a message about the place as a whole is shown above the form', async () => {
  server.use(
    mock.put(`${REPLAY}r3/`, () =>
      HttpResponse.json({ meta: ['Recordings lie in this bucket.'] }, { status: 400 }),
    ),
  );
  await view(<ResourceForm resource={storage.replay} mode="update" />, {
    address: '/terminal/replay-storage/r3/update',
    pattern: '/terminal/replay-storage/$id/update',
  });
  await userEvent.type(await screen.findByLabelText(/^\*?Bucket/), 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Recordings lie in this bucket/)).toBeTruthy();
});

test('a command storage has the fields of its type, as soon as the server offers one', async () => {
  const es = { HOSTS: field('Hosts', { type: 'list', required: true }), INDEX: field('Index') };
  server.use(mock.options(COMMAND, () => HttpResponse.json(described(['null', 'server', 'es'], es))));
  await view(<StorageCreatePage kind="command" />, {
    address: '/terminal/command-storage/create',
    pattern: '/terminal/command-storage/create',
  });
  expect(await screen.findByLabelText(/^\*?Hosts/)).toBeTruthy();
  expect(screen.getByRole('form', { name: 'Create command storage' })).toBeTruthy();
});

test('[S2-110] the form of a built-in command storage says why it cannot be saved', async () => {
  server.use(
    mock.options(`${COMMAND}:id/`, () => HttpResponse.json(described(['null', 'server']))),
    mock.get(`${COMMAND}:id/`, () => HttpResponse.json(built('c1', 'default', 'server', true))),
  );
  await view(<ResourceForm resource={storage.command} mode="update" />, {
    address: '/terminal/command-storage/c1/update',
    pattern: '/terminal/command-storage/$id/update',
  });
  expect(
    await screen.findByText('This storage is part of Postern. It cannot be changed or deleted.'),
  ).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
});

const still = { target: null, recordings: 3, total: 0, left: 0, waiting: 0, failing: 0, reason: '' };

test('moving recordings says how many, where they can go, and how far it is', async () => {
  let state: object = still;
  server.use(
    mock.get(`${REPLAY}r3/move-recordings/`, () => HttpResponse.json(state)),
    mock.post(`${REPLAY}r3/move-recordings/`, () => {
      state = { ...still, target: 'default', total: 3, left: 2, failing: 1, reason: 'The bucket is full.' };
      return HttpResponse.json(state, { status: 202 });
    }),
  );
  await view(<StorageListPage />);
  await menuOf('archive');
  await userEvent.click(screen.getByRole('menuitem', { name: 'Move recordings' }));
  const dialog = await screen.findByRole('dialog', { name: 'Move the recordings of archive' });
  expect(await within(dialog).findByText('3 recordings lie there.')).toBeTruthy();
  const move = within(dialog).getByRole('button', { name: 'Move 3 recordings' });
  expect(move.getAttribute('aria-disabled')).toBe('true');
  await userEvent.click(within(dialog).getByRole('button', { name: /To storage/ }));
  // Not the storage itself, and not the one that keeps nothing.
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['default']);
  await userEvent.click(screen.getByRole('option', { name: 'default' }));
  expect(sent('POST', 'terminal/replay-storages/r3/move-recordings/')).toHaveLength(0);
  await userEvent.click(move);
  expect(await within(dialog).findByText(/are being moved to “default”/)).toBeTruthy();
  expect(sent('POST', 'terminal/replay-storages/r3/move-recordings/')[0]?.body).toEqual({ target: 'r1' });
  expect(within(dialog).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('1');
  expect(within(dialog).getByText(/The bucket is full/)).toBeTruthy();
});

test('a storage without recordings has nothing to move, and a refused move says why', async () => {
  let state = { ...still, recordings: 0 };
  server.use(
    mock.get(`${REPLAY}r1/move-recordings/`, () => HttpResponse.json(state)),
    mock.post(`${REPLAY}r1/move-recordings/`, () =>
      HttpResponse.json({ target: ['They are on their way back.'] }, { status: 400 }),
    ),
  );
  const empty = await view(<MoveDialog row={rows[0] as StorageRow} onClose={() => undefined} />);
  expect(await screen.findByText('No recording lies there.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Move/ })).toBeNull();
  empty.unmount();
  state = { ...still, recordings: 1 };
  await view(<MoveDialog row={rows[0] as StorageRow} onClose={() => undefined} />);
  await userEvent.click(await screen.findByRole('button', { name: /To storage/ }));
  await userEvent.click(screen.getByRole('option', { name: 'archive' }));
  await userEvent.click(screen.getByRole('button', { name: 'Move 1 recording' }));
  expect(await screen.findByText(/They are on their way back/)).toBeTruthy();
});
