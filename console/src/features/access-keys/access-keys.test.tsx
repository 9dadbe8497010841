import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import AccessKeysDialog from './AccessKeysDialog';
import type { AccessKey } from './api';

const ID = '2f86bd21-dc27-4098-8b8b-f49ae9aea7c1';
const MADE: AccessKey = {
  id: '9b3c3a52-8a3c-4f0c-8f7e-1d1f0a6b7c8d',
  secret: 'a59ade92-a368-4b5d-ac70-72c4e38b9c9f',
  comment: '',
  is_active: true,
  has_ended: false,
  date_created: '2026/11/21 13:13:46 +0000',
  date_last_used: null,
  date_expired: null,
};
let keys: AccessKey[] = [];
const bodies: string[] = [];
const PATH = '*/api/v1/authentication/access-keys/';
const server = setupServer(
  mock.get(PATH, () => HttpResponse.json(keys.map((key) => ({ ...key, secret: '******' })))),
  mock.post(PATH, async ({ request }) => {
    bodies.push(await request.text());
    keys = [...keys, MADE];
    return HttpResponse.json(MADE, { status: 201 });
  }),
  mock.patch(`${PATH}:id/`, async ({ request, params }) => {
    const body = (await request.json()) as { is_active: boolean };
    bodies.push(JSON.stringify(body));
    keys = keys.map((key) => (key.id === params['id'] ? { ...key, ...body } : key));
    return HttpResponse.json({});
  }),
  mock.delete(`${PATH}:id/`, ({ params }) => {
    keys = keys.filter((key) => key.id !== params['id']);
    return new HttpResponse(null, { status: 204 });
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
beforeEach(() => {
  keys = [{ ...MADE, id: ID, secret: 'hidden' }];
  bodies.length = 0;
});
afterEach(() => {
  server.resetHandlers();
  act(clearToasts);
});
afterAll(() => server.close());

const onClose = vi.fn<() => void>();
async function open() {
  const view = await renderScreen(<AccessKeysDialog onClose={onClose} />);
  await screen.findByText(ID, {}, { timeout: 60_000 });
  return view;
}
const press = async (name: string | RegExp) =>
  userEvent.click(await screen.findByRole('button', { name }, { timeout: 60_000 }));

test('[S3-016] [S7-033] it lists id, masked secret, state and date', async () => {
  await open();
  const row = screen.getByText(ID).closest('tr');
  expect(row?.textContent).toContain('******');
  expect(row?.textContent).toContain('Active');
  expect(row?.textContent).toMatch(/2026-11-21 \d\d:13:46/);
});

test('[S7-034] it shows a new secret once, copies it, and stores it nowhere', async () => {
  const user = userEvent.setup();
  const { unmount } = await open();
  await user.click(screen.getByRole('button', { name: 'New key' }));
  await user.click(await screen.findByRole('button', { name: 'Create' }));
  expect(await screen.findByText(MADE.secret, {}, { timeout: 60_000 })).toBeTruthy();
  expect(bodies).toEqual(['{}']);
  await user.click(screen.getByRole('button', { name: 'Copy secret' }));
  expect(await navigator.clipboard.readText()).toBe(MADE.secret);
  const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
  expect(stored).not.toContain(MADE.secret);
  unmount();
  await open();
  expect(screen.queryByText(MADE.secret)).toBeNull();
});

test('[S4-023] [S7-035] [S8-049] it disables and enables a key', async () => {
  await open();
  await press('Switch key 2f86bd21 off');
  expect(await screen.findByText('Inactive', {}, { timeout: 60_000 })).toBeTruthy();
  expect(screen.getByText('operation succeeded')).toBeTruthy();
  await press('Switch key 2f86bd21 on');
  expect(await screen.findByText('Active', {}, { timeout: 60_000 })).toBeTruthy();
  expect(bodies).toEqual(['{"is_active":false}', '{"is_active":true}']);
});

test('[S7-036] it deletes a key after a question that names the key', async () => {
  await open();
  await press('Delete key 2f86bd21');
  const dialog = await screen.findByRole(
    'alertdialog',
    { name: 'Delete API key 2f86bd21?' },
    { timeout: 60_000 },
  );
  expect(dialog.textContent).toContain(ID);
  await press('Delete');
  expect(await screen.findByText('No API keys', {}, { timeout: 60_000 })).toBeTruthy();
});

test('a key gets a comment and an end, which are shown and can be changed', async () => {
  const user = userEvent.setup();
  await open();
  await press('New key');
  await user.type(await screen.findByLabelText('Comment'), 'nightly');
  await user.type(screen.getByLabelText('Ends'), '2099-02-30');
  await press('Create');
  expect(await screen.findByText(/2099-02/)).toBeTruthy();
  expect(bodies).toEqual([]);
  await user.clear(screen.getByLabelText('Ends'));
  await user.type(screen.getByLabelText('Ends'), '2099-02-28 10:00');
  await press('Create');
  await screen.findByText(MADE.secret, {}, { timeout: 60_000 });
  const end = new Date('2099-02-28T10:00').toISOString();
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ comment: 'nightly', date_expired: end });

  keys = [{ ...MADE, comment: 'nightly', date_expired: '2099/02/28 10:00:30 +0000', has_ended: true }];
  await press('Edit key 9b3c3a52');
  const comment = await screen.findByLabelText('Comment');
  await user.clear(comment);
  await user.type(comment, 'weekly');
  await press('Save');
  expect(await screen.findByText('Ended', {}, { timeout: 60_000 })).toBeTruthy();
  // The stored end has seconds, which the form does not show: it is not sent back.
  expect(bodies[1]).toBe('{"comment":"weekly"}');
  expect(screen.getByText('weekly')).toBeTruthy();
  expect(screen.getByText(/2099-02-28/)).toBeTruthy();
});

test('a refused end is explained at its field', async () => {
  const refusal = { date_expired: ['The end has passed.'] };
  server.use(mock.post(PATH, () => HttpResponse.json(refusal, { status: 400 })));
  await open();
  await press('New key');
  await userEvent.type(await screen.findByLabelText('Ends'), '2001-01-01');
  await press('Create');
  expect(await screen.findByText('The end has passed.', {}, { timeout: 60_000 })).toBeTruthy();
});

test('[S8-028] a failed enable or disable shows an update error', async () => {
  server.use(mock.patch(`${PATH}:id/`, () => HttpResponse.json({ detail: 'is locked' }, { status: 400 })));
  await open();
  await press('Switch key 2f86bd21 off');
  expect(await screen.findByText('Update error: is locked', {}, { timeout: 60_000 })).toBeTruthy();
  expect(screen.getByText('Active')).toBeTruthy();
});

test('[S8-029] a failed create shows an update error', async () => {
  server.use(mock.post(PATH, () => HttpResponse.json({ detail: 'too many keys' }, { status: 400 })));
  await open();
  await press('New key');
  await press('Create');
  expect(await screen.findByText('Update error: too many keys', {}, { timeout: 60_000 })).toBeTruthy();
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Create' }).getAttribute('aria-busy')).toBeNull(),
  );
});
