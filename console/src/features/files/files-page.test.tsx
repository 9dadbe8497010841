import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { Entry } from './contract';
import { FilesPage } from './FilesPage';
import { paneForNext, uploads } from './links';
import { useWorkspace } from './workspace';

const asset = { id: 'a1', hostname: 'web-1', ip: '192.0.2.1', platform: 'Linux', protocols: ['ssh/22'] };
const account = {
  id: 's1',
  name: 'deploy',
  username: 'deploy',
  protocol: 'ssh',
  priority: 20,
  login_mode: 'auto',
};
const entry = (text: string, kind: Entry['kind'] = 'file'): Entry => ({
  name: { text, id: text },
  kind,
  size: 5,
  modified: 1_795_000_000,
  mode: 0o644,
});
const NAMES = ['etc', 'a.txt', 'b.txt', 'big.bin', 'c.txt'];
let actions: readonly string[] = ['connect', 'upload_file', 'download_file'];

const { server, sent } = recordedServer(
  () => [
    mock.get('*/api/v1/perms/users/nodes/children-with-assets/tree/', () => HttpResponse.json([])),
    mock.get('*/api/v1/perms/users/assets/', () => HttpResponse.json(pageOf([asset]))),
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () =>
      HttpResponse.json([{ ...account, actions }]),
    ),
    mock.post('*/api/v1/authentication/connection-token/', () =>
      HttpResponse.json({ token: 't', terminal_id: 'T', ws_path: '/ws/proxy/T/', files_path: '/files/T/' }),
    ),
    mock.get('*/files/T/s/list', ({ request }) => {
      const path = new URL(request.url).searchParams.get('path');
      const names =
        path === null ? [{ text: 'home', id: 'home' }] : path.split('/').map((id) => ({ text: id, id }));
      const rows =
        path === 'home/etc' ? [] : [entry('etc', 'folder'), ...NAMES.slice(1).map((name) => entry(name))];
      const lines = [{ path: names, top: 1, free: 1000 }, ...rows, { count: rows.length, problem: null }];
      return new HttpResponse(lines.map((line) => JSON.stringify(line)).join('\n'));
    }),
  ],
  () => [import('#/ui/question-dialog')],
);

/** The proxy's end of the websocket. */
class Socket extends EventTarget {
  static readonly OPEN = 1;
  static last: Socket;
  readyState = 1;
  sent: Record<string, unknown>[] = [];

  constructor() {
    super();
    Socket.last = this;
    queueMicrotask(() => this.dispatchEvent(new Event('open')));
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data) as Record<string, unknown>);
  }

  close(): void {
    this.readyState = 3;
  }

  say(message: object): void {
    act(() => {
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
    });
  }

  opened(actions: number): void {
    this.say({ type: 'files_opened', session_id: 's', resume_secret: 'r', actions });
  }
}

const before = useWorkspace.getState();
beforeEach(() => {
  vi.stubGlobal('WebSocket', Socket);
  // The list is as wide as a screen: jsdom has no layout.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000);
  actions = ['connect', 'upload_file', 'download_file'];
});
afterEach(() => act(() => useWorkspace.setState(before, true)));

/** The page with the asset open, and what its session permits. */
async function open(bits = 7) {
  history.replaceState(null, '', '/ui/files?asset=a1');
  const shown = await renderScreen(<FilesPage />, {
    address: '/files',
    pattern: '/files',
    texts: ['files', 'entered-credentials'],
  });
  await waitFor(() => expect(Socket.last?.sent[0]).toEqual({ type: 'open_files', token: 't' }));
  Socket.last.opened(bits);
  const grid = await screen.findByRole('grid', { name: 'Files of web-1' });
  await within(grid).findByRole('row', { name: /a\.txt/ });
  return { ...shown, grid };
}
const chosen = (grid: HTMLElement) =>
  within(grid)
    .queryAllByRole('row', { selected: true })
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent);

test('a session is opened for files, and lists the folder in which it begins', async () => {
  const { grid } = await open();
  expect(sent('POST', 'authentication/connection-token/')[0]?.body).toEqual({
    asset: 'a1',
    system_user: 's1',
    protocol: 'ssh',
    files: true,
  });
  expect(
    within(grid)
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent),
  ).toEqual(NAMES);
  expect(sent('GET', '/files/T/s/list')[0]?.query.has('path')).toBe(false);
});

test('the keyboard selects, opens and goes up again to where it was', async () => {
  const { grid } = await open();
  grid.focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(chosen(grid)).toEqual(['etc']);
  await userEvent.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(chosen(grid)).toEqual(['etc', 'a.txt', 'b.txt']);
  await userEvent.keyboard('{Control>}{End}{/Control} ');
  expect(chosen(grid)).toEqual(['etc', 'a.txt', 'b.txt', 'c.txt']);
  await userEvent.keyboard('big');
  expect(chosen(grid)).toEqual(['big.bin']);
  await userEvent.keyboard('{Control>}a{/Control}');
  expect(chosen(grid)).toEqual(NAMES);
  await userEvent.keyboard('{Escape}{Home}{Enter}');
  expect(await screen.findByText('This folder is empty')).toBeTruthy();
  await userEvent.keyboard('{Backspace}');
  await within(grid).findByRole('row', { name: /a\.txt/ });
  await waitFor(() => expect(grid.getAttribute('aria-activedescendant')).toMatch(/-etc$/));
  // Nothing above may be reached.
  await userEvent.keyboard('{Backspace}');
  expect(screen.getByRole('button', { name: 'Folder above' }).getAttribute('aria-disabled')).toBe('true');
});

