import { QueryClientProvider } from '@tanstack/react-query';
import { type AnyRoute, createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render, screen, waitFor } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { setRequestOrganization } from '#/lib/http/client';
import { startI18n } from '#/lib/i18n';
import { Bit, Role } from '#/lib/permissions';
import { queryClient } from '#/lib/query';
import type { RouteRecord, Section } from '#/lib/routes';
import { currentSession, setSession } from '#/lib/session';
import { admin, adminSession, defaultOrg } from '#/test/render';
import { ToastRegion } from '#/ui/toast';
import { guard } from './guard/guard';
import { basepathAt, loadAhead, makeRouter } from './router';
import { menuFor, openTo, records, refusalOf, sections } from './sections';

const server = setupServer(
  mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })),
  mock.get('*/api/v1/users/profile/', () => HttpResponse.json(admin)),
  mock.get('*/api/v1/orgs/orgs/current/', () => HttpResponse.json(defaultOrg)),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
beforeEach(() => startI18n(['app', 'nav', 'ui'], 'en'));
afterEach(() => {
  server.resetHandlers();
  setSession(null);
  setRequestOrganization(null);
});
afterAll(() => server.close());

function visit(address: string) {
  document.cookie = 'csrftoken=a-csrf-token; path=/';
  const router = makeRouter();
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [address] }) });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ToastRegion />
    </QueryClientProvider>,
  );
  return router;
}
const SLOW = { timeout: 60_000 };

test.each([
  ['/ui/users/users', '/ui'],
  ['/ui/login', '/ui'],
  ['/login', '/'],
  ['/login/', '/'],
  ['/core/auth/login/', '/core/auth'],
  ['/core/auth/loginx', '/ui'],
])('the page at %s has its routes below %s', (address, base) => {
  expect(basepathAt(address)).toBe(base);
});

test.each(['/login', '/core/auth/login/'])('%s is the sign-in page itself', async (address) => {
  history.replaceState(null, '', address);
  try {
    visit(address);
    expect(await screen.findByLabelText(/Username|用户名/)).toBeTruthy();
  } finally {
    history.replaceState(null, '', '/ui/');
  }
});

describe('first navigation', () => {
  beforeEach(() => () => history.replaceState(null, '', '/ui/'));

  /** The requests sent at this address before anything is drawn. */
  function ahead(address: string) {
    history.replaceState(null, '', address);
    document.cookie = 'csrftoken=a-csrf-token; path=/';
    const fetched = vi.spyOn(globalThis, 'fetch');
    const texts = loadAhead(makeRouter());
    return { texts, fetched, paths: fetched.mock.calls.map(([url]) => String(url).split('?')[0]) };
  }

  test('it sends all requests of a guarded screen at once, and the guard sends none again', async () => {
    const { texts, fetched, paths } = ahead('/ui/users/users');
    expect(paths.toSorted()).toEqual([
      '/api/v1/orgs/orgs/current/',
      '/api/v1/settings/public/',
      '/api/v1/users/profile/',
    ]);
    expect(texts).toEqual(expect.arrayContaining(['shell', 'messages', 'resource', 'users']));
    await guard('/users/users');
    expect(currentSession()?.profile.username).toBe('admin');
    expect(fetched).toHaveBeenCalledTimes(paths.length);
  });

  test.each(['/ui/perms/asset-permissions/create', '/ui/perms/app-permissions/create'])(
    'the texts of the card beside the form load with %s',
    (address) => expect(ahead(address).texts).toContain('access-preview'),
  );

  test('the sign-in page needs no request', () => {
    const { texts, paths } = ahead('/ui/login');
    expect(paths).toEqual([]);
    expect(texts).toEqual(['signin']);
  });
});

