import { render, screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { setRequestOrganization } from '#/lib/http/client';
import { startI18n } from '#/lib/i18n';
import { Role } from '#/lib/permissions';
import { queryClient } from '#/lib/query';
import { type Session, setSession } from '#/lib/session';
import { admin, adminSession, defaultOrg, renderScreen } from '#/test/render';
import { RefusedPage } from './pages/RefusedPage';
import { makeRouter } from './router';
import { menuFor, openTo, recordNamed, refusalOf } from './sections';
import { Sidebar } from './shell/Sidebar';

const SCREENS = ['OrganizationList', 'OrganizationCreate', 'OrganizationUpdate', 'OrganizationDetail'];
const licensed: Session = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };
const refusals = (session: Session) =>
  SCREENS.map((name) => {
    const record = recordNamed(name);
    return record && refusalOf(record, session);
  });
const all = <T,>(value: T) => SCREENS.map(() => value);

describe('the organizations', () => {
  test('[S2-168] [S6-026] only super administrators open them', () => {
    expect(refusals(licensed)).toEqual(all(null));
    for (const role of [Role.OrgAdmin, Role.OrgAuditor, Role.User, Role.Anon])
      expect(refusals({ ...licensed, currentRole: role })).toEqual(all('permission'));
  });

  test('[S2-151] [S6-037] they are closed without a valid licence', () => {
    expect(refusals(adminSession)).toEqual(all('licence'));
    expect(refusals({ ...licensed, settings: { XPACK_LICENSE_IS_VALID: false } })).toEqual(all('licence'));
    expect(openTo(adminSession).map((section) => section.id)).not.toContain('xpack');
    expect(openTo(licensed).map((section) => section.id)).toContain('xpack');
  });

  test('the refusal page links to the licence import only for those who may import', async () => {
    const at = { address: '/403?screen=OrganizationList&why=licence', pattern: '/403' };
    const { unmount } = await renderScreen(<RefusedPage />, at);
    expect(await screen.findByRole('link', { name: 'Import licence' })).toBeTruthy();
    unmount();
    const session = { ...adminSession, profile: { ...admin, role: 'User' } };
    await renderScreen(<RefusedPage />, { ...at, session });
    expect(await screen.findByText(/There is no valid licence/)).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Import licence' })).toBeNull();
  });

  test('their menu entry is below the extension and follows right and licence', async () => {
    const entries = (session: Session) =>
      menuFor(session)
        .find((section) => section.id === 'xpack')
        ?.routes.map((record) => record.path);
    expect(entries(licensed)).toEqual(['/xpack/orgs']);
    expect(entries(adminSession)).toBeUndefined();
    expect(entries({ ...licensed, currentRole: Role.OrgAdmin })).toBeUndefined();
    await renderScreen(<Sidebar />, { session: licensed });
    (await screen.findByRole('button', { name: 'Extension' })).click();
    const entry = await screen.findByRole('link', { name: 'Organizations' });
    expect(entry.getAttribute('href')).toBe('/xpack/orgs');
  });
});

describe('the address of the section', () => {
  const server = setupServer(
    mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })),
    mock.get('*/api/v1/users/profile/', () => HttpResponse.json(admin)),
    mock.get('*/api/v1/orgs/orgs/current/', () => HttpResponse.json(defaultOrg)),
    mock.get('*/api/v1/notifications/site-message/', () => HttpResponse.json({ count: 0, results: [] })),
  );
  beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
  beforeEach(async () => {
    setSession(null);
    setRequestOrganization(null);
    await startI18n(['app', 'nav', 'ui'], 'en');
  });
  afterAll(() => server.close());

  test('without a licence it says that a licence is needed and where to import it', async () => {
    document.cookie = 'csrftoken=a-csrf-token; path=/';
    const router = makeRouter();
    router.update({ ...router.options, history: createMemoryHistory({ initialEntries: ['/ui/xpack'] }) });
    render(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    );
    const title = '“Organizations” needs a licence';
    const patience = { timeout: 60_000 };
    expect(await screen.findByRole('heading', { level: 1, name: title }, patience)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Import licence' }).getAttribute('href')).toBe(
      '/ui/help?topic=enterprise',
    );
    expect(router.state.location.pathname).toBe('/403');
  });
});
