import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { http, onHttp } from '#/lib/http/client';
import { startI18n } from '#/lib/i18n';
import { followSessions } from '#/lib/live-sessions';
import { eventually } from '#/test/eventually';
import { renderScreen } from '#/test/render';
import { badgeText } from '#/ui/count-badge';
import { clearToasts } from '#/ui/toast';
import { PAGE_SIZE, type SiteMessage, useUnread } from './api';
import { Bell } from './Bell';
import { messageTime } from './message-time';
import { MessagesPage } from './MessagesPage';
import { safeFragment } from './sanitise';
import { reconnectDelay } from './socket';

const DAY_MS = 86_400_000;
const HOSTILE = `<p onclick="alert(1)">Restart at <b>22:00</b></p><script>alert(2)</script><img src=x onerror=alert(3)>
<a href="javascript:alert(4)">a</a><a href="https://example.com/" style="x">plan</a><svg><a xlink:href="javascript:alert(5)"/></svg>`;

function message(id: string, more: Partial<SiteMessage> = {}): SiteMessage {
  return {
    id,
    subject: `Subject ${id}`,
    message: HOSTILE,
    has_read: false,
    date_created: new Date().toISOString(),
    sender_display: 'Administrator',
    ...more,
  };
}

let messages: SiteMessage[] = [];
const lists: URL[] = [];
const marked: unknown[] = [];
const server = setupServer(
  mock.get('*/api/v1/notifications/site-message/', ({ request }) => {
    const url = new URL(request.url);
    lists.push(url);
    const wanted = url.searchParams.get('has_read');
    const matches = messages.filter((message) => wanted === null || String(message.has_read) === wanted);
    const offset = Number(url.searchParams.get('offset'));
    const results = matches.slice(offset, offset + Number(url.searchParams.get('limit')));
    return HttpResponse.json({ count: matches.length, next: null, previous: null, results });
  }),
  mock.patch('*/api/v1/notifications/site-message/mark-as-read/', async ({ request }) => {
    const body = (await request.json()) as { ids: string[] };
    marked.push(body);
    messages = messages.map((message) =>
      body.ids.includes(message.id) ? { ...message, has_read: true } : message,
    );
    return HttpResponse.json({ detail: 'ok' });
  }),
);

/** A socket whose server side is played by the test. */
class FakeSocket extends EventTarget {
  static opened: FakeSocket[] = [];
  closed = false;
  constructor(readonly url: string) {
    super();
    FakeSocket.opened.push(this);
  }
  static readonly OPEN = 1;
  readyState = 0;
  readonly sent: string[] = [];
  close() {
    this.closed = true;
  }
  send(text: string) {
    this.sent.push(text);
  }
  open() {
    this.readyState = FakeSocket.OPEN;
    act(() => void this.dispatchEvent(new Event('open')));
  }
  tell(data: unknown) {
    act(() => void this.dispatchEvent(new MessageEvent('message', { data })));
  }
  drop(code = 1006) {
    act(() => void this.dispatchEvent(Object.assign(new Event('close'), { code })));
  }
}

beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
beforeEach(() => {
  messages = [];
  lists.length = 0;
  marked.length = 0;
  FakeSocket.opened = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  useUnread.setState({ count: null });
});
afterEach(() => {
  vi.useRealTimers();
  act(clearToasts);
});
afterAll(() => server.close());

function socket(): FakeSocket {
  const last = FakeSocket.opened.at(-1);
  if (!last) throw new Error('no socket was opened');
  return last;
}
const bell = (name: RegExp | string) => screen.findByRole('button', { name }, { timeout: 60_000 });

test('the socket passes news of live sessions to subscribers and names their organization to the server', async () => {
  const onChange = vi.fn();
  await renderScreen(<Bell />);
  await bell('Site messages');
  const leave = followSessions('org-1', onChange);
  socket().open();
  expect(socket().sent).toEqual(['{"follow_sessions_of":"org-1"}']);
  socket().tell('{"type":"sessions_changed"}');
  socket().tell('{"type":"sessions_refused"}');
  expect(onChange).toHaveBeenCalledTimes(1);
  leave();
  expect(socket().sent.at(-1)).toBe('{"follow_sessions_of":null}');
  socket().tell('{"type":"sessions_changed"}');
  expect(onChange).toHaveBeenCalledTimes(1);
});

