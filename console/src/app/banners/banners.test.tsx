import { screen, waitFor } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { http } from '#/lib/http/client';
import { NO_SETTINGS, type Session } from '#/lib/session';
import { admin, adminSession, renderScreen } from '#/test/render';
import { Banners } from './Banners';
import { licenceDaysLeft, licenceExpiry, passwordEnd, passwordExpiry } from './expiry';

let asked = 0;
function licence(detail: { date_expired: string | null; days_left?: number | null }) {
  server.use(
    mock.get('*/api/v1/xpack/license/detail', () => {
      asked += 1;
      return HttpResponse.json(detail);
    }),
  );
}
let marked = 0;
const server = setupServer(
  mock.get('*/api/v1/marker/', () => {
    marked += 1;
    return HttpResponse.json({});
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => {
  asked = 0;
  marked = 0;
  server.resetHandlers();
});
afterAll(() => server.close());

const enterprise: Session = { ...adminSession, settings: { XPACK_ENABLED: true } };
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

async function shown(session: Session) {
  await renderScreen(
    <>
      <p>page</p>
      <Banners />
    </>,
    { session },
  );
  await screen.findByText('page');
}

test('[S4-044] [S4-045] [S9-041] a licence is expired below 0 days left and gives a warning below 7', () => {
  expect([-1, 0, 6, 7].map(licenceExpiry)).toEqual(['expired', 'soon', 'soon', null]);
  const noon = new Date(2026, 10, 21, 12);
  expect(licenceDaysLeft('2026-11-21', noon)).toBe(0);
  expect(licenceDaysLeft('2026-11-20', noon)).toBe(-1);
  expect(licenceDaysLeft('2027-01-01', noon)).toBe(41);
});

test('[S4-046] [S4-047] [S9-042] a password is expired at its age limit and gives a warning with 5 days or fewer left', () => {
  const set = new Date('2026-01-01T00:00:00Z');
  const end = passwordEnd(set, 30);
  if (!end) throw new Error('no end');
  const after = (days: number) => passwordExpiry(end, new Date(set.getTime() + days * DAY_MS));
  expect([23.9, 24, 24.1, 29.9, 30, 31].map(after)).toEqual([
    null,
    null,
    'soon',
    'soon',
    'expired',
    'expired',
  ]);
  expect(passwordEnd(set, 9_999)).toBeNull();
  expect(passwordEnd(null, 30)).toBeNull();
});

test('[S8-040] an expired licence shows the banner with its end date', async () => {
  licence({ date_expired: '2026-11-01', days_left: -20 });
  await shown(enterprise);
  expect(await screen.findByText('The licence expired on 2026-11-01')).toBeTruthy();
});

test('[S8-041] [S7-025] a licence that expires soon shows the banner with its end date', async () => {
  licence({ date_expired: '2026-11-25', days_left: 4 });
  await shown(enterprise);
  expect(await screen.findByText('The licence will expire on 2026-11-25')).toBeTruthy();
});

test('a licence that is valid for long shows no banner', async () => {
  licence({ date_expired: '2027-11-25', days_left: 365 });
  await shown(enterprise);
  await waitFor(() => expect(asked).toBe(1));
  expect(screen.queryByText(/licence/)).toBeNull();
});

test.each([
  [
    '[S6-046] [S7-026] one without the system role Admin',
    { ...enterprise, profile: { ...admin, role: 'User' } },
  ],
  ['one whose first sign-in is not complete', { ...enterprise, profile: { ...admin, is_first_login: true } }],
  [
    '[S6-047] [S7-026] one without the enterprise edition',
    { ...adminSession, settings: { XPACK_ENABLED: false } },
  ],
])('%s sees no licence banner and does not request the licence', async (_, session) => {
  licence({ date_expired: '2026-11-01', days_left: -20 });
  await shown(session);
  // All effects have run: a request of the banner would already have been sent.
  await http.get('marker/');
  expect(marked).toBe(1);
  expect(asked).toBe(0);
  expect(screen.queryByText(/licence/i)).toBeNull();
});

test('[S6-048] a local password that expires soon gives a warning', async () => {
  const session: Session = {
    ...adminSession,
    settings: { SECURITY_PASSWORD_EXPIRATION_TIME: 30 },
    profile: { ...admin, date_password_last_updated: daysAgo(27) },
  };
  await shown(session);
  expect(await screen.findByText(/Your password will expire on/)).toBeTruthy();
});

test('[S6-048] a password of another source gives no warning', async () => {
  const profile = { ...admin, source: 'ldap', date_password_last_updated: daysAgo(40) };
  await shown({ ...adminSession, settings: { SECURITY_PASSWORD_EXPIRATION_TIME: 30 }, profile });
  expect(screen.queryByText(/password/)).toBeNull();
});

test('settings that the server could not give are named, with another try', async () => {
  await shown({ ...adminSession, settings: NO_SETTINGS });
  expect(screen.getByText(/could not give its settings/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy();
});