describe('route tree', () => {
  test('[S2-001] an unknown path redirects to /404', async () => {
    const router = visit('/ui/no/such/page');
    expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' }, SLOW)).toBeTruthy();
    expect(router.state.location.pathname).toBe('/404');
  });

  test('[S2-002] each section is a parent route with its screens nested in it', () => {
    const { routesById } = makeRouter();
    const byRecord = new Map<string, AnyRoute>();
    for (const route of Object.values(routesById) as AnyRoute[]) {
      const name = (route.options.staticData as { record?: string } | undefined)?.record;
      if (name !== undefined) byRecord.set(name, route);
    }
    for (const section of sections)
      for (const record of section.routes) {
        const parent = byRecord.get(record.name)?.parentRoute as AnyRoute | undefined;
        expect(parent?.id).toMatch(new RegExp(`/${section.id}(?:-bare)?$`));
      }
    expect(byRecord.size).toBe(records.length);
  });

  test('[S2-003] a resource has the paths list, create, {id} and {id}/update', () => {
    const path = (name: string) => records.find((record) => record.name === name)?.path;
    for (const [name, base] of [
      ['User', '/users/users'],
      ['UserGroup', '/users/groups'],
      ['Asset', '/assets/assets'],
      ['SystemUser', '/assets/system-users'],
    ] as const)
      expect(['List', 'Create', 'Detail', 'Update'].map((kind) => path(name + kind))).toEqual([
        base,
        `${base}/create`,
        `${base}/$id`,
        `${base}/$id/update`,
      ]);
  });

  test('[S1-010] every address of the console lies under /ui/', () => {
    const router = makeRouter();
    for (const record of records)
      expect(router.buildLocation({ to: record.path, params: { id: 'x' } } as never).publicHref).toMatch(
        /^\/ui\//,
      );
  });
});

describe('permission that a route requires', () => {
  const bare: RouteRecord = {
    name: 'Bare',
    path: '/bare',
    title: 'nav:users',
    texts: [],
    load: () => Promise.resolve(() => null),
  };
  const as = (currentRole: number) => ({ ...adminSession, currentRole });
  const section = (...routes: RouteRecord[]): Section => ({
    id: 'x',
    title: 'nav:users',
    icon: 'users',
    order: 1,
    routes,
  });
  const names = (from: readonly Section[]) =>
    from.flatMap((section) => section.routes.map((record) => record.name));

  test('[S2-005] it is the admin permission when the route names none', () => {
    expect(refusalOf(bare, as(Bit.admin))).toBeNull();
    for (const role of [Bit.use, Bit.audit, Role.OrgAuditor])
      expect(refusalOf(bare, as(role))).toBe('permission');
  });

  test('[S2-006] it is the permission that the route names', () => {
    const audited = { ...bare, permission: 'audit' } as const;
    expect(refusalOf(audited, as(Role.OrgAuditor))).toBeNull();
    expect(refusalOf(audited, as(Bit.admin))).toBe('permission');
  });

  test('[S2-007] hidden routes are not in the menu but can be opened', () => {
    const from = [section(bare, { ...bare, name: 'Hidden', hidden: true })];
    expect(names(menuFor(adminSession, from))).toEqual(['Bare']);
    expect(names(openTo(adminSession, from))).toEqual(['Bare', 'Hidden']);
  });

  test('[S2-008] [S1-007] routes that need a licence do not exist without a valid one', () => {
    const from = [section(bare, { ...bare, name: 'Licensed', licence: true })];
    expect(names(openTo(adminSession, from))).toEqual(['Bare']);
    const licensed = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };
    expect(names(openTo(licensed, from))).toEqual(['Bare', 'Licensed']);
  });
});

describe('first navigation on screen', () => {
  test('[S8-021] a profile that cannot be loaded shows an error and offers to sign in again', async () => {
    server.use(
      mock.get('*/api/v1/users/profile/', () =>
        HttpResponse.json({}, { status: 502, headers: { 'X-Request-ID': 'req-77' } }),
      ),
    );
    visit('/ui/users/users');
    const title = 'Verification failed, please Login again.';
    expect(await screen.findByRole('heading', { level: 1, name: title }, SLOW)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Re-login' })).toBeTruthy();
    expect(screen.getByText('req req-77')).toBeTruthy();
  });

  test('[S2-026] a first sign-in ends on the page that completes the profile', async () => {
    server.use(
      mock.get('*/api/v1/users/profile/', () => HttpResponse.json({ ...admin, is_first_login: true })),
    );
    const router = visit('/ui/users/users');
    await waitFor(
      () =>
        expect(router.state.location.pathname).toBe('/users/first-login/personal-information-improvement'),
      SLOW,
    );
  });

  test('the address of a section leads to its first screen that the person may open', async () => {
    const router = visit('/ui/audits');
    await waitFor(() => expect(router.state.location.pathname).toBe('/audits/events'), SLOW);
  });
});
