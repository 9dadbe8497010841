import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { SubscriptionsTab } from './SubscriptionsTab';

const ONE = 'notifications/system-msg-subscription/TerminalLostMessage/';

let kind: Record<string, unknown>;
let failed: Record<string, unknown>[];
beforeEach(() => {
  kind = {
    message_type: 'TerminalLostMessage',
    message_type_label: 'A terminal has stopped responding',
    users: ['u1'],
    groups: ['g1'],
    receive_backends: ['site_msg'],
    receivers: [{ id: 'u1', name: 'Ann(ann)', site_msg: true }],
  };
  failed = [
    {
      id: 'd1',
      subject: 'The terminal p1 is not responding',
      user_display: 'Ann(ann)',
      channel_display: 'WeCom',
      address: 'ann@example.com',
      reason: 'The server does not know the recipient.',
      tries: 3,
      date_updated: '2026-01-02T03:04:05Z',
    },
  ];
});

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/notifications/backends/', () =>
    HttpResponse.json([
      { name: 'site_msg', name_display: 'Site message' },
      { name: 'email', name_display: 'Email' },
    ]),
  ),
  mock.get('*/api/v1/notifications/system-msg-subscription/', () =>
    HttpResponse.json([{ category: 'terminal', category_label: 'Sessions', children: [kind] }]),
  ),
  mock.patch(`*/api/v1/${ONE}`, async ({ request }) => {
    kind = { ...kind, ...((await request.json()) as object) };
    return HttpResponse.json(kind);
  }),
  mock.get('*/api/v1/notifications/deliveries/', () => HttpResponse.json(pageOf(failed))),
  mock.post('*/api/v1/notifications/deliveries/d1/retry/', () => {
    failed = [];
    return HttpResponse.json({});
  }),
  mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'some' })),
  mock.get('*/api/v1/users/users/', () =>
    HttpResponse.json(pageOf([{ id: 'u1', name: 'Ann', username: 'ann' }])),
  ),
  mock.get('*/api/v1/users/groups/', () => HttpResponse.json(pageOf([{ id: 'g1', name: 'Night shift' }]))),
]);

const show = () => renderScreen(<SubscriptionsTab />, { texts: ['settings'] });
const byMail = () => screen.findByRole('checkbox', { name: 'A terminal has stopped responding: Email' });

test('a kind shows its receivers, and a box switches one delivery method', async () => {
  await show();
  const box = await byMail();
  expect(screen.getByText('Ann(ann), 1 group')).toBeTruthy();
  await userEvent.click(box);
  await waitFor(() => expect((box as HTMLInputElement).checked).toBe(true));
  expect(sent('PATCH', ONE).map(({ body }) => body)).toEqual([{ receive_backends: ['site_msg', 'email'] }]);
  await userEvent.click(box);
  await waitFor(() => expect(sent('PATCH', ONE)).toHaveLength(2));
  expect(sent('PATCH', ONE)[1]?.body).toEqual({ receive_backends: ['site_msg'] });
});

test('a refused change is told, and the box stays as it is stored', async () => {
  server.use(mock.patch(`*/api/v1/${ONE}`, () => HttpResponse.json({ detail: 'Not now.' }, { status: 409 })));
  await show();
  const box = await byMail();
  await userEvent.click(box);
  await screen.findByText('Not now.');
  expect((box as HTMLInputElement).checked).toBe(false);
});

test('the dialog saves people and groups, and keeps what was entered when it is refused', async () => {
  await show();
  await userEvent.click(
    await screen.findByRole('button', { name: 'Receivers of: A terminal has stopped responding' }),
  );
  const dialog = await screen.findByRole('dialog');
  await within(dialog).findByText('Night shift');
  server.use(
    mock.patch(`*/api/v1/${ONE}`, () => HttpResponse.json({ detail: 'Not now.' }, { status: 409 }), {
      once: true,
    }),
  );
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await within(dialog).findByText('Not now.');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent('PATCH', ONE)[1]?.body).toEqual({ users: ['u1'], groups: ['g1'] });
  // Receivers of other organizations have their names, too.
  expect(sent('GET', 'users/users/')[0]?.query.get('all')).toBe('1');
  expect(sent('GET', 'users/groups/')[0]?.query.get('oid')).toBe('root');
});

test('a message that was not delivered shows its reason and is tried again', async () => {
  await show();
  await screen.findByText('The server does not know the recipient.');
  expect(screen.getByText('WeCom: ann@example.com')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /^Try again/ }));
  await waitFor(() => expect(screen.queryByText('The server does not know the recipient.')).toBeNull());
  expect(sent('POST', 'notifications/deliveries/d1/retry/')).toHaveLength(1);
  expect(sent('GET', 'notifications/deliveries/')[0]?.query.get('state')).toBe('failed');
});

test('a failure to load offers another try', async () => {
  server.use(
    mock.get(
      '*/api/v1/notifications/backends/',
      () => HttpResponse.json({ detail: 'No.' }, { status: 500 }),
      {
        once: true,
      },
    ),
  );
  await show();
  await screen.findByText('The subscriptions could not be loaded');
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await byMail()).toBeTruthy();
});
