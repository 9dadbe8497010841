import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { Role } from '#/lib/permissions';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { lastQuery, list, LIST, rig, sent, server, serveThings } from '#/test/list-rig';

serveThings();

describe('date range', () => {
  const ranged = { dateRangeDays: 7 };
  const iso = (...parts: [number, number, number, number, number, number]) =>
    new Date(...parts).toISOString();

  test('[S2-208] [S2-203] [S2-204] [S7-056] start and end are read from the address', async () => {
    const start = new Date(2026, 10, 1, 8, 30).toISOString();
    const end = new Date(2026, 10, 5, 9, 45).toISOString();
    await renderScreen(list(ranged), { address: `/?date_start=${start}&date_end=${end}` });
    await screen.findByRole('link', { name: 'thing 1' });
    expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-11-01 08:30');
    expect(screen.getByLabelText<HTMLInputElement>('To').value).toBe('2026-11-05 09:45');
    expect(lastQuery()).toMatchObject({ date_from: start, date_to: end });
    expect(lastQuery()).not.toHaveProperty('date_start');
  });

  test('[S9-039] [S9-040] a day without a time starts at 00:00:01 and ends at 23:59:59', async () => {
    await renderScreen(list(ranged));
    await screen.findByRole('link', { name: 'thing 1' });
    for (const label of ['From', 'To']) {
      const field = screen.getByLabelText(label);
      await userEvent.clear(field);
      await userEvent.type(field, label === 'From' ? '2026-11-03' : '2026-11-04');
      await userEvent.tab();
    }
    await waitFor(() =>
      expect(lastQuery()).toMatchObject({
        date_from: iso(2026, 10, 3, 0, 0, 1),
        date_to: iso(2026, 10, 4, 23, 59, 59),
      }),
    );
  });

  test.each([
    ['', 'Today', iso(2026, 10, 21, 0, 0, 1)],
    ['[S9-035]', 'Last 24 hours', iso(2026, 10, 20, 15, 30, 0)],
    ['[S9-036]', 'Last 7 days', iso(2026, 10, 14, 0, 0, 1)],
    ['[S9-037]', 'Last 30 days', iso(2026, 9, 22, 0, 0, 1)],
    ['[S9-038]', 'Last 90 days', iso(2026, 7, 23, 0, 0, 1)],
  ])('%s the shortcut %s', async (_id, name, from) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 15, 30) });
    await renderScreen(list(ranged), { address: '/?date_start=2020-01-01T00:00:00Z' });
    await screen.findByRole('link', { name: 'thing 1' });
    await userEvent.click(screen.getByRole('button', { name: 'Time range' }));
    await userEvent.click(await screen.findByRole('button', { name }));
    await waitFor(() =>
      expect(lastQuery()).toMatchObject({ date_from: from, date_to: iso(2026, 10, 21, 23, 59, 59) }),
    );
  });
});

