import { HttpError } from '#/lib/http/errors';
import {
  adminPageRole,
  bitsOfRoles,
  hasAdminPage,
  hasUserPage,
  Role,
  rolesOf,
  satisfies,
} from '#/lib/permissions';
import {
  DEFAULT_ORG_ID,
  type Organization,
  type Profile,
  type PublicSettings,
  type Session,
} from '#/lib/session';

/**
 * The first navigation, in the order of the specification (section 4): public settings, CSRF cookie, profile, organizations,
 * current organization, roles, routes, first login. `step` goes from one state to the next; `runGuard` goes on to an end.
 */
export type GuardState =
  | { readonly at: 'settings' }
  | { readonly at: 'csrf'; readonly settings: PublicSettings }
  | { readonly at: 'profile'; readonly settings: PublicSettings }
  | { readonly at: 'organizations'; readonly settings: PublicSettings; readonly profile: Profile }
  | {
      readonly at: 'organization';
      readonly settings: PublicSettings;
      readonly profile: Profile;
      readonly offered: readonly Organization[];
    }
  | {
      readonly at: 'roles';
      readonly settings: PublicSettings;
      readonly profile: Profile;
      readonly offered: readonly Organization[];
      readonly organization: Organization;
    }
  | { readonly at: 'routes'; readonly session: Session }
  | { readonly at: 'first-login'; readonly session: Session }
  | GuardExit;

export type GuardExit =
  | { readonly at: 'ready'; readonly session: Session }
  | { readonly at: 'must-complete-profile'; readonly session: Session }
  | { readonly at: 'must-change-password' }
  /** To the core login page, after `delayMs`. */
  | { readonly at: 'sign-in'; readonly delayMs: number; readonly reason: 'no-cookie' | 'profile-refused' }
  | { readonly at: 'failed'; readonly error: unknown };

/** Everything that the guard asks of the world. */
export interface GuardPorts {
  loadSettings(): Promise<PublicSettings>;
  hasCsrfCookie(): boolean;
  loadProfile(): Promise<Profile>;
  loadCurrentOrganization(): Promise<Organization>;
  rememberedOrganization(username: string): Organization | null;
  rememberOrganization(username: string, organization: Organization): void;
  rememberedRole(username: string): number | null;
  rememberRole(username: string, role: number): void;
  /** Later requests name this organization. */
  useOrganization(organization: Organization): void;
  buildRoutes(session: Session): void;
}

/** Delay before the redirect to sign-in when the CSRF cookie is missing (specification, section 9). */
export const REDIRECT_DELAY_MS = 100;

function isStatus(error: unknown, ...statuses: readonly number[]): error is HttpError {
  return error instanceof HttpError && statuses.includes(error.status);
}

/** The server lets such a session do nothing but change its password. */
function mustChangePassword(error: unknown): boolean {
  return isStatus(error, 403) && error.code === 'password_must_change';
}

/** Organizations that the admin page offers: without a valid licence the root ones are left out. */
export function offeredOrganizations(settings: PublicSettings, profile: Profile): readonly Organization[] {
  const valid = settings.XPACK_LICENSE_IS_VALID === true;
  return profile.admin_or_audit_orgs.filter((organization) => valid || !organization.is_root);
}

/** The stored organization if it is still offered, else the person's own, else the default one. */
export function pickOrganization(
  remembered: Organization | null,
  offered: readonly Organization[],
  profile: Profile,
  current: Organization,
): Organization {
  const mine = [...offered, ...profile.user_all_orgs];
  const stillMine = remembered && mine.find((organization) => organization.id === remembered.id);
  if (stillMine) return stillMine;
  const same = mine.find((organization) => organization.id === current.id);
  if (same) return same;
  return (
    offered[0] ??
    profile.user_all_orgs.find((organization) => organization.id === DEFAULT_ORG_ID) ??
    profile.user_all_orgs[0] ??
    current
  );
}

/** The stored role if permitted, else the admin page's, else the user page's; without organizations to manage the smallest. */
export function pickRole(bits: number, remembered: number | null, managesSomething: boolean): number {
  if (!managesSomething) return Role.User;
  if (remembered !== null && remembered > 0 && satisfies(bits, remembered)) return remembered;
  if (hasAdminPage(bits)) return adminPageRole(bits);
  return hasUserPage(bits) ? Role.User : Role.Anon;
}

async function profileStep(settings: PublicSettings, ports: GuardPorts): Promise<GuardState> {
  try {
    const profile = await ports.loadProfile();
    return profile.need_update_password
      ? { at: 'must-change-password' }
      : { at: 'organizations', settings, profile };
  } catch (error) {
    if (mustChangePassword(error)) return { at: 'must-change-password' };
    if (isStatus(error, 401, 403)) return { at: 'sign-in', delayMs: 0, reason: 'profile-refused' };
    return { at: 'failed', error };
  }
}

async function organizationStep(
  state: Extract<GuardState, { at: 'organization' }>,
  ports: GuardPorts,
): Promise<GuardState> {
  const { profile, offered } = state;
  const remembered = ports.rememberedOrganization(profile.username);
  const known = remembered && [...offered, ...profile.user_all_orgs].find((one) => one.id === remembered.id);
  const organization =
    known ?? pickOrganization(remembered, offered, profile, await ports.loadCurrentOrganization());
  ports.rememberOrganization(profile.username, organization);
  ports.useOrganization(organization);
  return { ...state, at: 'roles', organization };
}

function rolesStep(state: Extract<GuardState, { at: 'roles' }>, ports: GuardPorts): GuardState {
  const { profile, offered, organization, settings } = state;
  const roles = rolesOf(profile);
  const currentRole = pickRole(
    bitsOfRoles(roles),
    ports.rememberedRole(profile.username),
    offered.length > 0 || profile.is_superuser,
  );
  ports.rememberRole(profile.username, currentRole);
  return { at: 'routes', session: { settings, profile, organization, roles, currentRole } };
}

export async function step(state: GuardState, ports: GuardPorts): Promise<GuardState> {
  switch (state.at) {
    case 'settings':
      return { at: 'csrf', settings: await ports.loadSettings() };
    case 'csrf':
      return ports.hasCsrfCookie()
        ? { at: 'profile', settings: state.settings }
        : { at: 'sign-in', delayMs: REDIRECT_DELAY_MS, reason: 'no-cookie' };
    case 'profile':
      return profileStep(state.settings, ports);
    case 'organizations':
      return { ...state, at: 'organization', offered: offeredOrganizations(state.settings, state.profile) };
    case 'organization':
      return organizationStep(state, ports);
    case 'roles':
      return rolesStep(state, ports);
    case 'routes':
      ports.buildRoutes(state.session);
      return { at: 'first-login', session: state.session };
    case 'first-login':
      return state.session.profile.is_first_login
        ? { at: 'must-complete-profile', session: state.session }
        : { at: 'ready', session: state.session };
    default:
      return state;
  }
}

function isExit(state: GuardState): state is GuardExit {
  return (
    state.at === 'ready' ||
    state.at === 'must-complete-profile' ||
    state.at === 'must-change-password' ||
    state.at === 'sign-in' ||
    state.at === 'failed'
  );
}

export async function runGuard(ports: GuardPorts): Promise<GuardExit> {
  let state: GuardState = { at: 'settings' };
  try {
    while (!isExit(state)) state = await step(state, ports);
    return state;
  } catch (error) {
    return mustChangePassword(error) ? { at: 'must-change-password' } : { at: 'failed', error };
  }
}
