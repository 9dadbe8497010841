import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import { recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
import { LocksPage } from './LocksPage';

const orgAdmin: Session = { ...adminSession, profile: { ...admin, is_superuser: false, role: 'User' } };
const until = '2026/11/22 16:30:00 +0800';
const ann = { id: 'ann', username: 'ann', name: 'Ann', date_locked_until: until, can_unlock: true };
const disguised = { ...ann, id: 'bea', username: 'bea\u202e', name: 'Bea', can_unlock: false };
const own = { ...ann, id: admin.id, username: 'admin', name: 'Administrator', can_unlock: false };
let locked: unknown[] = [];
let addresses: unknown[] = [];

const { server, sent } = recordedServer(
  () => {
    locked = [ann, disguised, own];
    addresses = [{ address: '2001:db8::1', date_locked_until: until }];
    return [
      mock.get('*/api/v1/users/users/locked/', () => HttpResponse.json(locked)),
      mock.get('*/api/v1/authentication/locked-addresses/', () => HttpResponse.json(addresses)),
      mock.patch('*/api/v1/users/users/ann/unblock/', () => {
        locked = locked.filter((row) => row !== ann);
        return HttpResponse.json({});
      }),
      mock.post('*/api/v1/authentication/locked-addresses/unlock/', () => {
        addresses = [];
        return HttpResponse.json({ msg: 'ok' });
      }),
    ];
  },
  () => [import('#/ui/question-dialog')],
);

async function confirmed(name: string) {
  await userEvent.click(await screen.findByRole('button', { name: `Unlock ${name}` }));
  const dialog = await screen.findByRole('alertdialog');
  expect(within(dialog).getByText(`Unlock ${name}?`)).toBeTruthy();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Unlock' }));
  expect(await screen.findByText(`${name} is unlocked`)).toBeTruthy();
}

test('a system administrator sees locked people and addresses and unlocks each after a question', async () => {
  await renderScreen(<LocksPage />);
  expect((await screen.findAllByText(/2026-11-22/)).length).toBe(4);
  await confirmed('Ann (ann)');
  await waitFor(() => expect(screen.queryByText('Ann (ann)')).toBeNull());
  await confirmed('2001:db8::1');
  expect(await screen.findByText('No address is locked')).toBeTruthy();
  expect(sent('GET', 'users/users/locked/')[0]?.query.get('all')).toBe('1');
  expect(sent('POST', 'authentication/locked-addresses/unlock/')[0]?.body).toEqual({
    address: '2001:db8::1',
  });
});

test('declining the question unlocks nobody', async () => {
  await renderScreen(<LocksPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Unlock Ann (ann)' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(sent('PATCH', 'users/users/ann/unblock/')).toHaveLength(0);
});

test('refused actions are disabled, and hidden characters are shown', async () => {
  await renderScreen(<LocksPage />);
  const unlock = await screen.findByRole('button', { name: /Unlock Bea \(bea.*U\+202E/i });
  expect(unlock.getAttribute('aria-disabled')).toBe('true');
  expect(
    screen.getByRole<HTMLButtonElement>('button', { name: 'Unlock Administrator (admin)' }).title,
  ).toMatch(/own lock/);
});

test('an organization administrator sees only the people', async () => {
  await renderScreen(<LocksPage />, { session: orgAdmin });
  expect(await screen.findByText('Ann (ann)')).toBeTruthy();
  expect(screen.queryByText('Addresses')).toBeNull();
  expect(sent('GET', 'authentication/locked-addresses/')).toHaveLength(0);
  expect(sent('GET', 'users/users/locked/')[0]?.query.has('all')).toBe(false);
});

test('an empty list and a failed load say so', async () => {
  locked = [];
  server.use(
    mock.get('*/api/v1/authentication/locked-addresses/', () => HttpResponse.json({}, { status: 503 })),
  );
  await renderScreen(<LocksPage />);
  expect(await screen.findByText('No user is locked')).toBeTruthy();
  expect(await screen.findByText('The locked addresses did not load', {}, { timeout: 10_000 })).toBeTruthy();
  addresses = [];
  server.resetHandlers();
});

test('a failed unlock leaves the question open', async () => {
  server.use(
    mock.patch('*/api/v1/users/users/ann/unblock/', () =>
      HttpResponse.json({ detail: 'Somebody above you.' }, { status: 403 }),
    ),
  );
  await renderScreen(<LocksPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Unlock Ann (ann)' }));
  const dialog = await screen.findByRole('alertdialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Unlock' }));
  await waitFor(() => expect(sent('PATCH', 'users/users/ann/unblock/')).toHaveLength(1));
  await waitFor(() =>
    expect(within(dialog).getByRole('button', { name: 'Unlock' }).getAttribute('aria-disabled')).toBeNull(),
  );
  expect(dialog.isConnected).toBe(true);
  expect(screen.queryByText('Ann (ann) is unlocked')).toBeNull();
});
