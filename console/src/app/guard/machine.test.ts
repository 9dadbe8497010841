import { describe, expect, test, vi } from 'vitest';
import { errorOf } from '#/lib/http/errors';
import { Role } from '#/lib/permissions';
import type { Organization, Profile, PublicSettings } from '#/lib/session';
import { admin, defaultOrg, rootOrg } from '#/test/render';
import { type GuardPorts, pickRole, REDIRECT_DELAY_MS, runGuard } from './machine';

function failure(status: number, body: unknown = {}) {
  return errorOf({ status, body, requestId: null, method: 'GET', path: 'users/profile/' });
}

interface World {
  settings?: PublicSettings;
  profile?: Profile;
  cookie?: boolean;
  remembered?: Organization | null;
  role?: number | null;
  current?: Organization;
}

function world({
  settings = {},
  profile = admin,
  cookie = true,
  remembered = null,
  role = null,
  current = defaultOrg,
}: World) {
  const calls: string[] = [];
  const log = <T>(name: string, value: T): T => {
    calls.push(name);
    return value;
  };
  const ports: GuardPorts = {
    loadSettings: () => Promise.resolve(log('settings', settings)),
    hasCsrfCookie: () => log('csrf', cookie),
    loadProfile: () => Promise.resolve(log('profile', profile)),
    loadCurrentOrganization: () => Promise.resolve(log('organization', current)),
    rememberedOrganization: () => log('remembered-organization', remembered),
    rememberOrganization: vi.fn<GuardPorts['rememberOrganization']>(),
    rememberedRole: () => log('role', role),
    rememberRole: vi.fn<GuardPorts['rememberRole']>(),
    useOrganization: vi.fn<GuardPorts['useOrganization']>(() => log('use-organization', undefined)),
    buildRoutes: vi.fn<GuardPorts['buildRoutes']>(() => log('routes', undefined)),
  };
  return { ports, calls };
}

const user: Profile = {
  ...admin,
  role: 'User',
  is_superuser: false,
  is_org_admin: false,
  current_org_roles: ['User'],
  admin_or_audit_orgs: [],
};

describe('the first navigation', () => {
  test('[S4-001] [S4-002] [S4-004] [S4-008] [S4-011] [S4-016] takes its steps in the specified order', async () => {
    const { ports, calls } = world({});
    expect((await runGuard(ports)).at).toBe('ready');
    expect(calls).toEqual([
      'settings',
      'csrf',
      'profile',
      'remembered-organization',
      'organization',
      'use-organization',
      'role',
      'routes',
    ]);
  });

  test('fails when the public settings do not load', async () => {
    const { ports } = world({});
    const error = failure(500);
    expect(await runGuard({ ...ports, loadSettings: () => Promise.reject(error) })).toEqual({
      at: 'failed',
      error,
    });
  });

  test('[S4-003] [S8-001] without the CSRF cookie it goes to sign-in after 100 ms', async () => {
    const { ports, calls } = world({ cookie: false });
    expect(await runGuard(ports)).toEqual({ at: 'sign-in', delayMs: 100, reason: 'no-cookie' });
    expect(REDIRECT_DELAY_MS).toBe(100);
    expect(calls).toEqual(['settings', 'csrf']);
  });

  test.each([
    [401, '[S4-005] [S8-003]'],
    [403, '[S4-006] [S8-009]'],
  ])('a %i on the profile goes to sign-in %s', async (status) => {
    const { ports } = world({});
    const exit = await runGuard({ ...ports, loadProfile: () => Promise.reject(failure(status)) });
    expect(exit).toEqual({ at: 'sign-in', delayMs: 0, reason: 'profile-refused' });
  });

  test('a profile that fails otherwise is an error, not a sign-in', async () => {
    const { ports } = world({});
    const error = failure(502);
    expect(await runGuard({ ...ports, loadProfile: () => Promise.reject(error) })).toEqual({
      at: 'failed',
      error,
    });
  });

  test('a session that must change its password may do only that', async () => {
    const { ports } = world({});
    const error = failure(403, { detail: 'x', code: 'password_must_change' });
    expect((await runGuard({ ...ports, loadProfile: () => Promise.reject(error) })).at).toBe(
      'must-change-password',
    );
    expect((await runGuard({ ...ports, loadCurrentOrganization: () => Promise.reject(error) })).at).toBe(
      'must-change-password',
    );
    const flagged = world({ profile: { ...admin, need_update_password: true } });
    expect((await runGuard(flagged.ports)).at).toBe('must-change-password');
  });

  test('[S4-017] someone who signs in for the first time is sent to complete the profile, as the last step', async () => {
    const { ports, calls } = world({ profile: { ...admin, is_first_login: true } });
    expect((await runGuard(ports)).at).toBe('must-complete-profile');
    expect(calls.at(-1)).toBe('routes');
  });
});

describe('the current organization', () => {
  async function organizationFor(setup: World) {
    const { ports } = world(setup);
    const exit = await runGuard(ports);
    return exit.at === 'ready' ? exit.session.organization.id : exit.at;
  }

  test('is the remembered one while it is offered', async () => {
    const other: Organization = { ...defaultOrg, id: 'other', name: 'Other', is_default: false };
    const profile = { ...admin, admin_or_audit_orgs: [defaultOrg, other] };
    expect(await organizationFor({ profile, remembered: other })).toBe('other');
  });

  test('[S4-009] [S4-010] is an own or the default one when the remembered one is no longer valid', async () => {
    const gone: Organization = { ...defaultOrg, id: 'gone', name: 'Gone' };
    expect(await organizationFor({ remembered: gone })).toBe(defaultOrg.id);
    expect(await organizationFor({ profile: user, remembered: gone, current: rootOrg })).toBe(defaultOrg.id);
  });

  test('[S6-038] is never the root without a valid licence', async () => {
    expect(await organizationFor({ remembered: rootOrg })).toBe(defaultOrg.id);
    expect(await organizationFor({ remembered: rootOrg, settings: { XPACK_LICENSE_IS_VALID: true } })).toBe(
      rootOrg.id,
    );
  });
});

describe('the current role', () => {
  const bits = Role.SuperAdmin | Role.User;

  test('[S4-012] is the stored one if permitted', () => {
    expect(pickRole(bits, Role.User, true)).toBe(Role.User);
  });

  test('[S4-013] is the admin page role when nothing permitted is stored', () => {
    expect(pickRole(bits, null, true)).toBe(Role.SuperAdmin);
    expect(pickRole(Role.OrgAdmin | Role.User, Role.SuperAdmin, true)).toBe(Role.OrgAdmin);
    expect(pickRole(Role.OrgAuditor, null, true)).toBe(2);
  });

  test('[S4-014] is the user page role when the admin page is not permitted', () => {
    expect(pickRole(Role.User, null, true)).toBe(Role.User);
  });

  test('[S4-015] is the smallest user page role without organizations to manage', () => {
    expect(pickRole(bits, Role.SuperAdmin, false)).toBe(Role.User);
  });

  test('[S6-049] is remembered for the person', async () => {
    const { ports } = world({ profile: user });
    await runGuard(ports);
    expect(ports.rememberRole).toHaveBeenCalledWith('admin', Role.User);
  });
});
