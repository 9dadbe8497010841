import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { lazy, Suspense } from 'react';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadNamespaces } from '#/lib/i18n';
import type { Confirming } from '#/domain/mfa/confirming';
import type { OwnPasskeys } from '#/domain/passkeys/api';
import { renderScreen } from '#/test/render';
import { PasskeysCard } from './PasskeysCard';
import { TrustedBrowsersCard } from './TrustedBrowsersCard';

/** Whether the person closes the dialog that asks for the second factor. */
const gate = vi.hoisted(() => ({ isClosed: false }));
vi.mock('#/domain/mfa', async (load) => {
  const real = await load<typeof import('#/domain/mfa')>();
  return {
    ...real,
    withFactorShown: (change: () => Promise<unknown>) =>
      gate.isClosed ? Promise.resolve(null) : real.withFactorShown(change),
  };
});

const server = setupServer();
const KEYS = '*/api/v1/authentication/passkeys/';
const TRUSTED = '*/api/v1/authentication/trusted-browsers/';
const ONE = {
  id: '00000000-0000-0000-0000-000000000001',
  name: 'green key',
  rp_id: 'old.test',
  is_usable: false,
  date_created: '2026/11/21 12:00:00 +0000',
  date_last_used: null,
};

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  gate.isClosed = false;
});
afterAll(() => server.close());

/** Renders both cards of a person; every write is recorded as `METHOD path body`. */
async function cards(
  own: Partial<OwnPasskeys> = {},
  confirming: Confirming = { by: 'password' },
  address = '/',
) {
  const sent: string[] = [];
  const note = async ({ request }: { request: Request }) => {
    const path = new URL(request.url).pathname.replace('/api/v1/authentication/', '');
    sent.push(`${request.method} ${path} ${await request.text()}`.trim());
    return request.method === 'DELETE' ? new HttpResponse(null, { status: 204 }) : HttpResponse.json({});
  };
  const rows = { results: [ONE], origin: location.origin, problem: '', limit: 10, ...own };
  const browser = {
    id: '2',
    remote_addr: '192.0.2.10',
    user_agent: 'Firefox',
    date_created: ONE.date_created,
    date_expired: '2026/12/21 12:00:00 +0000',
  };
  server.use(
    mock.get(KEYS, () => HttpResponse.json(rows)),
    mock.get(TRUSTED, () => HttpResponse.json(sent.some((one) => one.includes('trusted')) ? [] : [browser])),
    mock.all('*/api/v1/authentication/*', note),
  );
  const changed = vi.fn();
  const Cards = lazy(async () => {
    await loadNamespaces(['mfa', 'passkeys']);
    return {
      default: () => (
        <>
          <PasskeysCard confirming={confirming} onChanged={changed} />
          <TrustedBrowsersCard />
        </>
      ),
    };
  });
  await renderScreen(
    <Suspense>
      <Cards />
    </Suspense>,
    { address },
  );
  await screen.findByText('Passkeys', undefined, { timeout: 60_000 });
  return { sent, changed };
}

describe('own passkeys', () => {
  test.each([
    [{ problem: 'Passkeys need a host name.' }, 'Passkeys need a host name.'],
    [{ origin: 'https://gate.test' }, 'Passkeys work only at https://gate.test. Open this page there.'],
    [{}, 'This browser cannot use passkeys.'],
  ])('%o: the card says why none can be added', async (own, why) => {
    await cards(own);
    expect(await screen.findByText(why)).toBeTruthy();
    const button = screen.getByRole('button', { name: 'Add passkey' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
  });

  test('a passkey for a former host name is named as such', async () => {
    await cards();
    expect(await screen.findByText('Made for old.test, cannot be used here')).toBeTruthy();
  });

  test('renaming sends the new name', async () => {
    const { sent, changed } = await cards();
    await userEvent.click(await screen.findByRole('button', { name: 'Rename green key' }));
    const box = within(await screen.findByRole('dialog'));
    const name = box.getByLabelText(/Name of the passkey/);
    await userEvent.clear(name);
    await userEvent.keyboard('{Enter}');
    expect(await box.findByText('This field is required')).toBeTruthy();
    await userEvent.type(name, 'red key{Enter}');
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent).toEqual([`PATCH passkeys/${ONE.id}/ {"name":"red key"}`]);
  });

  test('a person of a directory is asked for its password', async () => {
    const { sent, changed } = await cards({}, { by: 'password', isOfDirectory: true });
    await userEvent.click(await screen.findByRole('button', { name: 'Remove green key' }));
    const box = within(await screen.findByRole('dialog'));
    await userEvent.type(box.getByLabelText(/Password of your directory/), 'of ann{Enter}');
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent[0]).toBe(`POST password/verify/ {"password":"of ann"}`);
  });

  test('removing asks for the password first', async () => {
    const { sent, changed } = await cards();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove green key' }));
    const box = within(await screen.findByRole('dialog'));
    await userEvent.type(box.getByLabelText(/Current password/), 'violet anchor{Enter}');
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent).toEqual([
      `POST password/verify/ {"password":"violet anchor"}`,
      `DELETE passkeys/${ONE.id}/`,
    ]);
  });

  test('a person of a provider confirms there before a passkey is removed, and then needs no password', async () => {
    const provider = { kind: 'saml', id: 'corp', name: 'Corp' } as const;
    const address = `/?dialog=passkey-remove-${ONE.id}`;
    await cards({}, { by: 'provider', provider, isConfirmed: false });
    await userEvent.click(await screen.findByRole('button', { name: 'Remove green key' }));
    const link = within(await screen.findByRole('dialog')).getByRole('link', { name: 'Confirm with Corp' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(`?dialog=passkey-remove-${ONE.id}`);
    cleanup();
    const { sent, changed } = await cards({}, { by: 'provider', provider, isConfirmed: true }, address);
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(sent).toEqual([`DELETE passkeys/${ONE.id}/`]);
  });

  test('no removal is reported when the person does not show the factor', async () => {
    gate.isClosed = true;
    const { sent, changed } = await cards();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove green key' }));
    const box = within(await screen.findByRole('dialog'));
    await userEvent.type(box.getByLabelText(/Current password/), 'violet anchor{Enter}');
    await waitFor(() => expect(sent).toEqual([`POST password/verify/ {"password":"violet anchor"}`]));
    gate.isClosed = false;
    await waitFor(async () => {
      await userEvent.type(box.getByLabelText(/Current password/), '{Enter}'); // the form asks again
      expect(changed).toHaveBeenCalledOnce();
    });
    expect(sent.filter((one) => one.startsWith('DELETE'))).toEqual([`DELETE passkeys/${ONE.id}/`]);
  });

  test('trust in a browser can be ended', async () => {
    const { sent } = await cards();
    await userEvent.click(
      await screen.findByRole('button', { name: /End trust in the browser at 192.0.2.10/ }),
    );
    expect(await screen.findByText(/You trust no browser/)).toBeTruthy();
    expect(sent).toEqual(['DELETE trusted-browsers/2/']);
  });
});
