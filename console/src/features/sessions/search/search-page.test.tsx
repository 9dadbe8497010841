import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { adminSession, renderScreen } from '#/test/render';
import { SearchPage } from './SearchPage';

const sessionOf = (id: string, more: object = {}) => ({
  id,
  user: 'Li(li)',
  user_id: 'u1',
  asset: 'web-01',
  asset_id: 'a1',
  system_user: 'deploy(deploy)',
  protocol: 'ssh',
  date_start: '2026/11/22 13:43:03 +0000',
  org_id: 'o1',
  org_name: 'Default',
  is_whole: true,
  ...more,
});
const hit = (id: string, session: string, more: object = {}) => ({
  id,
  kind: 'screen',
  session: sessionOf(session),
  offset_ms: 61_234,
  datetime: '2026/11/22 13:44:04 +0000',
  line: '😀 echo 数据库 ok',
  matches: [[7, 10]],
  before: ['before\u202e'],
  after: ['<b>after</b>'],
  ...more,
});
const answer = (results: object[], more: object = {}) => ({
  results,
  next: null,
  waiting: 0,
  failed: 0,
  incomplete: 0,
  ...more,
});
let reply: () => Response = () => HttpResponse.json(answer([]));
let nextReply: () => Response = () => HttpResponse.json(answer([]));

const { sent } = recordedServer(() => [
  mock.get('*/api/v1/terminal/recording-hits/', ({ request }) =>
    new URL(request.url).searchParams.has('cursor') ? nextReply() : reply(),
  ),
  mock.get('*/api/v1/terminal/sessions/', () =>
    HttpResponse.json(
      pageOf([
        sessionOf('s1'),
        sessionOf('s2'),
        sessionOf('s3', { user: 'Wu(wu)', user_id: 'u2', asset: 'db-01', asset_id: 'a2' }),
      ]),
    ),
  ),
]);

const searches = () => sent('GET', 'terminal/recording-hits/');

beforeEach(() => {
  reply = () => HttpResponse.json(answer([hit('1', 's1')]));
});

const open = (address = '/terminal/search', session = adminSession) =>
  renderScreen(<SearchPage />, {
    address,
    pattern: '/terminal/search',
    texts: ['sessions', 'recording-hits'],
    session,
  });
const field = () => screen.findByRole('searchbox', { name: 'Text to find' });

test('without a text nothing is asked, and the page says what can be found', async () => {
  await open();
  await screen.findByRole('heading', { name: 'Search inside recordings' });
  expect(searches()).toEqual([]);
});

test('Enter searches, and the address has the text, so that the way back leads to the search before', async () => {
  const { router } = await open();
  await userEvent.type(await field(), '  数据库 {Enter}');
  await screen.findByText('1 hit in 1 session');
  expect(router.state.location.search).toMatchObject({ text: '数据库' });
  const { query } = searches()[0] ?? { query: new URLSearchParams() };
  expect([query.get('text'), query.get('limit'), query.get('cursor')]).toEqual(['数据库', '25', null]);
  expect(query.get('date_from')).toMatch(/^\d{4}-\d\d-\d\dT/);
  await userEvent.clear(await field());
  await userEvent.type(await field(), 'uptime{Enter}');
  await waitFor(() => expect(searches().at(-1)?.query.get('text')).toBe('uptime'));
  router.history.back();
  await waitFor(async () => expect(((await field()) as HTMLInputElement).value).toBe('数据库'));
});

test('a hit shows its line, marked and as text, and leads to its second', async () => {
  await open('/terminal/search?text=x%20y');
  const group = await screen.findByRole('article', { name: 'Li(li) on web-01' });
  expect(group.querySelector('mark')?.textContent).toBe('数据库');
  expect(group.querySelector('pre')?.textContent).toBe('before⟨U+202E⟩😀 echo 数据库 ok<b>after</b>');
  expect(group.querySelector('b')).toBeNull();
  for (const words of ['SSH', 'deploy(deploy)', 'On screen', '1 hit'])
    expect(group.textContent).toContain(words);
  const link = within(group).getByRole('link', { name: '01:01' });
  expect(link.getAttribute('href')).toBe('/terminal/sessions/s1?t=61.234&activeTab=replay');
});

test('more hits are loaded by the cursor, and the focus goes on to the first of them', async () => {
  reply = () => HttpResponse.json(answer([hit('1', 's1'), hit('2', 's1')], { next: 'c=1' }));
  nextReply = () => HttpResponse.json(answer([hit('3', 's1'), hit('4', 's2')], { waiting: 12, failed: 1 }));
  await open('/terminal/search?text=ok&kind=screen');
  await screen.findByText('The first 2 hits, in 1 session');
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('4 hits in 2 sessions');
  const { query } = searches()[1] ?? { query: new URLSearchParams() };
  expect([query.get('cursor'), query.get('kind')]).toEqual(['c=1', 'screen']);
  expect(screen.getAllByRole('article', { name: /on web-01/ })).toHaveLength(2);
  expect(screen.getByText('12 recordings are not indexed yet')).toBeTruthy();
  expect(screen.getByText('1 recording could not be indexed')).toBeTruthy();
  const moments = screen.getAllByRole('link', { name: '01:01' });
  await waitFor(() => expect(document.activeElement).toBe(moments[2]));
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(moments[3]);
  await userEvent.keyboard('kkk');
  expect(document.activeElement).toBe(moments[0]);
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();
});

