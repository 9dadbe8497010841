import { describe, expect, test, vi } from 'vitest';
import { errorOf, MissingTokenError } from '#/lib/http/errors';
import { Bit, Role } from '#/lib/permissions';
import { DEFAULT_ORG_ID, type Organization, type Profile, type PublicSettings } from '#/lib/session';
import { admin, defaultOrg, rootOrg } from '#/test/render';
import { pickRole } from './choices';
import { type GuardPorts, type GuardState, REDIRECT_DELAY_MS, runGuard, step } from './machine';

function failure(status: number, body: unknown = {}) {
  return errorOf({ status, body, requestId: null, method: 'GET', path: 'users/profile/' });
}

const shanghai: Organization = { ...defaultOrg, id: 'shanghai', name: 'Shanghai', is_default: false };

interface World {
  settings?: PublicSettings;
  /** By the organization in which it is read. */
  profile?: Profile | ((organization: string | null) => Profile);
  token?: string | null;
  cookie?: string;
  remembered?: Organization | null;
  role?: number | null;
  /** Organizations in which the server lets the person work. */
  permitted?: readonly Organization[];
}

function world({
  settings = {},
  profile = admin,
  token = 'a-csrf-token',
  cookie = DEFAULT_ORG_ID,
  remembered = null,
  role = null,
  permitted = [defaultOrg, rootOrg, shanghai],
}: World) {
  const calls: string[] = [];
  let organization = cookie;
  const log = <T>(name: string, value: T): T => {
    calls.push(name);
    return value;
  };
  const ports: GuardPorts = {
    loadSettings: () => Promise.resolve(log('settings', settings)),
    csrfToken: () => log('csrf', token),
    loadProfile: () =>
      Promise.resolve(log('profile', typeof profile === 'function' ? profile(organization) : profile)),
    loadOrganization: (id) => {
      calls.push(`organization ${id}`);
      const found = permitted.find((one) => one.id === (id ?? DEFAULT_ORG_ID));
      return found ? Promise.resolve(found) : Promise.reject(failure(403));
    },
    organizationOfProfile: () => cookie,
    rememberedOrganization: () => log('remembered-organization', remembered),
    rememberOrganization: vi.fn<GuardPorts['rememberOrganization']>(),
    rememberedRole: () => log('role', role),
    rememberRole: vi.fn<GuardPorts['rememberRole']>(),
    tellOrganizationLost: vi.fn<GuardPorts['tellOrganizationLost']>(),
    useOrganization: vi.fn<GuardPorts['useOrganization']>((one) => {
      organization = log('use-organization', one.id);
    }),
    buildRoutes: vi.fn<GuardPorts['buildRoutes']>(() => log('routes', undefined)),
  };
  return { ports, calls };
}

