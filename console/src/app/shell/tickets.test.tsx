import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Role } from '#/lib/permissions';
import type { Session } from '#/lib/session';
import { admin, adminSession, renderScreen } from '#/test/render';
import { offersTickets, TicketsLink } from './TicketsLink';

const asked: URL[] = [];
const server = setupServer(
  mock.get('*/api/v1/tickets/tickets/', ({ request }) => {
    asked.push(new URL(request.url));
    return HttpResponse.json({ count: 120, results: [] });
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => {
  asked.length = 0;
});
afterAll(() => server.close());

const session: Session = {
  ...adminSession,
  settings: { TICKETS_ENABLED: true, XPACK_LICENSE_IS_VALID: true },
};

test('[S1-078] [S1-079] [S9-021] [S3-051] a link to the tickets shows the count of the open ones', async () => {
  await renderScreen(<TicketsLink />, { session });
  const link = await screen.findByRole('link', { name: 'Tickets, 120 open' }, { timeout: 60_000 });
  expect(link.getAttribute('href')).toBe('/tickets/tickets');
  expect(link.textContent).toBe('99+');
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toMatchObject({
    assignees__id: admin.id,
    status: 'open',
    offset: '0',
    limit: '15',
  });
});

test('[S6-043] [S6-044] [S6-045] it is shown only with tickets on and a valid licence, and not to auditors', async () => {
  expect(offersTickets(session)).toBe(true);
  expect(offersTickets({ ...session, settings: { XPACK_LICENSE_IS_VALID: true } })).toBe(false);
  expect(offersTickets({ ...session, settings: { TICKETS_ENABLED: true } })).toBe(false);
  const auditor = { ...session, roles: [Role.OrgAuditor] };
  expect(offersTickets(auditor)).toBe(false);
  await renderScreen(
    <>
      <p>here</p>
      <TicketsLink />
    </>,
    { session: auditor },
  );
  await screen.findByText('here');
  expect(screen.queryByRole('link')).toBeNull();
  expect(asked).toHaveLength(0);
});
