import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { SignInPage } from './SignInPage';

const server = setupServer();
/** The address of the test's page: the history accepts no other. */
const ORIGIN = globalThis.location.origin;
const went = vi.fn<(address: string) => void>();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(async () => {
  went.mockReset();
  await startI18n(['app', 'ui', 'signin', 'mfa', 'external'], 'en');
  writeCookie('csrftoken', 'a-csrf-token');
  const data = { AUTH_WECOM: true, AUTH_DINGTALK: false, AUTH_FEISHU: true };
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
});
afterEach(() => {
  server.resetHandlers();
  vi.unstubAllGlobals();
});
afterAll(() => server.close());

function openAt(address: string) {
  vi.stubGlobal('location', Object.assign(new URL(address, ORIGIN), { assign: went }));
  render(<SignInPage />);
}

/** The visits that were used. */
function visits(answer: () => Response): string[] {
  const used: string[] = [];
  server.use(
    mock.post('*/api/v1/authentication/external/sign-in/', async ({ request }) => {
      used.push(((await request.json()) as { id: string }).id);
      return answer();
    }),
  );
  return used;
}

test('the page offers the providers that are on, and keeps where the person wants to go', async () => {
  openAt('/ui/login?next=/ui/assets');
  const wecom = await screen.findByRole('link', { name: 'Sign in with WeCom' });
  expect(wecom.getAttribute('href')).toBe('/core/auth/wecom/qr/login/?next=%2Fui%2Fassets');
  expect(screen.getByRole('link', { name: 'Sign in with FeiShu' })).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Sign in with DingTalk' })).toBeNull();
});

test('each provider of SAML has a button, and its own call uses the visit', async () => {
  const data = { SAML_PROVIDERS: [{ id: 'corp', name: 'Corp' }] };
  const used: unknown[] = [];
  server.use(
    mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })),
    mock.post('*/api/v1/authentication/saml/sign-in/', async ({ request }) => {
      used.push(await request.json());
      return HttpResponse.json({ next: '/ui/', must_change_password: false });
    }),
  );
  openAt('/ui/login?next=/ui/assets');
  const corp = await screen.findByRole('link', { name: 'Sign in with Corp' });
  expect(corp.getAttribute('href')).toBe('/core/auth/saml/corp/login/?next=%2Fui%2Fassets');
  cleanup();
  openAt('/core/auth/login/?external=v-3&by=saml');
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/'));
  expect(used).toEqual([{ id: 'v-3' }]);
});

test('each provider of OpenID Connect has a button with its name', async () => {
  const data = { OPENID_PROVIDERS: [{ id: 'corp', name: 'Corp\u202e' }] };
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
  openAt('/ui/login?next=/ui/assets');
  const corp = await screen.findByRole('link', { name: /^Sign in with Corp/ });
  expect(corp.getAttribute('href')).toBe('/core/auth/openid/corp/login/?next=%2Fui%2Fassets');
  expect(corp.textContent).not.toContain('\u202e');
  expect(screen.queryByRole('link', { name: 'Sign in with WeCom' })).toBeNull();
});

test('back from a provider of OpenID Connect its own call uses the visit', async () => {
  const used: unknown[] = [];
  server.use(
    mock.post('*/api/v1/authentication/openid/sign-in/', async ({ request }) => {
      used.push(await request.json());
      return HttpResponse.json({ next: '/ui/', must_change_password: false });
    }),
  );
  openAt('/core/auth/login/?external=v-2&by=openid');
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/'));
  expect(used).toEqual([{ id: 'v-2' }]);
});

test('back from a provider the visit is used once and the page follows the answer', async () => {
  const used = visits(() => HttpResponse.json({ next: '/ui/assets', must_change_password: false }));
  openAt('/core/auth/login/?external=v-1');
  await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
  expect(used).toEqual(['v-1']);
});

test('back from a provider a second factor is asked for', async () => {
  const data = { choices: ['code'], url: '/api/v1/authentication/mfa/challenge/' };
  visits(() => HttpResponse.json({ error: 'mfa_required', msg: 'code please', data }));
  openAt('/core/auth/login/?external=v-1');
  expect(await screen.findByLabelText('MFA code')).toBeTruthy();
  expect(went).not.toHaveBeenCalled();
});

test('a person who is not bound reads so above the form for the password', async () => {
  const body = { error: 'external_not_bound', msg: 'This account is not bound to a user.' };
  visits(() => HttpResponse.json(body, { status: 400 }));
  openAt('/core/auth/login/?external=v-1');
  expect((await screen.findByRole('alert')).textContent).toContain('not bound to a user');
  expect(await screen.findByLabelText('Username')).toBeTruthy();
  expect(went).not.toHaveBeenCalled();
});
