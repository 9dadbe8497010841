import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { http } from '#/lib/http/client';
import { setSession } from '#/lib/session';
import { eventually } from '#/test/eventually';
import { renderScreen } from '#/test/render';
import { clearToasts, TOAST_MS, useToasts } from '#/ui/toast';
import { KEEP_ALIVE_MS, reportHttp } from './report-http';

const profileCalls: number[] = [];
const server = setupServer(
  mock.get('*/api/v1/users/profile/', () => {
    profileCalls.push(Date.now());
    return HttpResponse.json({});
  }),
  mock.get('*/api/v1/fine/', () => HttpResponse.json({})),
  mock.get('*/api/v1/over/', () => HttpResponse.json({ detail: 'x' }, { status: 401 })),
  mock.get('*/api/v1/lost/', () => HttpResponse.error()),
  mock.get('*/api/v1/broken/', () =>
    HttpResponse.json({ error: 'disk full' }, { status: 500, headers: { 'X-Request-ID': 'abc-123' } }),
  ),
);
const navigate = vi.fn<(target: { readonly to: string }) => Promise<void>>();
const assign = vi.fn<(address: string) => void>();

beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
beforeEach(async () => {
  profileCalls.length = 0;
  assign.mockReset();
  vi.spyOn(browserLocation, 'assign').mockImplementation(assign);
  reportHttp({ navigate });
  await renderScreen(<p>work</p>);
  await screen.findByText('work');
});
afterEach(() => {
  server.resetHandlers();
  act(clearToasts);
  vi.useRealTimers();
  setSession(null);
});
afterAll(() => server.close());

const ask = (path: string) => act(() => http.get(path).catch(() => undefined));

describe('a lost organization', () => {
  const refused = (code: string, status: number) =>
    server.use(
      mock.get('*/api/v1/there/', () => HttpResponse.json({ detail: 'x', code }, { status })),
      mock.get('*/api/v1/orgs/orgs/current/', () => HttpResponse.json({ detail: 'x', code }, { status })),
    );

  test.each([
    ['organization_unknown', 404],
    ['organization_closed', 403],
  ])(
    '%s opens a question that leads to another organization; the page content stays until then',
    async (code, status) => {
      refused(code, status);
      await act(() => http.get('there/', { quiet: true }).catch(() => undefined));
      const name = 'The organization “Default” is not open to you any more';
      const dialog = await screen.findByRole('alertdialog', { name });
      expect(dialog.textContent).toContain('stays');
      expect(assign).not.toHaveBeenCalled();
      await userEvent.click(screen.getByRole('button', { name: 'Switch organization' }));
      await waitFor(() => expect(assign).toHaveBeenCalledWith('/ui/'));
    },
  );

  test('a refused organization that only this request names is an ordinary refusal', async () => {
    refused('organization_closed', 403);
    await act(() => http.get('orgs/orgs/current/', { query: { oid: 'elsewhere' } }).catch(() => undefined));
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(useToasts.getState().shown).toHaveLength(1);
  });
});

describe('a lost session', () => {
  test('[S8-005] [S8-006] [S8-008] a question with an info title opens; its re-login button goes to the login page', async () => {
    await ask('over/');
    const dialog = await screen.findByRole('alertdialog', { name: 'Info' });
    expect(dialog.textContent).toContain('You account has logout, Please login again');
    await userEvent.click(screen.getByRole('button', { name: 'Re-login' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/core/auth/login/?next=%2Fui%2F'));
  });

  test('[S8-004] [S8-007] cancel closes the question, and there is no banner', async () => {
    await ask('over/');
    await screen.findByRole('alertdialog', { name: 'Info' });
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(assign).not.toHaveBeenCalled();
    expect(screen.getByRole('region', { name: 'Results' }).textContent).toBe('');
  });

  test('it asks once, however many calls are refused', async () => {
    const request = () => http.get('over/').catch(() => undefined);
    await act(() => Promise.all([request(), request(), request()]));
    expect(await screen.findAllByRole('alertdialog')).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  });
});

test('[S8-047] a call without any answer shows nothing', async () => {
  await ask('lost/');
  expect(screen.getByRole('region', { name: 'Results' }).textContent).toBe('');
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test.each([
  [400, '[S8-010]', 'Bad request, please check again'],
  [403, '[S8-011]', 'Bad request, no permission for this operation'],
  [404, '[S8-013]', 'Resource lost or deleted'],
  [409, '[S8-012]', 'Refreshing, please try again later'],
  [500, '[S8-017]', 'The operation failed and the server gave no reason'],
])('status %i without a message of the server is a banner %s', async (status, _id, text) => {
  server.use(mock.get('*/api/v1/mute/', () => HttpResponse.json({}, { status })));
  await ask('mute/');
  expect(useToasts.getState().shown).toMatchObject([{ tone: 'error', text }]);
  expect(await screen.findByText(text)).toBeTruthy();
});

test.each(['error', 'msg', 'detail'])(
  '[S8-016] any other failure is a banner with the %s of the server and the request id',
  async (key) => {
    server.use(
      mock.get('*/api/v1/broken/', () =>
        HttpResponse.json({ [key]: 'disk full' }, { status: 500, headers: { 'X-Request-ID': 'abc-123' } }),
      ),
    );
    await ask('broken/');
    expect(await screen.findByText('disk full')).toBeTruthy();
    expect(screen.getByText('req abc-123')).toBeTruthy();
  },
);

test('[S8-015] [S9-002] the banner is red and disappears after five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await ask('broken/');
  const banner = screen.getByText('disk full').closest('li');
  expect(banner?.className).toContain('border-l-danger-dot');
  await act(() => vi.advanceTimersByTimeAsync(TOAST_MS - 1));
  expect(screen.queryByText('disk full')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.queryByText('disk full')).toBeNull();
  expect(TOAST_MS).toBe(5_000);
});

describe('the timer after an answer', () => {
  const settle = () => vi.advanceTimersByTimeAsync(0);

  test('[S9-003] [S9-004] the profile is requested once, 30 s after the last answer of another request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await http.get('fine/');
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS - 1);
    expect(profileCalls).toHaveLength(0);
    // Another answer restarts the 30 s.
    await http.get('fine/');
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS - 1);
    expect(profileCalls).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => expect(profileCalls).toHaveLength(1));
    await settle();
    // The answer to the profile request itself does not start the timer.
    await vi.advanceTimersByTimeAsync(10 * KEEP_ALIVE_MS);
    expect(profileCalls).toHaveLength(1);
    expect(KEEP_ALIVE_MS).toBe(30_000);
  });

  test('the refusal of a lost session does not start the timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await http.get('fine/');
    await http.get('over/').catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10 * KEEP_ALIVE_MS);
    expect(profileCalls).toHaveLength(0);
    vi.useRealTimers();
    await screen.findByRole('alertdialog', { name: 'Info' });
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await http.get('fine/');
  });

  test('[S9-004] the timer detects a lost session', async () => {
    server.use(mock.get('*/api/v1/users/profile/', () => HttpResponse.json({}, { status: 401 })));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await http.get('fine/');
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS);
    vi.useRealTimers();
    expect(await screen.findByRole('alertdialog', { name: 'Info' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  });
});