describe('bell', () => {
  test('[S1-071] [S1-072] [S9-008] [S7-039] it shows the unread count that the socket pushes, at most 99', async () => {
    await renderScreen(<Bell />);
    expect((await bell('Site messages')).textContent).toBe('');
    expect(socket().url).toBe('ws://postern.test/ws/notifications/site-msg/');
    socket().tell('{"type":"unread_count","unread_count":7}');
    expect((await bell('Site messages, 7 unread')).textContent).toBe('7');
    socket().tell('{"type":"unread_count","unread_count":100}');
    expect((await bell('Site messages, 100 unread')).textContent).toBe('99+');
    expect([99, 100].map(badgeText)).toEqual(['99', '99+']);
    for (const nonsense of ['{', '{"unread_count":"x"}', '{"unread_count":-1}', 'null'])
      socket().tell(nonsense);
    expect((await bell('Site messages, 100 unread')).textContent).toBe('99+');
  });

  test('[S9-007] [S7-037] it opens the newest 15 unread messages', async () => {
    messages = Array.from({ length: 20 }, (_, number) => message(String(number)));
    await renderScreen(<Bell />);
    await userEvent.click(await bell('Site messages'));
    const list = await screen.findByRole('list', { name: 'Site messages' }, { timeout: 60_000 });
    expect(within(list).getAllByRole('listitem')).toHaveLength(15);
    expect(PAGE_SIZE).toBe(15);
    expect(lists[0]?.search).toBe('?offset=0&limit=15&has_read=false');
    expect(screen.getByText('Newest 15 of 20 unread')).toBeTruthy();
  });

  test('[S4-022] [S7-038] [S3-011] it marks one message as read, then all', async () => {
    messages = Array.from({ length: 130 }, (_, number) => message(String(number)));
    await renderScreen(<Bell />);
    await userEvent.click(await bell('Site messages'));
    await userEvent.click(await bell('Mark as read: Subject 0'));
    await waitFor(() => expect(screen.queryByText('Subject 0')).toBeNull(), { timeout: 60_000 });
    expect(marked).toEqual([{ ids: ['0'] }]);
    await userEvent.click(await bell('Mark all as read'));
    expect(await screen.findByText('No unread messages', {}, { timeout: 60_000 })).toBeTruthy();
    expect(messages.every((message) => message.has_read)).toBe(true);
    expect(useUnread.getState().count).toBe(0);
  });

  test('[S3-013] [S3-015] it renders the message as HTML after sanitising it again', async () => {
    messages = [message('1')];
    await renderScreen(<Bell />);
    await userEvent.click(await bell('Site messages'));
    await userEvent.click(await bell(/^Subject 1/));
    expect((await screen.findByText('22:00', {}, { timeout: 60_000 })).tagName).toBe('B');
    expect(document.querySelector('script, img, [onclick], svg a')).toBeNull();
    const link = screen.getByRole('link', { name: 'plan' });
    expect(link.getAttribute('href')).toBe('https://example.com/');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(document.querySelector('a[href^="javascript"]')).toBeNull();
  });
});

test('[S3-015] only tags and attributes of the allow-list remain', () => {
  const place = document.createElement('div');
  place.append(
    safeFragment(`${HOSTILE}<style>p{}</style><h1>x</h1><table><tr><td colspan=2>1</td></tr></table>`),
  );
  const tags = new Set([...place.querySelectorAll('*')].map((element) => element.tagName.toLowerCase()));
  expect([...tags].sort()).toEqual(['a', 'b', 'p', 'table', 'tbody', 'td', 'tr']);
  expect(place.querySelector('a')?.hasAttribute('href')).toBe(false);
  expect(place.querySelector('td')?.attributes).toHaveLength(0);
});

