import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { lazy, Suspense } from 'react';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { loadNamespaces } from '#/lib/i18n';
import type { SecondFactor } from '#/domain/mfa/api';
import type { Confirming } from '#/domain/mfa/confirming';
import { renderScreen } from '#/test/render';
import { SecondFactorCard } from './SecondFactorCard';

const server = setupServer();
const OTP = '*/api/v1/authentication/otp/';
const OFF: SecondFactor = {
  is_set: false,
  level: 0,
  forced: false,
  recovery_codes_left: 0,
  date_confirmed: null,
  passkeys: 0,
};
const ON: SecondFactor = {
  is_set: true,
  level: 1,
  forced: false,
  recovery_codes_left: 7,
  date_confirmed: '2026/11/21 12:00:00 +0000',
  passkeys: 0,
};
const ENROLMENT = { secret: 'ABCDEFGH', uri: 'otpauth://totp/x', qr: ['101', '010', '111'], expires_in: 600 };
const BY_PASSWORD: Confirming = { by: 'password' };
const CORP = { kind: 'openid', id: 'corp', name: 'Corp' } as const;
const CODES = { recovery_codes: ['aaaa-bbbb-cccc-dddd'] };

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** Renders the card for a person in this state and records every write as `path body`. */
async function card(state: SecondFactor, confirming: Confirming = BY_PASSWORD, address = '/') {
  const sent: string[] = [];
  const answers: Readonly<Record<string, object>> = {
    'enrol/start/': ENROLMENT,
    'enrol/confirm/': CODES,
    'recovery-codes/': CODES,
  };
  server.use(
    mock.get(OTP, () => HttpResponse.json(state)),
    mock.post('*/api/v1/authentication/:area/*', async ({ request }) => {
      const path = new URL(request.url).pathname.replace('/api/v1/authentication/', '');
      sent.push(`${path} ${await request.text()}`);
      return HttpResponse.json(answers[path.replace('otp/', '')] ?? { ok: true });
    }),
  );
  const changed = vi.fn();
  // As the route does: load the texts first.
  const Card = lazy(async () => {
    await loadNamespaces(['mfa']);
    return { default: SecondFactorCard };
  });
  await renderScreen(
    <Suspense>
      <Card confirming={confirming} onChanged={changed} />
    </Suspense>,
    { address },
  );
  await screen.findByText('State', undefined, { timeout: 60_000 });
  return { sent, changed };
}

const press = async (name: string) => userEvent.click(screen.getByRole('button', { name }));
const dialog = () => screen.findByRole('dialog', undefined, { timeout: 60_000 });

