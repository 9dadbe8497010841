import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { Role } from '#/lib/permissions';
import { recordedServer } from '#/test/recorded';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import type { Retention } from './api';
import { PreviewCard } from './PreviewCard';
import { RetentionPanel } from './RetentionPanel';

const retention: Retention = {
  days: null,
  effective_days: 200,
  default_days: 200,
  shortest_days: 90,
  longest_days: 400,
  risk_days: 0,
  size_limit: 50_000_000_000,
  size_min_age_days: 30,
};
const none = { sessions: 0, recordings: 0, bytes: 0, oldest: null, newest: null };
let saved = retention;

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/terminal/retention/', () => HttpResponse.json(saved)),
  mock.put('*/api/v1/terminal/retention/', async ({ request }) => {
    const { days } = (await request.json()) as { days: number | null };
    saved = { ...retention, days, effective_days: days ?? retention.default_days };
    return HttpResponse.json(saved);
  }),
  mock.get('*/api/v1/terminal/retention/preview/', ({ request }) => {
    const days = new URL(request.url).searchParams.get('days');
    const due = {
      sessions: days === '90' ? 12 : 1,
      recordings: 1,
      bytes: 7_000_000,
      oldest: '2026/01/02 08:00:00 +0000',
      newest: '2026/02/03 08:00:00 +0000',
    };
    return HttpResponse.json([{ org_id: 'o1', org_name: 'Default', due, held: { ...none, sessions: 3 } }]);
  }),
]);

beforeEach(() => {
  saved = retention;
});

const view = (more = {}) => renderScreen(<RetentionPanel />, { texts: ['retention'], ...more });
const field = () => screen.findByRole('textbox', { name: 'Keep sessions for days' });

test('the days are tried before they are saved, and only within the limits', async () => {
  await view();
  const result = within(await screen.findByRole('status'));
  expect(await result.findByText(/1 session · 1 recording · 7 MB/)).toBeTruthy();
  expect(screen.getByText(/3 sessions/)).toBeTruthy();
  expect(screen.getByText(/50 GB on this server/)).toBeTruthy();

  await userEvent.type(await field(), '89');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/from 90 to 400/)).toBeTruthy();
  expect(sent('PUT', 'terminal/retention/')).toHaveLength(0);

  await userEvent.clear(await field());
  await userEvent.type(await field(), '90');
  await userEvent.click(screen.getByRole('button', { name: 'Show what would be deleted' }));
  expect(await screen.findByText(/12 sessions/)).toBeTruthy();
  expect(screen.getByText(/kept its sessions for 90 days/)).toBeTruthy();
  expect(sent('PUT', 'terminal/retention/')).toHaveLength(0);

  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The days were saved')).toBeTruthy();
  expect(sent('PUT', 'terminal/retention/')[0]?.body).toEqual({ days: 90 });
  expect(within(screen.getByText('Sessions').parentElement as HTMLElement).getByText('90 days')).toBeTruthy();
});

test('auditors, and administrators of all organizations, change nothing', async () => {
  const whole = { ...adminSession, organization: rootOrg };
  const { unmount } = await view({ session: { ...adminSession, currentRole: Role.OrgAuditor } });
  expect((await field()).hasAttribute('disabled')).toBe(true);
  unmount();
  await view({ session: whole });
  expect((await field()).hasAttribute('disabled')).toBe(true);
  // Each organization may have its own days.
  expect(screen.getByText('200 days, unless the organization chose others')).toBeTruthy();
  expect(screen.getByText('As the others of their organization')).toBeTruthy();
});

test('without limits of their own, organizations choose nothing', async () => {
  saved = { ...retention, shortest_days: 200, longest_days: 200 };
  await view();
  expect((await field()).hasAttribute('disabled')).toBe(true);
  expect(screen.getByText(/lets no organization choose/)).toBeTruthy();
});

test('the settings ask about all organizations, when the button is pressed', async () => {
  await renderScreen(<PreviewCard question={{ everywhere: true }} onDemand />, { texts: ['retention'] });
  const show = await screen.findByRole('button', { name: 'Show' });
  expect(sent('GET', 'terminal/retention/preview/')).toHaveLength(0);
  await userEvent.click(show);
  expect(await screen.findByText('Default')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Refresh' })).toBeTruthy();
  expect(sent('GET', 'terminal/retention/preview/')[0]?.query.get('oid')).toBe(rootOrg.id);
});

test('a preview that is refused is announced as an error', async () => {
  server.use(
    mock.get('*/api/v1/terminal/retention/preview/', () =>
      HttpResponse.json({ code: 'retention_preview_busy', detail: 'Try again.' }, { status: 503 }),
    ),
  );
  await renderScreen(<PreviewCard question={{}} />, { texts: ['retention'] });
  expect(await screen.findByRole('alert')).toBeTruthy();
});
