import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { onHttp } from '#/lib/http/client';
import { currentSession } from '#/lib/session';
import { renderScreen } from '#/test/render';
import { requireMfa } from './index';

const server = setupServer();
const failed = vi.fn();
const VERIFY = '*/api/v1/authentication/otp/verify/';
const RIGHT = '314159';

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => {
  server.use(
    mock.get('*/api/v1/authentication/otp/', () => HttpResponse.json({ is_set: true, passkeys: 0 })),
  );
  failed.mockReset();
  onHttp({ failed, signedOut: failed });
});
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** A server on which nobody has verified yet. Returns the number of calls of each method and the codes sent. */
function serverThatAsks() {
  const calls = { checks: 0, codes: [] as string[] };
  server.use(
    mock.get(VERIFY, () => {
      calls.checks += 1;
      return HttpResponse.json({ detail: 'first', code: 'mfa_verify_required' }, { status: 400 });
    }),
    mock.post(VERIFY, async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      calls.codes.push(code);
      if (code === RIGHT) return HttpResponse.json({ ok: '1' });
      return HttpResponse.json(
        { error: 'MFA Error, please check. 4 left', code: 'mfa_failed' },
        { status: 400 },
      );
    }),
  );
  return calls;
}

async function opened() {
  await renderScreen(<p>page</p>);
  const answer = requireMfa();
  const dialog = await screen.findByRole('dialog', { name: 'Verify that it is you' }, { timeout: 60_000 });
  return { answer, dialog, input: screen.getByLabelText(/MFA code/) };
}

describe('the gate before secrets', () => {
  test('[S7-027] a recent verification passes without a question', async () => {
    server.use(mock.get(VERIFY, () => HttpResponse.json({ code: 'valid', msg: 'verified' })));
    await renderScreen(<p>page</p>);
    await expect(requireMfa()).resolves.toBe(true);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(currentSession()?.mfaVerifiedAt).not.toBeNull();
  });

  test('[S7-028] [S7-029] a missing verification opens the dialog and shows no toast', async () => {
    serverThatAsks();
    const { answer } = await opened();
    expect(failed).not.toHaveBeenCalled();
    await userEvent.keyboard('{Escape}');
    await expect(answer).resolves.toBe(false);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('[S7-030] a correct code is sent and accepted', async () => {
    const calls = serverThatAsks();
    const { answer, input } = await opened();
    expect(document.activeElement).toBe(input);
    await userEvent.keyboard('314 159{Enter}');
    await expect(answer).resolves.toBe(true);
    expect(calls.codes).toEqual([RIGHT]);
    expect(currentSession()?.mfaVerifiedAt).not.toBeNull();
  });

  test.each(['', '12345', '1234567'])(
    '[S5-011] [S5-012] [S8-020] [S9-044] "%s" is not six characters and is not sent',
    async (typed) => {
      const calls = serverThatAsks();
      const { answer, input } = await opened();
      if (typed !== '') await userEvent.type(input, typed);
      await userEvent.keyboard('{Enter}');
      expect(await screen.findByText('MFA Error, please check')).toBeTruthy();
      expect(input.getAttribute('aria-invalid')).toBe('true');
      expect(calls.codes).toEqual([]);
      await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
      await expect(answer).resolves.toBe(false);
    },
  );

  test("[S8-020] a refused code shows the server's message, and another code can be tried", async () => {
    serverThatAsks();
    const { answer, input } = await opened();
    await userEvent.type(input, '000000{Enter}');
    expect(await screen.findByText(/MFA Error, please check\. 4 left/)).toBeTruthy();
    expect(failed).not.toHaveBeenCalled();
    await userEvent.clear(input);
    await userEvent.type(input, `${RIGHT}{Enter}`);
    await expect(answer).resolves.toBe(true);
  });

  test('a person without an app is shown where to set one up', async () => {
    serverThatAsks();
    server.use(
      mock.post(VERIFY, () => HttpResponse.json({ error: 'not set up', code: 'mfa_unset' }, { status: 400 })),
    );
    const { answer, input } = await opened();
    await userEvent.type(input, `${RIGHT}{Enter}`);
    const link = await screen.findByRole('link', { name: 'Set up MFA in your profile' });
    expect(link.getAttribute('href')).toBe('/ui/users/profile');
    await userEvent.keyboard('{Escape}');
    await answer;
  });

  test('a person with a passkey and no app is asked for the passkey; the reason is shown where none can be used', async () => {
    serverThatAsks();
    server.use(
      mock.get('*/api/v1/authentication/otp/', () => HttpResponse.json({ is_set: false, passkeys: 1 })),
      mock.post('*/api/v1/authentication/passkeys/verify/start/', () =>
        HttpResponse.json({ publicKey: {}, origin: 'http://localhost' }),
      ),
    );
    await renderScreen(<p>page</p>);
    const answer = requireMfa();
    const button = await screen.findByRole('button', { name: 'Use your passkey' }, { timeout: 60_000 });
    expect(screen.queryByLabelText(/MFA code/)).toBeNull();
    await userEvent.click(button);
    expect((await screen.findByRole('alert')).textContent).toBe('This browser cannot use passkeys.');
    await userEvent.keyboard('{Escape}');
    await expect(answer).resolves.toBe(false);
  });

  test('concurrent callers share one question', async () => {
    const calls = serverThatAsks();
    const { answer, input } = await opened();
    const second = requireMfa();
    await userEvent.type(input, `${RIGHT}{Enter}`);
    await expect(Promise.all([answer, second])).resolves.toEqual([true, true]);
    expect(calls.checks).toBe(1);
  });

  test('without an answer of the server nothing is asked and nothing passes', async () => {
    server.use(mock.get(VERIFY, () => HttpResponse.error()));
    await renderScreen(<p>page</p>);
    await expect(requireMfa()).resolves.toBe(false);
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(screen.getByText(/connect/i)).toBeTruthy());
  });

  test('browsers can fill in the code, and axe reports no violation', async () => {
    serverThatAsks();
    const { answer, dialog, input } = await opened();
    expect(input.getAttribute('autocomplete')).toBe('one-time-code');
    const results = await axe.run(dialog, { rules: { 'color-contrast': { enabled: false } } });
    expect(results.violations.map(({ id }) => id)).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await answer;
  });
});
