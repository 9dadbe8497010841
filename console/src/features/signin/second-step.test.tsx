import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { SignInPage } from './SignInPage';

const server = setupServer();
const went = vi.fn<(address: string) => void>();
const LATER = { timeout: 60_000 };

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(async () => {
  went.mockReset();
  await startI18n(['app', 'ui', 'signin', 'mfa', 'passkeys'], 'en');
  writeCookie('csrftoken', 'a-csrf-token');
  server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })));
  vi.stubGlobal('location', Object.assign(new URL('http://postern.test/ui/login'), { assign: went }));
});
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

function answerSignIn(body: Record<string, unknown>) {
  server.use(mock.post('*/api/v1/authentication/sign-in/', () => HttpResponse.json(body)));
}

const WANTS_CODE = {
  error: 'mfa_required',
  msg: 'code please',
  data: { choices: ['code', 'recovery'], url: '/api/v1/authentication/mfa/challenge/' },
};

async function passPassword() {
  render(<SignInPage />);
  await userEvent.type(await screen.findByLabelText('Username'), 'ann');
  await userEvent.type(screen.getByLabelText('Password'), 'violet anchor seventeen{Enter}');
}

function challenge(answers: (body: { code: string; type: string }) => Response) {
  const seen: unknown[] = [];
  server.use(
    mock.post('*/api/v1/authentication/mfa/challenge/', async ({ request }) => {
      const body = (await request.json()) as { code: string; type: string };
      seen.push(body);
      return answers(body);
    }),
  );
  return seen;
}

