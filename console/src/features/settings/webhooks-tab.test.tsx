import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { WebhooksTab } from './webhooks/WebhooksTab';

const HOOKS = 'notifications/webhooks/';
const SECRET = 'whsec_c2VjcmV0';

let hooks: Record<string, unknown>[];
let deliveries: Record<string, unknown>[];
let refusal: Record<string, unknown> | null;
beforeEach(() => {
  refusal = null;
  hooks = [
    {
      id: 'h1',
      name: 'SIEM',
      address: 'https://siem.example.com/hook',
      message_types: ['TerminalLostMessage'],
      audit_categories: [],
      is_active: false,
      off_reason: 'The receiver answered 410.',
      secret: '******',
      former_until: null,
    },
  ];
  deliveries = [
    {
      id: 'd1',
      kind_display: 'sign_in.failed',
      webhook_display: 'SIEM',
      state: 'failed',
      state_display: 'Failed',
      tries: 9,
      reason: 'The receiver answered with the HTTP status 500.',
      next_try: '2026-01-02T03:04:05Z',
      date_updated: '2026-01-02T03:04:05Z',
    },
  ];
});

const listOf = (choices: readonly { value: string; display_name: string }[]) => ({
  type: 'list',
  required: false,
  read_only: false,
  label: '',
  child: { type: 'choice', required: true, read_only: false, label: '', choices },
});

const { server, sent } = recordedServer(() => [
  mock.get(`*/api/v1/${HOOKS}`, () => HttpResponse.json(hooks)),
  mock.options(`*/api/v1/${HOOKS}`, () =>
    HttpResponse.json({
      actions: {
        POST: {
          message_types: listOf([{ value: 'TerminalLostMessage', display_name: 'A terminal is lost' }]),
          audit_categories: listOf([{ value: 'refusals', display_name: 'Failed and refused' }]),
        },
      },
    }),
  ),
  mock.post(`*/api/v1/${HOOKS}testing/`, () => HttpResponse.json({ msg: 'It answered 204.' })),
  mock.post(`*/api/v1/${HOOKS}h1/secret/`, () => HttpResponse.json({ ...hooks[0], secret: SECRET })),
  mock.post(`*/api/v1/${HOOKS}`, async ({ request }) => {
    if (refusal) return HttpResponse.json(refusal, { status: 400 });
    const made = {
      ...((await request.json()) as object),
      id: 'h2',
      secret: SECRET,
      off_reason: '',
      former_until: null,
    };
    hooks = [...hooks, { ...made, secret: '******' }];
    return HttpResponse.json(made, { status: 201 });
  }),
  mock.patch(`*/api/v1/${HOOKS}h1/`, async ({ request }) => {
    hooks = [{ ...hooks[0], ...((await request.json()) as object), off_reason: '' }];
    return HttpResponse.json(hooks[0]);
  }),
  mock.delete(`*/api/v1/${HOOKS}h1/`, () => {
    hooks = [];
    return new HttpResponse(null, { status: 204 });
  }),
  mock.get('*/api/v1/notifications/webhook-deliveries/', () => HttpResponse.json(pageOf(deliveries))),
  mock.post('*/api/v1/notifications/webhook-deliveries/d1/retry/', () => {
    deliveries = [];
    return HttpResponse.json({});
  }),
]);

const show = () => renderScreen(<WebhooksTab />, { texts: ['settings', 'resource'] });

test('a new webhook is tested before it is saved, and its secret is shown once', async () => {
  const user = userEvent.setup();
  show();
  await user.click(await screen.findByRole('button', { name: 'Add a webhook' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/Name/), 'Chat');
  await user.type(dialog.getByLabelText(/Address/), 'https://chat.example.com/x');
  await user.click(dialog.getByRole('checkbox', { name: 'Failed and refused' }));
  await user.click(dialog.getByRole('button', { name: 'Send a test message' }));
  await dialog.findByText('It answered 204.');
  expect(sent('POST', `${HOOKS}testing/`).at(-1)?.body).toEqual({ address: 'https://chat.example.com/x' });
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await screen.findByText(SECRET);
  expect(sent('POST', HOOKS).at(-1)?.body).toEqual({
    name: 'Chat',
    address: 'https://chat.example.com/x',
    message_types: [],
    audit_categories: ['refusals'],
    is_active: true,
  });
  await screen.findByText('Chat');
});

test('a refused address is marked at its field, and what was entered stays', async () => {
  const user = userEvent.setup();
  refusal = { address: ['Connections to the metadata service are never allowed.'] };
  show();
  await user.click(await screen.findByRole('button', { name: 'Add a webhook' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText(/Address/), 'https://169.254.169.254/');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await dialog.findByText('Connections to the metadata service are never allowed.');
  expect((dialog.getByLabelText(/Address/) as HTMLInputElement).value).toBe('https://169.254.169.254/');
});

test('a webhook that its receiver switched off says why, and can be switched on', async () => {
  const user = userEvent.setup();
  show();
  await screen.findByText('The receiver answered 410.');
  await user.click(screen.getByRole('button', { name: 'Change SIEM' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('switch', { name: 'Active' }));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByText('The receiver answered 410.')).toBeNull());
});

test('a new secret is made after a question', async () => {
  const user = userEvent.setup();
  show();
  await user.click(await screen.findByRole('button', { name: 'New secret for SIEM' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  dialog.getByText('The former secret also signs for 24 hours.');
  await user.click(dialog.getByRole('button', { name: 'New secret' }));
  expect(await screen.findByText(SECRET)).toBeTruthy();
});

test('a webhook is deleted after a question', async () => {
  const user = userEvent.setup();
  show();
  await user.click(await screen.findByRole('button', { name: 'Delete SIEM' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByText('https://siem.example.com/hook')).toBeNull());
});

test('failed deliveries show their reason and are tried again', async () => {
  const user = userEvent.setup();
  show();
  await screen.findByText('The receiver answered with the HTTP status 500.');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Nothing was sent yet')).toBeTruthy();
});

test('a state without deliveries leads back to all of them', async () => {
  const user = userEvent.setup();
  server.use(
    mock.get('*/api/v1/notifications/webhook-deliveries/', ({ request }) =>
      HttpResponse.json(pageOf(new URL(request.url).searchParams.has('state') ? [] : deliveries)),
    ),
  );
  show();
  await user.click(await screen.findByRole('button', { name: 'Accepted' }));
  expect(await screen.findByText('No deliveries in this state')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show all' }));
  await screen.findByText('The receiver answered with the HTTP status 500.');
});

test('without webhooks the tab says what they are for, and offers the first step', async () => {
  const user = userEvent.setup();
  hooks = [];
  show();
  await screen.findByRole('heading', { name: 'No webhooks yet' });
  screen.getByText(/^A webhook sends system messages and audit events as signed HTTP requests/);
  expect(screen.queryByText('Deliveries')).toBeNull();
  expect(sent('GET', 'notifications/webhook-deliveries/')).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Add a webhook' }));
  await screen.findByRole('dialog');
});

test('a failure to load says so', async () => {
  server.use(mock.get(`*/api/v1/${HOOKS}`, () => HttpResponse.json({ detail: 'No.' }, { status: 500 })));
  show();
  expect(await screen.findByText('The webhooks could not be loaded')).toBeTruthy();
});
