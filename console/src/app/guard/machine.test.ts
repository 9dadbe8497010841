import { describe, expect, test, vi } from 'vitest';
import { errorOf, MissingTokenError } from '#/lib/http/errors';
import { Bit, Role } from '#/lib/permissions';
import {
  DEFAULT_ORG_ID,
  NO_SETTINGS,
  type Organization,
  type Profile,
  type PublicSettings,
} from '#/lib/session';
import { admin, defaultOrg, rootOrg } from '#/test/render';
import { pickRole } from './choices';
import { type GuardPorts, type GuardState, REDIRECT_DELAY_MS, runGuard, step } from './machine';

function failure(status: number, body: unknown = {}) {
  return errorOf({ status, body, requestId: null, method: 'GET', path: 'users/profile/' });
}

const shanghai: Organization = { ...defaultOrg, id: 'shanghai', name: 'Shanghai', is_default: false };

interface World {
  settings?: PublicSettings;
  /** Profiles by the organization in which they are read. */
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
      const match = permitted.find((candidate) => candidate.id === (id ?? DEFAULT_ORG_ID));
      return match ? Promise.resolve(match) : Promise.reject(failure(403));
    },
    organizationOfProfile: () => cookie,
    rememberedOrganization: () => log('remembered-organization', remembered),
    rememberOrganization: vi.fn<GuardPorts['rememberOrganization']>(),
    rememberedRole: () => log('role', role),
    rememberRole: vi.fn<GuardPorts['rememberRole']>(),
    tellOrganizationLost: vi.fn<GuardPorts['tellOrganizationLost']>(),
    useOrganization: vi.fn<GuardPorts['useOrganization']>((candidate) => {
      organization = log('use-organization', candidate.id);
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

describe('first navigation', () => {
  test('[S4-001] [S4-002] [S4-004] [S4-008] [S4-011] [S3-010] the steps run in the specified order', async () => {
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

  test("[S4-007] the person's organizations are loaded after the profile", async () => {
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

  test('[S4-016] routes are built from the current role, after everything else is known', async () => {
    const { ports } = world({ role: Role.User });
    await runGuard(ports);
    expect(ports.buildRoutes).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ currentRole: Role.User, organization: defaultOrg }),
    );
  });

  test('[S3-066] [S3-067] it ends with the complete session', async () => {
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

  test('the console starts without public settings when the server fails in them alone', async () => {
    const { ports } = world({
      profile: { ...admin, admin_or_audit_orgs: [defaultOrg, rootOrg] },
      remembered: rootOrg,
      cookie: rootOrg.id,
    });
    const exit = await runGuard({ ...ports, loadSettings: () => Promise.reject(failure(500)) });
    expect(exit).toMatchObject({
      at: 'ready',
      session: { organization: rootOrg, currentRole: Role.SuperAdmin, profile: { username: 'admin' } },
    });
    expect(exit.at === 'ready' && exit.session.settings).toBe(NO_SETTINGS);
    expect(ports.tellOrganizationLost).not.toHaveBeenCalled();
  });

  test.each([
    ['the profile fails too', failure(500), failure(502)],
    ['there is no connection', new Error('no connection'), null],
  ])('it fails when the public settings do not load and %s', async (_case, settings, profile) => {
    const { ports } = world({});
    const broken: GuardPorts = { ...ports, loadSettings: () => Promise.reject(settings) };
    const exit = await runGuard(
      profile === null ? broken : { ...broken, loadProfile: () => Promise.reject(profile) },
    );
    expect(exit).toEqual({ at: 'failed', during: 'settings', error: profile ?? settings });
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
  ])('status %i on the profile request goes to sign-in %s', async (status) => {
    const { ports } = world({});
    const error = failure(status);
    const exit = await runGuard({ ...ports, loadProfile: () => Promise.reject(error) });
    expect(exit).toEqual({ at: 'sign-in', delayMs: 0, error });
  });

  test('another failure of the profile request is an error, not a sign-in', async () => {
    const { ports } = world({});
    const error = failure(502);
    expect(await runGuard({ ...ports, loadProfile: () => Promise.reject(error) })).toEqual({
      at: 'failed',
      during: 'profile',
      error,
    });
  });

  test('it fails when the routes cannot be built', async () => {
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

  test('[S4-017] a first sign-in leads, as the last step, to the page that completes the profile', async () => {
    const { ports, calls } = world({ profile: { ...admin, is_first_login: true } });
    expect((await runGuard(ports)).at).toBe('must-complete-profile');
    expect(calls.at(-1)).toBe('routes');
  });
});

describe('current organization', () => {
  const both = { ...admin, admin_or_audit_orgs: [defaultOrg, shanghai] };

  test('the remembered organization is used while it is offered', async () => {
    expect((await ready({ profile: both, remembered: shanghai })).organization.id).toBe('shanghai');
  });

  test('a remembered organization that the person has lost is reported, with the one used instead', async () => {
    const gone = { ...shanghai, id: 'gone', name: 'Gone' };
    const { ports } = world({ remembered: gone });
    await runGuard(ports);
    expect(ports.tellOrganizationLost).toHaveBeenCalledExactlyOnceWith(gone, defaultOrg);
    const { ports: same } = world({ remembered: defaultOrg });
    await runGuard(same);
    expect(same.tellOrganizationLost).not.toHaveBeenCalled();
  });

  test('[S4-009] [S4-010] an own or the default organization replaces a remembered one that is no longer valid', async () => {
    const gone: Organization = { ...defaultOrg, id: 'gone', name: 'Gone' };
    expect((await ready({ remembered: gone })).organization.id).toBe(DEFAULT_ORG_ID);
    const elsewhere = { ...user, user_all_orgs: [shanghai] };
    expect((await ready({ profile: elsewhere, remembered: gone })).organization.id).toBe('shanghai');
    expect((await ready({ profile: { ...user, user_all_orgs: [] } })).organization.id).toBe(DEFAULT_ORG_ID);
  });

  test('[S4-009] [S4-010] another organization is used when the person lacks the permission in the remembered one', async () => {
    const { ports, calls } = world({ profile: both, remembered: shanghai, permitted: [defaultOrg] });
    const exit = await runGuard(ports);
    expect(exit.at === 'ready' && exit.session.organization.id).toBe(DEFAULT_ORG_ID);
    expect(calls.filter((call) => call.startsWith('organization'))).toEqual([
      'organization shanghai',
      `organization ${DEFAULT_ORG_ID}`,
    ]);
    expect(ports.rememberOrganization).toHaveBeenCalledWith('admin', defaultOrg);
  });

  test('it is an error when the server lets the person work in no organization', async () => {
    const { ports } = world({ permitted: [] });
    expect(await runGuard(ports)).toMatchObject({ at: 'failed', during: 'organization' });
  });

  test('[S6-038] the root organization is never current without a valid licence', async () => {
    expect((await ready({ remembered: rootOrg })).organization.id).toBe(DEFAULT_ORG_ID);
    const licensed = { remembered: rootOrg, settings: { XPACK_LICENSE_IS_VALID: true } };
    expect((await ready(licensed)).organization.id).toBe(rootOrg.id);
  });

  test('roles come from the current organization: a profile read in another one is read again', async () => {
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

describe('current role', () => {
  const bits = Role.SuperAdmin | Role.User;

  test('[S4-012] the stored role is used if permitted', async () => {
    expect(pickRole(bits, Role.User, true)).toBe(Role.User);
    expect((await ready({ role: Role.User })).currentRole).toBe(Role.User);
    expect((await ready({ role: Role.SuperAuditor })).currentRole).toBe(Role.SuperAuditor);
  });

  test('[S4-013] the admin page role is used when no permitted role is stored', () => {
    expect(pickRole(bits, null, true)).toBe(Role.SuperAdmin);
    expect(pickRole(Role.OrgAdmin | Role.User, Role.SuperAdmin, true)).toBe(Role.OrgAdmin);
    expect(pickRole(Role.OrgAuditor, null, true)).toBe(2);
    // A stored role that does not exist does not count as permitted.
    for (const stored of [0, -1]) expect(pickRole(bits, stored, true)).toBe(Role.SuperAdmin);
  });

  test('[S4-014] the user page role is used when the admin page is not permitted', () => {
    for (const stored of [null, Role.OrgAdmin]) expect(pickRole(Role.User, stored, true)).toBe(Role.User);
  });

  test('[S4-015] a person without organizations to manage gets the smallest user page role', async () => {
    expect(pickRole(bits, Role.SuperAdmin, false)).toBe(Role.User);
    const auditor: Profile = { ...user, current_org_roles: ['Auditor'] };
    expect((await ready({ profile: auditor })).currentRole).toBe(Role.User);
    const manages = { ...auditor, admin_or_audit_orgs: [defaultOrg] };
    expect((await ready({ profile: manages })).currentRole).toBe(Bit.audit);
  });

  test('[S6-049] the role is remembered for each person', async () => {
    const { ports } = world({ profile: user });
    await runGuard(ports);
    expect(ports.rememberRole).toHaveBeenCalledWith('admin', Role.User);
  });
});
