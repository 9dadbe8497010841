import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { ForgotPasswordPage } from '../ForgotPasswordPage';
import { SignInPage } from '../SignInPage';
import type { Share } from './solver.worker';

const server = setupServer();
const went = vi.fn<(address: string) => void>();
const PUZZLE = { token: 'signed', salt: '00', key: '00', rounds: 1, most: 3 };
const WANTED = { error: 'puzzle_required', msg: 'Reload the page and try again.', puzzle: PUZZLE };

/** Each share that a worker got, with the worker. A test answers as it likes. */
let shares: { share: Share; worker: EventTarget }[] = [];
let ended = 0;

class FakeWorker extends EventTarget {
  postMessage(share: Share) {
    shares.push({ share, worker: this });
  }
  terminate() {
    ended += 1;
  }
}

function answer(index: number, data: number | null) {
  shares[index]?.worker.dispatchEvent(new MessageEvent('message', { data }));
}

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(async () => {
  went.mockReset();
  [shares, ended] = [[], 0];
  await startI18n(['app', 'ui', 'signin', 'mfa', 'passkeys'], 'en');
  writeCookie('csrftoken', 'a-csrf-token');
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })));
  vi.stubGlobal('location', Object.assign(new URL('http://postern.test/ui/login'), { assign: went }));
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('isSecureContext', true);
});
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

/** Answers with a puzzle until a solution comes; the bodies that were sent. */
function serverAsks(path: string, body: object): unknown[] {
  const sent: unknown[] = [];
  server.use(
    mock.post(`*/api/v1/authentication/${path}/`, async ({ request }) => {
      const got = (await request.json()) as { puzzle?: unknown };
      sent.push(got);
      return got.puzzle === undefined ? HttpResponse.json(WANTED, { status: 400 }) : HttpResponse.json(body);
    }),
  );
  return sent;
}

async function enter() {
  render(<SignInPage />);
  await userEvent.type(await screen.findByLabelText('Username'), 'ann');
  await userEvent.type(screen.getByLabelText('Password'), 'violet anchor{Enter}');
}

const credentials = { username: 'ann', password: 'violet anchor' };

test('a puzzle is solved and the request sent again; the line comes only when it takes a moment', async () => {
  const sent = serverAsks('sign-in', { next: '/ui/assets', must_change_password: false });
  await enter();
  await waitFor(() => expect(shares).toHaveLength(1));
  expect(screen.queryByText('Checking your browser…')).toBeNull();
  expect(await screen.findByRole('button', { name: 'Checking your browser…' })).toBeTruthy();
  expect(screen.getByRole('status').textContent).toBe('Checking your browser…');
  answer(0, 2);
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
  expect(sent).toEqual([credentials, { ...credentials, puzzle: { token: 'signed', number: 2 } }]);
  expect(ended).toBe(1);
});

test('over plain http the work is shared between workers', async () => {
  vi.stubGlobal('isSecureContext', false);
  vi.spyOn(navigator, 'hardwareConcurrency', 'get').mockReturnValue(16);
  serverAsks('sign-in', { next: '/ui/assets', must_change_password: false });
  await enter();
  await waitFor(() => expect(shares.map(({ share }) => share.start)).toEqual([0, 1, 2, 3]));
  expect(new Set(shares.map(({ share }) => share.step))).toEqual(new Set([4]));
  answer(0, null);
  answer(3, 2);
  await waitFor(() => expect(went).toHaveBeenCalled());
  expect(ended).toBe(4);
});

test.each(['error', 'no solution'])(
  'a check that fails (%s) says so, and can be tried again',
  async (how) => {
    serverAsks('sign-in', { next: '/ui/assets', must_change_password: false });
    await enter();
    await waitFor(() => expect(shares).toHaveLength(1));
    if (how === 'error') shares[0]?.worker.dispatchEvent(new Event('error'));
    else answer(0, null);
    expect(await screen.findByText(/The check of your browser did not finish/)).toBeTruthy();
    await userEvent.type(screen.getByLabelText('Password'), 'violet anchor{Enter}');
    await waitFor(() => expect(shares).toHaveLength(2));
    answer(1, 0);
    await waitFor(() => expect(went).toHaveBeenCalled());
  },
);

test('a browser without workers says what to do', async () => {
  vi.stubGlobal('Worker', undefined);
  serverAsks('sign-in', {});
  await enter();
  expect(await screen.findByText(/Use a current browser/)).toBeTruthy();
});

test('a solution that is refused too shows the text of the server', async () => {
  server.use(mock.post('*/api/v1/authentication/sign-in/', () => HttpResponse.json(WANTED, { status: 400 })));
  await enter();
  await waitFor(() => expect(shares).toHaveLength(1));
  answer(0, 1);
  expect(await screen.findByText(WANTED.msg)).toBeTruthy();
});

test('a forgotten password is asked for with a solution', async () => {
  const sent = serverAsks('password/forgot', { msg: 'A mail is on its way.' });
  render(<ForgotPasswordPage />);
  await userEvent.type(screen.getByLabelText('Username or mail address'), 'ann{Enter}');
  await waitFor(() => expect(shares).toHaveLength(1));
  answer(0, 1);
  expect(await screen.findByText('A mail is on its way.')).toBeTruthy();
  expect(sent).toEqual([{ username: 'ann' }, { username: 'ann', puzzle: { token: 'signed', number: 1 } }]);
});

// The last one: the modules that it loads again are others than those of the page.
test('the address of the worker is trusted by a policy that gives no other', async () => {
  const policies: { name: string; url: string }[] = [];
  const createPolicy = (name: string, rules: { createScriptURL: (text: string) => string }) => {
    policies.push({ name, url: rules.createScriptURL('https://evil.example/') });
    return rules;
  };
  vi.resetModules();
  vi.stubGlobal('trustedTypes', { createPolicy });
  const { solve } = await import('./solve');
  for (const _ of [1, 2]) {
    const solved = solve(PUZZLE);
    answer(shares.length - 1, 1);
    expect(await solved).toEqual({ token: 'signed', number: 1 });
  }
  expect(policies).toHaveLength(1);
  expect(policies[0]).toMatchObject({ name: 'puzzle', url: expect.stringContaining('solver.worker') });
});
