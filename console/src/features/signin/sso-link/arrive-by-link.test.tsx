import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { SignInPage } from '../SignInPage';

const server = setupServer();
const ORIGIN = globalThis.location.origin;
const went = vi.fn<(address: string) => void>();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(async () => {
  went.mockReset();
  await startI18n(['app', 'ui', 'signin', 'mfa', 'sso-link'], 'en');
  writeCookie('csrftoken', 'a-csrf-token');
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })));
});
afterEach(() => {
  server.resetHandlers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
afterAll(() => server.close());

/** Opens the sign-in page as a link does; returns what is posted. */
function arrive(answers: readonly (() => Response)[], key = 'a-key'): unknown[] {
  const posted: unknown[] = [];
  server.use(
    mock.post('*/api/v1/authentication/sso/login/', async ({ request }) => {
      posted.push(await request.json());
      const answer = answers[posted.length - 1];
      if (answer === undefined) throw new Error('one call too many');
      return answer();
    }),
  );
  const address = new URL(`/core/auth/login/?sso=1#${key}`, ORIGIN);
  vi.stubGlobal('location', Object.assign(address, { assign: went }));
  render(<SignInPage />);
  return posted;
}
const done = () => HttpResponse.json({ next: '/ui/assets', must_change_password: false });
const refused = () =>
  HttpResponse.json(
    { error: 'sso_link_used', msg: 'This link has been used or has expired.' },
    { status: 400 },
  );
const other = () =>
  HttpResponse.json({ code: 'sso_other_user', detail: 'You are signed in as Bob(bob).' }, { status: 409 });

test('the key is taken out of the address, posted once, and the answer is followed', async () => {
  const replaced = vi.spyOn(history, 'replaceState');
  const posted = arrive([done]);
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
  expect(posted).toEqual([{ key: 'a-key' }]);
  expect(String(replaced.mock.calls[0]?.[2])).toBe(`${ORIGIN}/core/auth/login/`);
});

test('a used link is explained above the form for the password', async () => {
  arrive([refused]);
  expect((await screen.findByRole('alert')).textContent).toContain('used or has expired');
  expect(await screen.findByLabelText('Username')).toBeTruthy();
  expect(went).not.toHaveBeenCalled();
});

test('a second factor is asked for', async () => {
  const data = { choices: ['code'], url: '/api/v1/authentication/mfa/challenge/' };
  arrive([() => HttpResponse.json({ error: 'mfa_required', msg: 'code please', data })]);
  expect(await screen.findByLabelText('MFA code')).toBeTruthy();
});

test('another user of the browser agrees before the link is used', async () => {
  const posted = arrive([other, done]);
  expect(await screen.findByText('You are signed in as Bob(bob).')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Sign out and continue' }));
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
  expect(posted).toEqual([{ key: 'a-key' }, { key: 'a-key', switch: true }]);
});

test('another user of the browser may stay', async () => {
  const posted = arrive([other]);
  fireEvent.click(await screen.findByRole('button', { name: 'Stay signed in' }));
  expect(went).toHaveBeenCalledWith('/ui/');
  expect(posted).toHaveLength(1);
});

test('a server that does not answer can be asked again with the same link', async () => {
  const posted = arrive([() => HttpResponse.error(), done]);
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
  expect(posted).toHaveLength(2);
});
