import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
import { htmlOf } from './api';
import { MessagesPage } from './MessagesPage';

const SEND = 'notifications/site-message/send/';

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/notifications/site-message/', () => HttpResponse.json(pageOf([]))),
  mock.get('*/api/v1/users/users/', () =>
    HttpResponse.json(pageOf([{ id: 'u1', name: 'Ann', username: 'ann' }])),
  ),
  mock.get('*/api/v1/users/groups/', () =>
    HttpResponse.json(pageOf([{ id: 'g1', name: 'Night shift', org_name: 'Research' }])),
  ),
  mock.post(`*/api/v1/${SEND}`, () => HttpResponse.json({ detail: 'ok' })),
]);

async function open() {
  await renderScreen(<MessagesPage />, { texts: ['messages'] });
  await userEvent.click(await screen.findByRole('button', { name: 'Send message' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Subject/ }), 'Tonight');
  await userEvent.type(
    within(dialog).getByRole('textbox', { name: /Message/ }),
    'a <b> & c{enter}d{enter}{enter}e',
  );
  return dialog;
}

test('plain text becomes paragraphs and lines, and what looks like a tag stays text', () => {
  expect(htmlOf('a <script>\nb &amp;\n\n \nc')).toBe('<p>a &lt;script&gt;<br>b &amp;amp;</p><p>c</p>');
});

test('a message goes to the chosen people', async () => {
  const dialog = await open();
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'People' }));
  await userEvent.click(await screen.findByRole('option', { name: /Ann/ }));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  await screen.findByText('The message was sent');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent('POST', SEND).map(({ body }) => body)).toEqual([
    {
      user_ids: ['u1'],
      group_ids: [],
      is_broadcast: false,
      subject: 'Tonight',
      message: '<p>a &lt;b&gt; &amp; c<br>d</p><p>e</p>',
    },
  ]);
});

test('people and groups of every organization are offered, with the organization of the group', async () => {
  const dialog = await open();
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'People' }));
  await screen.findByRole('option', { name: /Ann/ });
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'User groups' }));
  await userEvent.click(await screen.findByRole('option', { name: /Night shift.*Research/ }));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  await screen.findByText('The message was sent');
  expect(sent('GET', 'users/users/').at(-1)?.query.get('all')).toBe('1');
  expect(sent('GET', 'users/groups/').at(-1)?.query.get('oid')).toBe('root');
  expect(sent('POST', SEND).at(-1)?.body).toMatchObject({ user_ids: [], group_ids: ['g1'] });
});

test('to everybody needs no people, and a refusal keeps what was written', async () => {
  server.use(
    mock.post(`*/api/v1/${SEND}`, () => HttpResponse.json({ subject: ['Too long.'] }, { status: 400 }), {
      once: true,
    }),
  );
  const dialog = await open();
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'To everybody' }));
  expect(within(dialog).queryByRole('combobox')).toBeNull();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  await within(dialog).findByText('Too long.');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent('POST', SEND)[1]?.body).toMatchObject({ is_broadcast: true, user_ids: [], subject: 'Tonight' });
});

test('only super administrators see the button', async () => {
  const session = { ...adminSession, profile: { ...admin, is_superuser: false } };
  await renderScreen(<MessagesPage />, { texts: ['messages'], session });
  await screen.findByText('No messages');
  expect(screen.queryByRole('button', { name: 'Send message' })).toBeNull();
});