test('[S5-058] [S5-059] [S5-061] [S8-026] a row is deleted only after a question, and the success is shown', async () => {
  server.use(mock.delete('*/api/v1/things/t2/', () => new HttpResponse(null, { status: 204 })));
  await renderScreen(list());
  await userEvent.click(await screen.findByRole('button', { name: 'Actions of thing 2' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog', { name: 'Delete user group “thing 2”?' });
  expect(within(question).getByRole('img', { name: 'Warning' })).toBeTruthy();
  expect(sent('DELETE')).toHaveLength(0);
  await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('thing 2 deleted')).toBeTruthy();
});

describe('states', () => {
  test('[S2-213] the header actions are above the table, in every state', async () => {
    await renderScreen(list({ dateRangeDays: 7, exchange: {} }));
    const table = await screen.findByRole('table');
    for (const action of [
      screen.getByRole('combobox', { name: 'Search' }),
      screen.getByLabelText('From'),
      screen.getByRole('button', { name: 'Columns' }),
      screen.getByRole('button', { name: 'Refresh' }),
      screen.getByRole('button', { name: 'Import and export' }),
      screen.getByRole('link', { name: 'Create user group' }),
    ]) {
      expect(table.compareDocumentPosition(action)).toBe(Node.DOCUMENT_POSITION_PRECEDING);
    }
  });

  test('without a match the conditions are shown, can be cleared, or a search everywhere is offered', async () => {
    rig.stored = [];
    const { router } = await renderScreen(list(), { address: '/?state=off&name=web' });
    expect(await screen.findByText('No matching user groups')).toBeTruthy();
    expect(await screen.findAllByText('State: Stopped')).toHaveLength(2);
    await userEvent.click(screen.getByRole('button', { name: 'Search all fields for “Stopped web”' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ search: 'Stopped web' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Clear 1 condition' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
  });

  test('an empty list offers to create and to import', async () => {
    rig.stored = [];
    await renderScreen(list({ exchange: {} }));
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
    expect(screen.getAllByRole('link', { name: 'Create user group' })).toHaveLength(2);
    expect(screen.getByRole('button', { name: 'Import' })).toBeTruthy();
  });

  test('an empty list links to the source of its rows for people who may open it', async () => {
    rig.stored = [];
    const next = { label: 'resource:tab.basic', to: '/connect', permission: 'admin' } as const;
    const { unmount } = await renderScreen(list({ next }));
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Basic' }).getAttribute('href')).toBe('/connect');
    unmount();
    await renderScreen(list({ next }), {
      session: { ...adminSession, currentRole: Role.User },
    });
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Basic' })).toBeNull();
  });

  test('an empty log offers to look further back', async () => {
    rig.stored = [];
    const { router } = await renderScreen(list({ dateRangeDays: 7 }));
    await userEvent.click(await screen.findByRole('button', { name: 'Look back 90 days' }));
    await waitFor(() => expect(router.state.location.search).toHaveProperty('date_start'));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Look back 90 days' })).toBeNull());
  });

  test('[S8-048] a failed list is requested once; the person decides about a retry', async () => {
    server.use(mock.get(LIST, () => HttpResponse.json({}, { status: 503 })));
    await renderScreen(list());
    const again = await screen.findByRole('button', { name: 'Retry' });
    expect(sent('GET')).toHaveLength(1);
    await userEvent.click(again);
    await waitFor(() => expect(sent('GET')).toHaveLength(2));
  });

  test('a refused list says what is needed and who you are; without a licence, what is retained', async () => {
    server.use(mock.get(LIST, () => HttpResponse.json({ code: 'permission_denied' }, { status: 403 })));
    const first = await renderScreen(list());
    expect(await screen.findByText(/needs the admin permission.*\(admin\).*“Default”/)).toBeTruthy();
    first.unmount();
    server.use(mock.get(LIST, () => HttpResponse.json({ code: 'licence_required' }, { status: 403 })));
    await renderScreen(list());
    expect(await screen.findByText('A licence is needed for user groups')).toBeTruthy();
    expect(screen.getByText(/data is kept, the feature is off/)).toBeTruthy();
  });

  test('without a network actions say so, and they come back by themselves', async () => {
    await renderScreen(list());
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    const create = screen.getByRole('button', { name: 'Create user group' });
    for (const action of [
      create,
      screen.getByRole('button', { name: 'Update thing 1' }),
      screen.getByRole('button', { name: 'Delete' }),
    ]) {
      expect(action.getAttribute('aria-disabled')).toBe('true');
      expect(action.title).toBe('No network');
    }
    online.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event('online')));
    expect(screen.getByRole('link', { name: 'Create user group' })).toBeTruthy();
  });

  test('each result is announced once to screen readers', async () => {
    await renderScreen(list());
    const announcements = () => screen.getAllByRole('status').map((status) => status.textContent);
    await waitFor(() => expect(announcements()).toContain('40 items'));
    rig.stored = rig.stored.slice(0, 3);
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(announcements()).toContain('3 items'));
  });
});

test('[S2-216] in the root organization nothing is imported', async () => {
  await renderScreen(list({ exchange: { export: true } }), {
    session: { ...adminSession, organization: rootOrg },
  });
  await screen.findByRole('link', { name: 'thing 1' });
  expect(screen.getByRole('button', { name: 'Export' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Import/ })).toBeNull();
});