test('recordings that are indexed in part are counted, and named where they have hits', async () => {
  const inPart = hit('1', 's1', { session: sessionOf('s1', { is_whole: false }) });
  reply = () => HttpResponse.json(answer([inPart, hit('2', 's2')], { incomplete: 1, waiting: 1000 }));
  await open('/terminal/search?text=ok');
  await screen.findByText('1 recording is indexed only in part');
  expect(screen.getByText('1000 or more recordings are not indexed yet')).toBeTruthy();
  const groups = screen.getAllByRole('article', { name: /on web-01/ });
  expect(groups.map((group) => within(group).queryByText('Indexed in part') !== null)).toEqual([true, false]);
});

test('a page without hits is not the end: the search goes on by itself, and later when asked', async () => {
  reply = () => HttpResponse.json(answer([], { next: 'c=1' }));
  nextReply = () => HttpResponse.json(answer([], { next: 'c=2' }));
  await open('/terminal/search?text=ok');
  await screen.findByText('Nothing found so far');
  expect(searches()).toHaveLength(10);
  nextReply = () => HttpResponse.json(answer([hit('1', 's1')]));
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('1 hit in 1 session');
  expect(searches().at(-1)?.query.get('cursor')).toBe('c=2');
});

test('when more hits do not load, those that are there stay', async () => {
  reply = () => HttpResponse.json(answer([hit('1', 's1')], { next: 'c=1' }));
  nextReply = () => HttpResponse.json({ detail: 'The index is busy.' }, { status: 503 });
  await open('/terminal/search?text=ok');
  await userEvent.click(await screen.findByRole('button', { name: 'Load more' }));
  await screen.findByText(/The index is busy/);
  expect(screen.getByRole('article', { name: 'Li(li) on web-01' })).toBeTruthy();
});

test('a person is chosen among those who have sessions, once each, and becomes a condition of the address', async () => {
  const { router } = await open('/terminal/search?text=ok&asset_id=a2');
  expect(await screen.findByRole('button', { name: 'Remove db-01' })).toBeTruthy();
  await userEvent.click(await screen.findByRole('combobox', { name: 'Person' }));
  const options = within(await screen.findByRole('listbox', { name: 'Person' }));
  await options.findByRole('option', { name: 'Wu(wu)' });
  expect(options.getAllByRole('option')).toHaveLength(2);
  await userEvent.click(options.getByRole('option', { name: 'Wu(wu)' }));
  await waitFor(() => expect(searches().at(-1)?.query.get('user_id')).toBe('u2'));
  expect(router.state.location.search).toMatchObject({ text: 'ok', user_id: 'u2', asset_id: 'a2' });
  await userEvent.click(screen.getByRole('button', { name: 'Remove db-01' }));
  await waitFor(() => expect(searches().at(-1)?.query.get('asset_id')).toBeNull());
});

test('a text that is too short is refused before it is sent', async () => {
  await open();
  await userEvent.type(await field(), 'x{Enter}');
  expect((await screen.findByText('Type at least 2 characters.')).role).toBe('alert');
  expect((await field()).getAttribute('aria-invalid')).toBe('true');
  expect(searches()).toEqual([]);
});

test('a pasted text stays in bounds, and one that is too long is refused', async () => {
  await open();
  await userEvent.click(await field());
  await userEvent.paste('x'.repeat(5000));
  expect(((await field()) as HTMLInputElement).value).toHaveLength(400);
  await userEvent.keyboard('{Enter}');
  expect((await screen.findByText('Type at most 200 characters.')).role).toBe('alert');
  expect(searches()).toEqual([]);
});

test('a short text of an address is explained', async () => {
  await open('/terminal/search?text=x');
  await screen.findByRole('heading', { name: 'This text cannot be searched' });
  expect(searches()).toEqual([]);
});

test('without hits the search can go further back', async () => {
  reply = () => HttpResponse.json(answer([]));
  await open('/terminal/search?text=ok');
  await screen.findByRole('heading', { name: 'Nothing found' });
  const before = searches()[0]?.query.get('date_from') ?? '';
  await userEvent.click(screen.getByRole('button', { name: 'Look one year further back' }));
  await waitFor(() => expect(searches()).toHaveLength(2));
  const after = searches()[1]?.query.get('date_from') ?? '';
  expect(Number(before.slice(0, 4)) - Number(after.slice(0, 4))).toBe(1);
});

test('a failure says why, and the same text can be searched again', async () => {
  reply = () => HttpResponse.json({ date_from: ['Enter a valid instant.'] }, { status: 400 });
  await open('/terminal/search?text=ok');
  await screen.findByText('Enter a valid instant.');
  reply = () => HttpResponse.json(answer([hit('1', 's1')]));
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('1 hit in 1 session');
  await userEvent.type(await field(), '{Enter}');
  await waitFor(() => expect(searches()).toHaveLength(3));
});

test('where searching is switched off, the page says so and asks nothing', async () => {
  await open('/terminal/search?text=ok', {
    ...adminSession,
    settings: { TERMINAL_SEARCH_RECORDINGS: false },
  });
  await screen.findByRole('heading', { name: 'Searching inside recordings is switched off' });
  expect(screen.getByRole('link', { name: 'Terminal settings' })).toBeTruthy();
  expect(searches()).toEqual([]);
});

test('where it was switched off since the page was opened, the answer says so', async () => {
  reply = () => HttpResponse.json({ code: 'search_off', detail: 'Off.' }, { status: 400 });
  await open('/terminal/search?text=ok');
  const title = await screen.findByRole('heading', { name: 'Searching inside recordings is switched off' });
  expect(title).toBeTruthy();
});