async function ready(setup: World) {
  const { ports } = world(setup);
  const exit = await runGuard(ports);
  if (exit.at !== 'ready') throw new Error(`the guard ended at ${exit.at}`);
  return exit.session;
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
  test('[S4-001] [S4-002] [S4-004] [S4-008] [S4-011] [S3-010] takes its steps in the specified order', async () => {
    const { ports, calls } = world({});
    expect((await runGuard(ports)).at).toBe('ready');
    expect(calls).toEqual([
      'settings',
      'csrf',
      'profile',
      'remembered-organization',
      `organization ${DEFAULT_ORG_ID}`,
      'use-organization',
      'role',
      'routes',
    ]);
  });

  test('[S4-007] after the profile come the organizations of the person', async () => {
    const { ports } = world({});
    const profile = { ...admin, admin_or_audit_orgs: [defaultOrg, shanghai] };
    const read: GuardState = { at: 'organizations', settings: {}, token: 'x', profile };
    expect(await step({ at: 'profile', settings: {}, token: 'x' }, ports)).toMatchObject({
      at: 'organizations',
    });
    expect(await step(read, ports)).toMatchObject({
      at: 'organization',
      organizations: [defaultOrg, shanghai],
    });
  });

  test('[S4-016] builds the routes from the current role, once everything else is known', async () => {
    const { ports } = world({ role: Role.User });
    await runGuard(ports);
    expect(ports.buildRoutes).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ currentRole: Role.User, organization: defaultOrg }),
    );
  });

  test('[S3-066] [S3-067] ends with everything about the session', async () => {
    const session = await ready({ profile: { ...admin, admin_or_audit_orgs: [defaultOrg, shanghai] } });
    expect(session).toMatchObject({
      token: 'a-csrf-token',
      organization: defaultOrg,
      currentRole: Role.SuperAdmin,
      profile: { username: 'admin' },
      roles: [Role.SuperAdmin, Role.User],
      permissions: Role.SuperAdmin | Role.User,
      organizations: [defaultOrg, shanghai],
      mfaVerifiedAt: null,
    });
  });

  test('fails when the public settings do not load', async () => {
    const { ports } = world({});
    const error = failure(500);
    expect(await runGuard({ ...ports, loadSettings: () => Promise.reject(error) })).toEqual({
      at: 'failed',
      during: 'settings',
      error,
    });
  });

  test('[S4-003] [S8-001] [S8-002] [S9-019] without the CSRF cookie it goes to sign-in after 100 ms', async () => {
    const { ports, calls } = world({ token: null });
    const exit = await runGuard(ports);
    expect(exit).toEqual({ at: 'sign-in', delayMs: 100, error: new MissingTokenError() });
    expect(exit.at === 'sign-in' && exit.error.message).toBe('No token found in cookie');
    expect(REDIRECT_DELAY_MS).toBe(100);
    expect(calls).toEqual(['settings', 'csrf']);
  });

  test.each([
    [401, '[S4-005] [S8-003]'],
    [403, '[S4-006] [S8-009]'],
  ])('a %i on the profile goes to sign-in %s', async (status) => {
    const { ports } = world({});
    const error = failure(status);
    const exit = await runGuard({ ...ports, loadProfile: () => Promise.reject(error) });
    expect(exit).toEqual({ at: 'sign-in', delayMs: 0, error });
  });

  test('a profile that fails otherwise is an error, not a sign-in', async () => {
    const { ports } = world({});
    const error = failure(502);
    expect(await runGuard({ ...ports, loadProfile: () => Promise.reject(error) })).toEqual({
      at: 'failed',
      during: 'profile',
      error,
    });
  });

  test('fails when the routes can not be built', async () => {
    const { ports } = world({});
    const error = new Error('two screens share a name');
    const buildRoutes = () => {
      throw error;
    };
    expect(await runGuard({ ...ports, buildRoutes })).toEqual({ at: 'failed', during: 'routes', error });
  });

  test('a session that must change its password may do only that', async () => {
    const { ports } = world({});
    const error = failure(403, { detail: 'x', code: 'password_must_change' });
    expect((await runGuard({ ...ports, loadProfile: () => Promise.reject(error) })).at).toBe(
      'must-change-password',
    );
    expect((await runGuard({ ...ports, loadOrganization: () => Promise.reject(error) })).at).toBe(
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
  const both = { ...admin, admin_or_audit_orgs: [defaultOrg, shanghai] };

  test('is the remembered one while it is offered', async () => {
    expect((await ready({ profile: both, remembered: shanghai })).organization.id).toBe('shanghai');
  });

  test('that the person has lost is told, with the one that takes its place', async () => {
    const gone = { ...shanghai, id: 'gone', name: 'Gone' };
    const { ports } = world({ remembered: gone });
    await runGuard(ports);
    expect(ports.tellOrganizationLost).toHaveBeenCalledExactlyOnceWith(gone, defaultOrg);
    const { ports: same } = world({ remembered: defaultOrg });
    await runGuard(same);
    expect(same.tellOrganizationLost).not.toHaveBeenCalled();
  });

  test('[S4-009] [S4-010] is an own or the default one when the remembered one is no longer valid', async () => {
    const gone: Organization = { ...defaultOrg, id: 'gone', name: 'Gone' };
    expect((await ready({ remembered: gone })).organization.id).toBe(DEFAULT_ORG_ID);
    const elsewhere = { ...user, user_all_orgs: [shanghai] };
    expect((await ready({ profile: elsewhere, remembered: gone })).organization.id).toBe('shanghai');
    expect((await ready({ profile: { ...user, user_all_orgs: [] } })).organization.id).toBe(DEFAULT_ORG_ID);
  });

  test('[S4-009] [S4-010] is another one when the person lacks the permission in it', async () => {
    const { ports, calls } = world({ profile: both, remembered: shanghai, permitted: [defaultOrg] });
    const exit = await runGuard(ports);
    expect(exit.at === 'ready' && exit.session.organization.id).toBe(DEFAULT_ORG_ID);
    expect(calls.filter((call) => call.startsWith('organization'))).toEqual([
      'organization shanghai',
      `organization ${DEFAULT_ORG_ID}`,
    ]);
    expect(ports.rememberOrganization).toHaveBeenCalledWith('admin', defaultOrg);
  });

  test('is an error when the server lets the person work nowhere', async () => {
    const { ports } = world({ permitted: [] });
    expect(await runGuard(ports)).toMatchObject({ at: 'failed', during: 'organization' });
  });

  test('[S6-038] is never the root without a valid licence', async () => {
    expect((await ready({ remembered: rootOrg })).organization.id).toBe(DEFAULT_ORG_ID);
    const licensed = { remembered: rootOrg, settings: { XPACK_LICENSE_IS_VALID: true } };
    expect((await ready(licensed)).organization.id).toBe(rootOrg.id);
  });

  test('gives the roles: a profile read in another one is read again', async () => {
    const auditorThere = (organization: string | null): Profile => ({
      ...user,
      admin_or_audit_orgs: [shanghai],
      user_all_orgs: [shanghai],
      current_org_roles: organization === 'shanghai' ? ['Auditor'] : ['User'],
    });
    const session = await ready({ profile: auditorThere, cookie: DEFAULT_ORG_ID, remembered: shanghai });
    expect(session.roles).toEqual([Role.OrgAuditor]);
  });
});

describe('the current role', () => {
  const bits = Role.SuperAdmin | Role.User;

  test('[S4-012] is the stored one if permitted', async () => {
    expect(pickRole(bits, Role.User, true)).toBe(Role.User);
    expect((await ready({ role: Role.User })).currentRole).toBe(Role.User);
    expect((await ready({ role: Role.SuperAuditor })).currentRole).toBe(Role.SuperAuditor);
  });

  test('[S4-013] is the admin page role when nothing permitted is stored', () => {
    expect(pickRole(bits, null, true)).toBe(Role.SuperAdmin);
    expect(pickRole(Role.OrgAdmin | Role.User, Role.SuperAdmin, true)).toBe(Role.OrgAdmin);
    expect(pickRole(Role.OrgAuditor, null, true)).toBe(2);
    // What nobody can hold is not taken for permitted.
    for (const stored of [0, -1]) expect(pickRole(bits, stored, true)).toBe(Role.SuperAdmin);
  });

  test('[S4-014] is the user page role when the admin page is not permitted', () => {
    for (const stored of [null, Role.OrgAdmin]) expect(pickRole(Role.User, stored, true)).toBe(Role.User);
  });

  test('[S4-015] is the smallest user page role without organizations to manage', async () => {
    expect(pickRole(bits, Role.SuperAdmin, false)).toBe(Role.User);
    const auditor: Profile = { ...user, current_org_roles: ['Auditor'] };
    expect((await ready({ profile: auditor })).currentRole).toBe(Role.User);
    const manages = { ...auditor, admin_or_audit_orgs: [defaultOrg] };
    expect((await ready({ profile: manages })).currentRole).toBe(Bit.audit);
  });

  test('[S6-049] is remembered for the person', async () => {
    const { ports } = world({ profile: user });
    await runGuard(ports);
    expect(ports.rememberRole).toHaveBeenCalledWith('admin', Role.User);
  });
});
