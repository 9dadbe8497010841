import { cleanup, render, screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { blocksOf, isDivided, WITHOUT_SETTINGS } from './first-blocks';
import { SignInPage } from './SignInPage';

const server = setupServer();
const OPENID = [{ id: 'corp', name: 'Corp' }];

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(async () => startI18n(['app', 'ui', 'signin', 'mfa', 'external', 'passkeys'], 'en'));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  server.resetHandlers();
});
afterAll(() => server.close());

function open(ways: readonly string[] | undefined) {
  const data = { AUTH_WECOM: true, OPENID_PROVIDERS: OPENID, SECURITY_SIGN_IN_WAYS: ways };
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
  render(<SignInPage />);
}

/** Whether the first element is above the second one. */
function isAbove(first: Element, second: Element): boolean {
  return (first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

test('the ways are in the order of the settings', async () => {
  open(['wecom', 'openid', 'ldap']);
  const wecom = await screen.findByRole('link', { name: 'Sign in with WeCom' });
  const corp = screen.getByRole('link', { name: 'Sign in with Corp' });
  const name = screen.getByLabelText('Username');
  expect(isAbove(wecom, corp)).toBe(true);
  expect(isAbove(corp, name)).toBe(true);
  expect(document.activeElement).not.toBe(name);
  expect(screen.getByText('Use your directory account')).toBeTruthy();
});

test('without passwords there is no form, and no link for a forgotten password', async () => {
  const data = {
    OPENID_PROVIDERS: OPENID,
    MAIL_CONFIGURED: true,
    SECURITY_SIGN_IN_WAYS: ['openid'],
  };
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
  render(<SignInPage />);
  await screen.findByRole('link', { name: 'Sign in with Corp' });
  expect(screen.queryByLabelText('Username')).toBeNull();
  expect(screen.queryByText('Forgot password?')).toBeNull();
  expect(screen.queryByText('or')).toBeNull();
});

test('the form comes first by default and has the focus', async () => {
  open(undefined);
  const name = await screen.findByLabelText('Username');
  expect(document.activeElement).toBe(name);
  expect(isAbove(name, await screen.findByRole('link', { name: 'Sign in with Corp' }))).toBe(true);
});

test('a page without any way says what to do', async () => {
  open(['saml']);
  expect(await screen.findByText(/postern user ways/)).toBeTruthy();
});

test('settings that cannot be loaded leave the form, and the page says so', async () => {
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.error()));
  render(<SignInPage />);
  expect(await screen.findByLabelText('Username')).toBeTruthy();
  expect(screen.getByText(/Some ways of signing in could not be loaded/)).toBeTruthy();
});

test('settings that come late add their ways below the form', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let send = () => {};
  const sent = new Promise<void>((resolve) => (send = resolve));
  const data = { OPENID_PROVIDERS: OPENID, SECURITY_SIGN_IN_WAYS: ['openid', 'password'] };
  server.use(
    mock.get('*/api/v1/settings/public/', async () => {
      await sent;
      return HttpResponse.json({ data });
    }),
  );
  render(<SignInPage />);
  await vi.advanceTimersByTimeAsync(2_000);
  const name = await screen.findByLabelText('Username');
  expect(screen.queryByRole('link')).toBeNull();
  send();
  const corp = await screen.findByRole('link', { name: 'Sign in with Corp' });
  expect(isAbove(name, corp)).toBe(true);
  expect(screen.getByText('or')).toBeTruthy();
});

test('all ways appear at once', async () => {
  open(['passkey', 'openid', 'password']);
  await screen.findByText('Use your local account');
  expect(screen.getByRole('link', { name: 'Sign in with Corp' })).toBeTruthy();
});

test('a way that is not set up takes no room, and "or" is between different kinds only', () => {
  const shown = (ways: readonly string[]) => {
    const blocks = blocksOf({
      ...WITHOUT_SETTINGS,
      ways,
      vouching: OPENID.map((one) => ({ ...one, kind: 'openid' as const })),
      providers: ['feishu'],
    });
    return blocks.map((block, index) => `${block.key}${isDivided(blocks, index) ? '+or' : ''}`);
  };
  expect(shown(['password', 'ldap', 'wecom', 'openid', 'feishu'])).toEqual(['form', 'openid+or', 'feishu']);
  expect(shown(['openid', 'passkey', 'feishu', 'ldap', 'password'])).toEqual([
    'openid',
    'passkey',
    'feishu+or',
    'form',
  ]);
});
