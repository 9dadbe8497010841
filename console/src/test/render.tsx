import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { startI18n } from '#/lib/i18n';
import { Bit, Role } from '#/lib/permissions';
import { queryClient } from '#/lib/query';
import { DEFAULT_ORG_ID, type Organization, type Profile, type Session, setSession } from '#/lib/session';
import { writeCookie } from '#/lib/storage';
import { ConfirmHost } from '#/ui/confirm';
import { ToastRegion } from '#/ui/toast';

export const defaultOrg: Organization = {
  id: DEFAULT_ORG_ID,
  name: 'Default',
  is_default: true,
  is_root: false,
};
export const rootOrg: Organization = {
  id: '00000000-0000-0000-0000-000000000000',
  name: 'GLOBAL',
  is_default: false,
  is_root: true,
};

export const admin: Profile = {
  id: '11111111-1111-4111-8111-111111111111',
  username: 'admin',
  name: 'Administrator',
  email: 'admin@example.invalid',
  role: 'Admin',
  source: 'local',
  is_first_login: false,
  is_superuser: true,
  is_org_admin: true,
  need_update_password: false,
  current_org_roles: ['Admin'],
  admin_or_audit_orgs: [rootOrg, defaultOrg],
  user_all_orgs: [defaultOrg],
  date_password_last_updated: null,
};

export const adminSession: Session = {
  token: 'a-csrf-token',
  settings: {},
  profile: admin,
  organization: defaultOrg,
  organizations: [defaultOrg],
  roles: [Role.SuperAdmin, Role.User],
  permissions: Role.SuperAdmin | Role.User,
  currentRole: Role.SuperAdmin | Bit.audit,
  mfaVerifiedAt: null,
};

/**
 * Renders a screen inside router, query client and session, at `address`; texts are English. `texts` are those that the
 * screen's route loads before it, beyond the usual ones.
 */
export async function renderScreen(
  screen: ReactNode,
  {
    address = '/',
    pattern = '/',
    session = adminSession,
    texts = [],
  }: { address?: string; pattern?: string; session?: Session; texts?: readonly string[] } = {},
) {
  await startI18n(
    [
      'app',
      'nav',
      'ui',
      'shell',
      'messages',
      'access-keys',
      'resource',
      'users',
      'assets',
      'accounts',
      'command-filters',
      'perms',
      'grants',
      'access-preview',
      'explain-access',
      'audits',
      'node-search',
      'credentials',
      'orgs',
      'connect',
      'connecting',
      'transfers',
      'help',
      'ssh-lines',
      'workbench',
      ...texts,
    ],
    'en',
  );
  queryClient.clear();
  document.cookie = `csrftoken=${session.token}; path=/`;
  setSession(session);
  // Without this cookie the http client sends no write.
  writeCookie('csrftoken', 'a-csrf-token');
  const root = createRootRoute({ component: Outlet });
  const place = createRoute({ getParentRoute: () => root, path: pattern, component: () => screen });
  const elsewhere = createRoute({ getParentRoute: () => root, path: '$', component: () => <p>elsewhere</p> });
  const router = createRouter({
    routeTree: root.addChildren(pattern === '$' ? [place] : [place, elsewhere]),
    history: createMemoryHistory({ initialEntries: [address] }),
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(
        Object.entries(search as Record<string, unknown>)
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([key, value]) => [key, String(value)]),
      ).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
  const view = render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ToastRegion />
      <ConfirmHost />
    </QueryClientProvider>,
  );
  return { ...view, router };
}
