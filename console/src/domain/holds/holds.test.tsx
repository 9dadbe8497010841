import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { Bit, Role } from '#/lib/permissions';
import { recordedServer } from '#/test/recorded';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import type { Hold } from './api';
import { HoldsOf } from './HoldsOf';

const hold = (more: Partial<Hold> = {}): Hold => ({
  id: 'h1',
  session: 's1',
  user_id: null,
  name: 'root@shop-1',
  reason: 'matter 7',
  date_end: null,
  created_by: 'Olaf(olaf)',
  date_created: '2026/11/22 13:43:03 +0000',
  org_id: 'o1',
  org_name: 'Default',
  ...more,
});
let holds: Hold[] = [];

const { server, sent } = recordedServer(
  () => [
    mock.get('*/api/v1/terminal/holds/', () => HttpResponse.json(holds)),
    mock.post('*/api/v1/terminal/holds/', () => {
      holds = [hold()];
      return HttpResponse.json(holds[0], { status: 201 });
    }),
    mock.post('*/api/v1/terminal/holds/h1/release/', () => {
      holds = [];
      return new HttpResponse(null, { status: 204 });
    }),
  ],
  () => [import('#/ui/modal-layer')],
);

beforeEach(() => {
  holds = [];
});

const view = (more = {}) =>
  renderScreen(<HoldsOf object={{ session: 's1' }} name="Li → shop-1" />, {
    texts: ['holds', 'dates'],
    ...more,
  });

test('a hold is placed with a reason, and removed with a reason', async () => {
  await view();
  await userEvent.click(await screen.findByRole('button', { name: 'Put on hold' }));
  const dialog = await screen.findByRole('dialog', { name: 'Put Li → shop-1 on hold?' });
  const confirm = within(dialog).getByRole('button', { name: 'Put on hold' });
  await userEvent.click(confirm);
  expect(sent('POST', 'terminal/holds/')).toHaveLength(0);
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Reason/ }), 'matter 7');
  await userEvent.click(confirm);
  expect(await screen.findByText('On hold')).toBeTruthy();
  expect(sent('POST', 'terminal/holds/')[0]?.body).toEqual({
    session: 's1',
    reason: 'matter 7',
    date_end: null,
  });
  expect(screen.getByText(/by Olaf\(olaf\)/).textContent).toContain('without an end');

  await userEvent.click(screen.getByRole('button', { name: 'Remove hold' }));
  const removal = await screen.findByRole('dialog', { name: 'Remove the hold of root@shop-1?' });
  await userEvent.type(within(removal).getByRole('textbox', { name: /Reason/ }), 'closed');
  await userEvent.click(within(removal).getByRole('button', { name: 'Remove hold' }));
  expect(await screen.findByText(/^Not on hold/)).toBeTruthy();
  expect(sent('POST', 'terminal/holds/h1/release/')[0]?.body).toEqual({ reason: 'closed' });
});

test('a refusal stays in the dialog', async () => {
  server.use(
    mock.post('*/api/v1/terminal/holds/', () =>
      HttpResponse.json({ code: 'hold_differs', detail: 'It is on hold with another end.' }, { status: 409 }),
    ),
  );
  await view();
  await userEvent.click(await screen.findByRole('button', { name: 'Put on hold' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Reason/ }), 'matter 7');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Put on hold' }));
  expect(await within(dialog).findByText(/another end/)).toBeTruthy();
});

test('a hold whose end has come holds nothing, and is so shown until retention removes it', async () => {
  holds = [hold({ date_end: '2026/01/01 08:00:00 +0000' })];
  const { unmount } = await view();
  expect(await screen.findByText(/ended 2026/)).toBeTruthy();
  expect(screen.queryByText('On hold')).toBeNull();
  expect(screen.queryByText(/Default/)).toBeNull();
  unmount();
  await view({ session: { ...adminSession, organization: rootOrg } });
  expect(await screen.findByText(/ended 2026.*Default/)).toBeTruthy();
});

test('an auditor sees holds and cannot change them', async () => {
  holds = [hold()];
  await view({ session: { ...adminSession, currentRole: Role.User | Bit.audit } });
  expect(await screen.findByText('matter 7')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Remove hold' })).toBeNull();
  expect(screen.getByRole('button', { name: /Put on hold/ }).getAttribute('aria-disabled')).toBe('true');
});
