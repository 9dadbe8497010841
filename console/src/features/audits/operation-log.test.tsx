import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { EventDetails } from './EventDetails';
import { OperateLogPage } from './screens';

const operation = {
  id: '1',
  sequence: 41,
  user: 'Ann(ann)',
  user_display: 'Ann(ann)',
  action: 'update',
  action_display: 'Update',
  event_display: 'Permission changed',
  category_display: 'Grants and permissions',
  resource_type_display: 'Asset permission',
  resource_id: 'p1',
  resource: 'AssetPermission1',
  resource_display: 'on call',
  org_name: 'Default',
  remote_addr: '192.0.2.7',
  datetime: '2026/11/22 13:43:03 +0000',
  changes: [
    { field: 'system_users', label: 'System users', before: ['deploy'], after: ['deploy', 'root'] },
    { field: 'name', label: 'Name', before: 'on call', after: 'on call' },
    { field: 'is_active', label: 'Active', before: false, after: true },
    { field: 'comment', label: 'Comment', before: '', after: 'night shift' },
    { field: 'date_expired', label: 'Ends', before: '2026-12-01T00:00:00Z', after: '2126-11-01T00:00:00Z' },
  ],
};

const { server } = recordedServer(() => [
  mock.options('*/api/v1/audits/operate-logs/', () =>
    HttpResponse.json({ name: 'log', actions: { GET: {} } }),
  ),
  mock.get('*/api/v1/audits/operate-logs/', () => HttpResponse.json(pageOf([operation]))),
]);

test('an operation names the changed fields and opens to show their values before and after', async () => {
  await renderScreen(<OperateLogPage />);
  const line = await screen.findByRole('row', { name: /on call/ });
  expect(line.textContent).toContain('System users, Active +2');
  await userEvent.click(within(line).getByRole('button', { name: /on call/ }));
  const values = await screen.findByRole('table', { name: 'Values before and after' });
  const accounts = within(values).getByRole('row', { name: /System users/ });
  expect(accounts.textContent).toContain('+ root');
  expect(within(values).getByRole('row', { name: /Active/ }).textContent).toMatch(/No.*Yes/);
  expect(within(values).getByRole('row', { name: /Ends/ }).textContent).toMatch(/2026-12-01.*No end/);
  expect(screen.getByRole('link', { name: 'All events of this object' }).getAttribute('href')).toContain(
    'resource_id=p1',
  );
});

test('a refused undo of settings keeps its question open with the reason', async () => {
  server.use(
    mock.post('*/api/v1/settings/setting/undo/', () =>
      HttpResponse.json({ detail: 'Enter the password of the mail account.', code: 'x' }, { status: 409 }),
    ),
  );
  const row = { ...operation, event: 'settings.updated' };
  await renderScreen(<EventDetails row={row} />, { texts: ['audits'] });
  await userEvent.click(await screen.findByRole('button', { name: 'Undo this change' }));
  const question = await screen.findByRole('alertdialog');
  await userEvent.click(within(question).getByRole('button', { name: 'Undo this change' }));
  expect(await within(question).findByText(/Enter the password of the mail account/)).toBeTruthy();
});