describe('own second factor', () => {
  test.each([
    ['enable', OFF, /password/],
    ['disable', ON, /MFA code/],
    ['update', ON, /password/],
  ] as const)('the address opens the dialog to %s it, once', async (flow, state, label) => {
    await card(state, BY_PASSWORD, `/?activeTab=info&dialog=mfa-${flow}`);
    const box = within(await dialog());
    expect(box.getAllByLabelText(label).length).toBeGreaterThan(0);
    await userEvent.click(box.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('the address opens nothing when the action is not possible', async () => {
    await card(ON, BY_PASSWORD, '/?dialog=mfa-enable');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a change that another page requested returns to that page', async () => {
    const assign = vi.spyOn(browserLocation, 'assign').mockImplementation(() => undefined);
    await card(ON, BY_PASSWORD, '/?dialog=mfa-disable&next=%2Fui%2Fassets%2Fassets');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/MFA code/), '123456{Enter}');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/ui/assets/assets'));
  });

  test('setup asks for the password, shows the picture, takes a first code and ends with the recovery codes', async () => {
    const { sent, changed } = await card(OFF);
    await press('Enable');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/Current password/), 'violet anchor{Enter}');
    await userEvent.type(await box.findByLabelText(/MFA code/), '123456{Enter}');
    expect(await box.findByText('aaaa-bbbb-cccc-dddd')).toBeTruthy();
    expect(changed).not.toHaveBeenCalled();
    await userEvent.click(box.getByRole('button', { name: 'Done' }));
    expect(changed).toHaveBeenCalledOnce();
    expect(sent).toEqual([
      'password/verify/ {"password":"violet anchor"}',
      'otp/enrol/start/ {}',
      'otp/enrol/confirm/ {"code":"123456"}',
    ]);
  });

  test('closing the recovery codes counts as a change, closing an earlier step does not', async () => {
    const { changed } = await card(ON);
    await press('New recovery codes');
    await dialog();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(changed).not.toHaveBeenCalled();
    await press('New recovery codes');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/Code of the current app/), '123456{Enter}');
    await box.findByText('aaaa-bbbb-cccc-dddd');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
  });

  test('moving to another app asks for the password and a code of the current app', async () => {
    const { sent } = await card(ON);
    await press('Change app');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/Current password/), 'violet anchor');
    await userEvent.type(box.getByLabelText(/Code of the current app/), '654321{Enter}');
    expect(await box.findByText('ABCD EFGH')).toBeTruthy();
    expect(sent).toEqual([
      'password/verify/ {"password":"violet anchor"}',
      'otp/enrol/start/ {"code":"654321"}',
    ]);
  });

  test.each([
    ['123456', 'code'],
    ['abcd-efgh-ijkl-mnop', 'recovery'],
  ])('%s switches it off', async (typed, type) => {
    const { sent, changed } = await card(ON);
    await press('Disable');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/MFA code or recovery code/), `${typed}{Enter}`);
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent).toEqual([`otp/disable/ {"code":"${typed}","type":"${type}"}`]);
  });

  test('[S5-012] [S8-020] a code that is not six characters is not sent', async () => {
    const { sent } = await card(ON);
    await press('New recovery codes');
    const box = within(await dialog());
    await userEvent.type(box.getByLabelText(/Code of the current app/), '12345{Enter}');
    expect(await box.findByText('MFA Error, please check')).toBeTruthy();
    expect(sent).toEqual([]);
    await userEvent.keyboard('{Escape}');
  });

  test('a mandatory second factor cannot be switched off, and the card says so', async () => {
    await card({ ...ON, forced: true });
    const button = screen.getByRole('button', { name: 'Disable' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(button.title).toBe('MFA is mandatory for your account');
  });

  test('an account that must set up an app sees what to do first', async () => {
    await card({ ...OFF, forced: true });
    expect(screen.getByText('On; you set up a second factor at the next sign-in')).toBeTruthy();
  });

  test('a passkey alone counts, and its owner is asked for it instead of a code', async () => {
    const { sent, changed } = await card({ ...OFF, level: 1, passkeys: 1, recovery_codes_left: 10 });
    expect(screen.getByText('On')).toBeTruthy();
    expect(screen.getByText('10')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Set up an authenticator app' })).toBeTruthy();
    await press('Disable');
    const box = within(await dialog());
    expect(box.queryByLabelText(/code/)).toBeNull();
    await userEvent.click(box.getByRole('button', { name: 'Disable' }));
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent).toEqual(['otp/disable/ {}']);
  });

  test('accounts without a local password cannot change it', async () => {
    await card(OFF, { by: 'nothing' });
    expect(screen.getByRole('button', { name: 'Enable' }).getAttribute('aria-disabled')).toBe('true');
  });

  test('a person of a directory is asked for its password, and keeps the dialog while it is away', async () => {
    const { sent } = await card(OFF, { by: 'password', isOfDirectory: true });
    const away = 'The directory did not answer, so your password could not be checked.';
    server.use(
      mock.post('*/api/v1/authentication/password/verify/', () =>
        HttpResponse.json({ detail: away, code: 'directory_silent' }, { status: 503 }),
      ),
    );
    await press('Enable');
    const box = within(await dialog());
    const field = box.getByLabelText<HTMLInputElement>(/Password of your directory/);
    await userEvent.type(field, 'of ann{Enter}');
    expect((await box.findByRole('alert')).textContent).toContain(away);
    expect(field.value).toBe('of ann');
    expect(sent).toEqual([]);
  });

  test('a person of a provider is led there, and comes back to the open dialog', async () => {
    const { sent } = await card(OFF, { by: 'provider', provider: CORP, isConfirmed: false });
    await press('Enable');
    const link = within(await dialog()).getByRole('link', { name: 'Confirm with Corp' });
    const next = `${location.pathname}?dialog=mfa-enable`;
    expect(link.getAttribute('href')).toBe(`/core/auth/confirm/?next=${encodeURIComponent(next)}`);
    expect(screen.queryByLabelText(/password/)).toBeNull();
    expect(sent).toEqual([]);
  });

  test('a person who has confirmed at the provider goes on without a password', async () => {
    const confirmed = { by: 'provider', provider: CORP, isConfirmed: true } as const;
    const { sent } = await card(OFF, confirmed, '/?dialog=mfa-enable');
    const box = within(await dialog());
    expect(box.getByText('You have confirmed who you are.')).toBeTruthy();
    await userEvent.click(box.getByRole('button', { name: 'Continue' }));
    expect(await box.findByText('ABCD EFGH')).toBeTruthy();
    expect(sent).toEqual(['otp/enrol/start/ {}']);
  });
});