describe('signing in', () => {
  test('[S1-051] without a second factor the password completes the sign-in', async () => {
    answerSignIn({ next: '/ui/assets', must_change_password: false });
    await passPassword();
    await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/assets'));
    expect(screen.queryByLabelText('MFA code')).toBeNull();
  });

  test('a link leads to the page for forgotten passwords that the settings name', async () => {
    const data = { FORGOT_PASSWORD_URL: 'https://help.example.test/password' };
    server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
    render(<SignInPage />);
    const link = await screen.findByRole('link', { name: 'Forgot password?' }, LATER);
    expect(link.getAttribute('href')).toBe('https://help.example.test/password');
  });

  test.each([
    [true, '/core/auth/password/forgot/'],
    [false, null],
  ])('when mail is configured: %s, the link to our own page is %s', async (configured, href) => {
    const data = { FORGOT_PASSWORD_URL: null, MAIL_CONFIGURED: configured, AUTH_WECOM: true };
    server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
    render(<SignInPage />);
    await waitFor(() => expect(document.querySelector('a[href*="wecom"]')).not.toBeNull(), LATER); // settings are read
    expect(screen.queryByRole('link', { name: 'Forgot password?' })?.getAttribute('href') ?? null).toBe(href);
  });

  test("a refused password shows the server's sentence, not its slug", async () => {
    const body = { error: 'password_failed', msg: 'Wrong, six tries left' };
    server.use(mock.post('*/api/v1/authentication/sign-in/', () => HttpResponse.json(body, { status: 400 })));
    await passPassword();
    expect((await screen.findByRole('alert')).textContent).toBe('Wrong, six tries left');
  });

  test('[S1-051] with a second factor a code is asked for and completes the sign-in', async () => {
    answerSignIn(WANTS_CODE);
    const seen = challenge(() =>
      HttpResponse.json({ msg: 'ok', next: '/ui/sessions', must_change_password: false }),
    );
    await passPassword();
    const input = await screen.findByLabelText('MFA code', undefined, LATER);
    expect(went).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(input);
    expect(input.getAttribute('autocomplete')).toBe('one-time-code');
    await userEvent.type(input, '123 456{Enter}');
    await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/sessions'));
    expect(seen).toEqual([{ code: '123456', type: 'code' }]);
  });

  test('[S5-012] [S8-020] a code that is not six characters is not sent; a wrong code shows why', async () => {
    answerSignIn(WANTS_CODE);
    const seen = challenge(() =>
      HttpResponse.json({ error: 'mfa_failed', msg: 'MFA Error, please check. 4 left' }, { status: 400 }),
    );
    await passPassword();
    const input = await screen.findByLabelText('MFA code', undefined, LATER);
    await userEvent.type(input, '12345{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('MFA Error, please check');
    expect(seen).toEqual([]);
    await userEvent.type(input, '6{Enter}');
    expect(await screen.findByText(/4 left/)).toBeTruthy();
    expect((input as HTMLInputElement).value).toBe('');
    expect(went).not.toHaveBeenCalled();
  });

  test('a recovery code can replace the code', async () => {
    answerSignIn(WANTS_CODE);
    const seen = challenge(() => HttpResponse.json({ msg: 'ok', next: '/ui/', must_change_password: true }));
    await passPassword();
    await userEvent.click(await screen.findByRole('button', { name: 'Use a recovery code' }, LATER));
    await userEvent.type(screen.getByLabelText('Recovery code'), 'abcd-efgh-ijkl-mnop{Enter}');
    await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/change-password?next=%2Fui%2F'));
    expect(seen).toEqual([{ code: 'abcd-efgh-ijkl-mnop', type: 'recovery' }]);
  });

  test('a passkey is asked for first, and other ways stay open', async () => {
    answerSignIn({ ...WANTS_CODE, data: { ...WANTS_CODE.data, choices: ['passkey', 'code', 'recovery'] } });
    server.use(
      mock.post('*/api/v1/authentication/passkeys/challenge/start/', () =>
        HttpResponse.json({ publicKey: {}, origin: 'https://gate.example.test' }),
      ),
    );
    await passPassword();
    await userEvent.click(await screen.findByRole('button', { name: 'Use your passkey' }, LATER));
    expect((await screen.findByRole('alert')).textContent).toBe('This browser cannot use passkeys.');
    await userEvent.click(screen.getByRole('button', { name: 'Use the authenticator app' }));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByLabelText('MFA code')).toBeTruthy();
  });

  test('a person whose factors cannot be used here is told so, and asked for none of them', async () => {
    const msg = 'Your passkeys were made for another address.';
    answerSignIn({ ...WANTS_CODE, msg, data: { ...WANTS_CODE.data, choices: [] } });
    await passPassword();
    expect(await screen.findByText(msg, undefined, LATER)).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Start again' }));
    expect(screen.getByLabelText('Username')).toBeTruthy();
  });

  test('a browser is trusted only where the settings allow it, and only when the person says so', async () => {
    const data = { SECURITY_TRUSTED_BROWSER_DAYS: 7 };
    server.use(mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data })));
    answerSignIn(WANTS_CODE);
    const seen = challenge(() => HttpResponse.json({ msg: 'ok', next: '/ui/', must_change_password: false }));
    await passPassword();
    await userEvent.click(await screen.findByLabelText('Trust this browser for 7 days', undefined, LATER));
    await userEvent.type(screen.getByLabelText('MFA code'), '123456{Enter}');
    await waitFor(() => expect(went).toHaveBeenCalledWith('/ui/'));
    expect(seen).toEqual([{ code: '123456', type: 'code', trust: true }]);
  });

  test('an expired sign-in starts again and says why', async () => {
    answerSignIn(WANTS_CODE);
    challenge(() =>
      HttpResponse.json({ error: 'session_empty', msg: 'This one has lapsed' }, { status: 400 }),
    );
    await passPassword();
    await userEvent.type(await screen.findByLabelText('MFA code', undefined, LATER), '123456{Enter}');
    expect(await screen.findByLabelText('Username')).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toContain('This one has lapsed');
  });

  test('a person who must set up an app does so during the sign-in and gets recovery codes', async () => {
    answerSignIn({ error: 'mfa_unset', msg: 'set up', data: { choices: [], url: '/' } });
    server.use(
      mock.post('*/api/v1/authentication/otp/enrol/start/', () =>
        HttpResponse.json({
          secret: 'ABCDEFGH',
          uri: 'otpauth://totp/x',
          qr: ['101', '010', '111'],
          expires_in: 600,
        }),
      ),
      mock.post('*/api/v1/authentication/otp/enrol/confirm/', () =>
        HttpResponse.json({
          recovery_codes: ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh'],
          msg: 'ok',
          next: '/ui/',
          must_change_password: false,
        }),
      ),
    );
    await passPassword();
    expect(await screen.findByText('ABCD EFGH', undefined, LATER)).toBeTruthy();
    expect(screen.getByRole('img', { name: /QR picture/ })).toBeTruthy();
    await userEvent.type(screen.getByLabelText(/MFA code/), '123456{Enter}');
    expect(await screen.findByText('aaaa-bbbb-cccc-dddd')).toBeTruthy();
    expect(went).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'I have saved the codes' }));
    expect(went).toHaveBeenCalledWith('/ui/');
  });
});