test('a folder that does not load can be left upwards', async () => {
  const { grid } = await open();
  server.use(
    mock.get('*/files/T/s/list', ({ request }) =>
      new URL(request.url).searchParams.get('path') === 'home/etc'
        ? HttpResponse.json({ code: 'not_found', detail: 'It is gone.' }, { status: 404 })
        : undefined,
    ),
  );
  grid.focus();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(await screen.findByText('The folder did not load')).toBeTruthy();
  for (const name of ['Upload', 'New folder'])
    expect(screen.getByRole('button', { name }).getAttribute('title')).toBe('The folder did not load');
  await userEvent.click(screen.getByRole('button', { name: 'Folder above' }));
  expect(await within(grid).findByRole('row', { name: /a\.txt/ })).toBeTruthy();
  expect(sent('GET', '/files/T/s/list').at(-1)?.query.get('path')).toBe('home');
});

test('with two panes the next asset opens in the empty one, and ends no session', async () => {
  await open();
  await userEvent.click(screen.getByRole('button', { name: 'Two panes' }));
  expect(paneForNext()).toBe('right');
  expect(screen.queryByRole('button', { name: 'Open the next asset here' })).toBeNull();
});

test('what the permission does not include is not offered, and says why', async () => {
  const { grid } = await open(0b101);
  const isOff = (name: string) => screen.getByRole('button', { name }).getAttribute('title');
  expect(isOff('Upload')).toBe('Your permission does not include uploads');
  expect(isOff('New folder')).toBe('Your permission does not include uploads');
  grid.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(isOff('Delete')).toBe('Your permission does not include uploads');
  expect(screen.getByRole('link', { name: 'Download' }).getAttribute('href')).toBe(
    '/files/T/s/content?path=home%2Fa.txt',
  );
  await userEvent.keyboard('{Delete}{F2}');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  Socket.last.say({ type: 'notice', code: 'actions', message: 'Downloads have ended.', actions: 3 });
  expect(isOff('Download')).toBe('Your permission does not include downloads');
  expect(isOff('Delete')).not.toBe('Your permission does not include uploads');
  expect(screen.getByText('Downloads have ended.')).toBeTruthy();
});

test('deleting asks first, names what goes, and shows a refusal where it happened', async () => {
  const { grid } = await open();
  server.use(
    mock.post('*/files/T/s/delete', () =>
      HttpResponse.text(
        '{"so_far":1}\n{"count":1,"problem":{"code":"denied","detail":"The host refuses it."}}\n',
      ),
    ),
  );
  grid.focus();
  await userEvent.keyboard('{ArrowDown}{Shift>}{ArrowDown}{/Shift}{Delete}');
  const question = await screen.findByRole('alertdialog', { name: 'Delete 2 items on web-1?' });
  expect(question.textContent).toContain('a.txt');
  expect(sent('POST', '/files/T/s/delete')).toEqual([]);
  await userEvent.click(within(question).getByRole('button', { name: 'Delete 2 items' }));
  expect(await within(question).findByText('The host refuses it.')).toBeTruthy();
  expect(sent('POST', '/files/T/s/delete')[0]?.body).toEqual({ paths: ['home/etc', 'home/a.txt'] });
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
});

test('several files come in an archive', async () => {
  const { grid } = await open();
  const clicked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this.getAttribute('href') ?? '');
  });
  grid.focus();
  await userEvent.keyboard('{ArrowDown}{Shift>}{ArrowDown}{/Shift}');
  await userEvent.click(screen.getByRole('button', { name: 'Download' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'As a zip archive' }));
  expect(clicked).toEqual(['/files/T/s/archive?format=zip&path=home%2Fetc&path=home%2Fa.txt']);
});

test('the end of the session says why, keeps the list, and offers to open it again', async () => {
  const { grid } = await open();
  Socket.last.say({
    type: 'ended',
    reason: 'terminated',
    message: 'An administrator ended it.',
    exit_status: null,
  });
  expect(await screen.findByText('An administrator ended it.')).toBeTruthy();
  expect(within(grid).getByRole('row', { name: /a\.txt/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Upload' }).getAttribute('title')).toBe('The session has ended');
  const first = Socket.last;
  await userEvent.click(screen.getByRole('button', { name: 'Connect again' }));
  await waitFor(() => expect(Socket.last).not.toBe(first));
});

test('an asset without an account that may transfer files says so instead of opening', async () => {
  actions = ['connect'];
  history.replaceState(null, '', '/ui/files?asset=a1');
  await renderScreen(<FilesPage />, { address: '/files', pattern: '/files', texts: ['files'] });
  expect(await screen.findByText(/no account of it permits uploads or downloads/)).toBeTruthy();
  expect(sent('POST', 'authentication/connection-token/')).toEqual([]);
});

test('a person with unfinished uploads is asked before leaving', async () => {
  const { router } = await open();
  server.use(mock.post('*/files/T/s/name', () => new Promise<never>(() => undefined)));
  act(() =>
    uploads.add({ id: Object.keys(useWorkspace.getState().sessions)[0] ?? '', host: 'web-1' }, 'home', [
      { folders: [], file: new File(['x'], 'x.iso') },
    ]),
  );
  void router.navigate({ to: '/users' });
  const question = await screen.findByRole('alertdialog', { name: 'Stop 1 upload?' });
  expect(question.textContent).toContain('x.iso');
  await userEvent.click(within(question).getByRole('button', { name: 'Leave' }));
  expect(await screen.findByText('elsewhere')).toBeTruthy();
  expect(Socket.last.sent.at(-1)).toEqual({ type: 'close' });
});