describe('broken socket', () => {
  test('[S8-019] an outage is reported once, and reconnects are tried at growing intervals', async () => {
    await renderScreen(<Bell />);
    await bell('Site messages');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    socket().drop();
    await eventually(() => expect(screen.getAllByText('Connect Websocket failed')).toHaveLength(1));
    act(clearToasts);
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(FakeSocket.opened).toHaveLength(2);
    socket().drop();
    await act(() => vi.advanceTimersByTimeAsync(2_000));
    expect(FakeSocket.opened).toHaveLength(3);
    expect(screen.queryByText('Connect Websocket failed')).toBeNull();
    // A number from the server ends the outage: the next outage is reported again.
    socket().tell('{"unread_count":1}');
    socket().drop();
    await eventually(() => expect(screen.getByText('Connect Websocket failed')).toBeTruthy());
  });

  test('it waits at most a minute, with random jitter', () => {
    expect([1, 2, 3, 10].map((failures) => reconnectDelay(failures, 1))).toEqual([
      1_000, 2_000, 4_000, 60_000,
    ]);
    expect(reconnectDelay(1, 0)).toBe(500);
  });

  const refused = () => HttpResponse.json({ detail: 'x' }, { status: 401 });
  const onSignedOut = vi.fn<() => void>();

  test('closed because the sign-in has ended, it sends one request and no more', async () => {
    let asked = 0;
    server.use(
      mock.get('*/api/v1/notifications/site-message/', () => {
        asked += 1;
        return refused();
      }),
    );
    onHttp({ signedOut: onSignedOut });
    await renderScreen(<Bell />);
    await bell('Site messages');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    socket().drop(4401);
    // The refused request opens the question to sign in again.
    await eventually(() => expect(onSignedOut).toHaveBeenCalledOnce());
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    window.dispatchEvent(new Event('focus'));
    window.dispatchEvent(new Event('online'));
    expect(asked).toBe(1);
    expect(FakeSocket.opened).toHaveLength(1);
    expect(screen.queryByText('Connect Websocket failed')).toBeNull();
    // Signed in elsewhere and back again: after the first answer the bell works.
    server.resetHandlers();
    await http.get('notifications/site-message/?offset=0&limit=15');
    window.dispatchEvent(new Event('focus'));
    expect(FakeSocket.opened).toHaveLength(2);
  });

  test('it sends nothing when another request was already refused', async () => {
    server.use(mock.get('*/api/v1/elsewhere/', refused));
    await renderScreen(<Bell />);
    await bell('Site messages');
    await http.get('elsewhere/').catch(() => undefined);
    lists.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    socket().drop(4401);
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    expect(lists).toHaveLength(0);
    expect(FakeSocket.opened).toHaveLength(1);
    vi.useRealTimers();
    await http.get('notifications/site-message/?offset=0&limit=15');
  });

  test('closed because of a new sign-in in another tab, it reconnects', async () => {
    await renderScreen(<Bell />);
    await bell('Site messages');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    messages = [message('1')];
    socket().drop(4401);
    await eventually(() => expect(useUnread.getState().count).toBe(1));
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(FakeSocket.opened).toHaveLength(2);
    expect(screen.queryByText('Connect Websocket failed')).toBeNull();
  });

  test('it closes when the bell is removed', async () => {
    const { unmount } = await renderScreen(<Bell />);
    await bell('Site messages');
    unmount();
    expect(socket().closed).toBe(true);
  });
});

describe('time of a message', () => {
  const now = new Date('2026-11-21T12:00:00');
  const ago = (ms: number) => messageTime(new Date(now.getTime() - ms), now);

  test('[S9-010] it is relative up to seven days', async () => {
    await startI18n(['app'], 'en');
    expect([30_000, 300_000, 7_200_000, DAY_MS, 7 * DAY_MS].map(ago)).toEqual([
      'now',
      '5 minutes ago',
      '2 hours ago',
      'yesterday',
      '7 days ago',
    ]);
  });

  test('it has a space between number and Chinese word', async () => {
    await startI18n(['app'], 'zh');
    expect([300_000, 7_200_000, 7 * DAY_MS].map(ago)).toEqual(['5 分钟前', '2 小时前', '7 天前']);
    await startI18n(['app'], 'en');
  });

  test('[S9-009] it is the date for older messages', () => {
    expect(ago(7 * DAY_MS + 1_000)).toBe('2026-11-14 11:59');
    expect(ago(40 * DAY_MS)).toBe('2026-10-12 12:00');
  });
});

test('[S2-182] the page lists, filters and pages all messages', async () => {
  messages = Array.from({ length: 17 }, (_, number) => message(String(number), { has_read: number < 16 }));
  const { router } = await renderScreen(<MessagesPage />, {
    pattern: '/notifications/site-messages',
    address: '/notifications/site-messages',
  });
  expect(await screen.findByText('Subject 0', {}, { timeout: 60_000 })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  expect(await screen.findByText('Subject 16', {}, { timeout: 60_000 })).toBeTruthy();
  await userEvent.click(screen.getByRole('radio', { name: 'Read' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ show: 'read' }));
  await waitFor(() => expect(screen.queryByText('Subject 16')).toBeNull(), { timeout: 60_000 });
  expect(screen.getByText('Subject 0')).toBeTruthy();
});
