import { HttpError, MissingTokenError } from '#/lib/http/errors';
import { bitsOfRoles, rolesOf } from '#/lib/permissions';
import {
  NO_SETTINGS,
  offeredOrganizations,
  type Organization,
  type Profile,
  type PublicSettings,
  type Session,
} from '#/lib/session';
import { candidates, pickRole } from './choices';

/**
 * The first navigation, in the order of the specification (section 4): public settings, CSRF cookie, profile,
 * organizations, current organization, roles, routes, first login. `step` computes the next state; `runGuard` repeats
 * it until an exit is reached.
 */
export type GuardState =
  | { readonly at: 'settings' }
  | { readonly at: 'csrf'; readonly settings: PublicSettings }
  | { readonly at: 'profile'; readonly settings: PublicSettings; readonly token: string }
  | ({ readonly at: 'organizations' } & Person)
  | ({ readonly at: 'organization'; readonly organizations: readonly Organization[] } & Person)
  | ({
      readonly at: 'roles';
      readonly organizations: readonly Organization[];
      readonly organization: Organization;
    } & Person)
  | { readonly at: 'routes'; readonly session: Session }
  | { readonly at: 'first-login'; readonly session: Session }
  | GuardExit;

interface Person {
  readonly settings: PublicSettings;
  readonly token: string;
  readonly profile: Profile;
}

/** Possible results of the guard. */
export type GuardExit =
  | { readonly at: 'ready'; readonly session: Session }
  | { readonly at: 'must-complete-profile'; readonly session: Session }
  | { readonly at: 'must-change-password' }
  /** Go to the core login page after `delayMs`; the navigation is rejected with `error`. */
  | { readonly at: 'sign-in'; readonly delayMs: number; readonly error: Error }
  | { readonly at: 'failed'; readonly during: FailedStep; readonly error: unknown };

/** The step during which the guard failed; the message to the person depends on it. */
export type FailedStep = 'settings' | 'profile' | 'organization' | 'routes';

/** Everything the guard needs from outside: requests, cookies, storage, messages. */
export interface GuardPorts {
  loadSettings(): Promise<PublicSettings>;
  /** Value of the CSRF cookie; null without the cookie. */
  csrfToken(): string | null;
  /** The profile, as it is in the current organization. */
  loadProfile(): Promise<Profile>;
  /** The organization with this id. Rejects with 403 when the person may not work in it. */
  loadOrganization(id: string | null): Promise<Organization>;
  /** Organization in which the profile was read: the organization of the request cookie, else the server's default. */
  organizationOfProfile(): string;
  rememberedOrganization(username: string): Organization | null;
  rememberOrganization(username: string, organization: Organization): void;
  rememberedRole(username: string): number | null;
  rememberRole(username: string, role: number): void;
  /** Tells the person that they cannot work in their last organization and are now in another one. */
  tellOrganizationLost(lost: Organization, now: Organization): void;
  /** From now on, requests name this organization. */
  useOrganization(organization: Organization): void;
  buildRoutes(session: Session): void;
}

/** Delay before the redirect to sign-in when the CSRF cookie is missing (specification, section 9). */
export const REDIRECT_DELAY_MS = 100;

function isStatus(error: unknown, ...statuses: readonly number[]): error is HttpError {
  return error instanceof HttpError && statuses.includes(error.status);
}

/** The server refuses every other request of such a session. */
function mustChangePassword(error: unknown): boolean {
  return isStatus(error, 403) && error.code === 'password_must_change';
}

function failed(during: FailedStep, error: unknown): GuardExit {
  return mustChangePassword(error) ? { at: 'must-change-password' } : { at: 'failed', during, error };
}

/** An error of the server in the settings alone leaves the console usable: the next steps show whether it is alone. */
async function settingsStep(ports: GuardPorts): Promise<GuardState> {
  try {
    return { at: 'csrf', settings: await ports.loadSettings() };
  } catch (error) {
    const isBroken = error instanceof HttpError && error.status >= 500;
    return isBroken ? { at: 'csrf', settings: NO_SETTINGS } : failed('settings', error);
  }
}

function csrfStep(settings: PublicSettings, ports: GuardPorts): GuardState {
  const token = ports.csrfToken();
  return token === null
    ? { at: 'sign-in', delayMs: REDIRECT_DELAY_MS, error: new MissingTokenError() }
    : { at: 'profile', settings, token };
}

async function profileStep(
  state: Extract<GuardState, { at: 'profile' }>,
  ports: GuardPorts,
): Promise<GuardState> {
  try {
    const profile = await ports.loadProfile();
    return profile.need_update_password
      ? { at: 'must-change-password' }
      : { ...state, at: 'organizations', profile };
  } catch (error) {
    if (isStatus(error, 401, 403) && !mustChangePassword(error)) return { at: 'sign-in', delayMs: 0, error };
    return failed(state.settings === NO_SETTINGS ? 'settings' : 'profile', error);
  }
}

/** The first candidate in which the server lets the person work. */
async function permitted(ids: readonly (string | null)[], ports: GuardPorts): Promise<Organization> {
  const [first, ...rest] = ids;
  if (first === undefined) throw new Error('no organization is left to try');
  try {
    const organization = await ports.loadOrganization(first);
    // For an id that it does not know, the server answers with the default organization.
    if (first === null || organization.id === first || rest.length === 0) return organization;
  } catch (error) {
    if (!isStatus(error, 403, 404) || mustChangePassword(error) || rest.length === 0) throw error;
  }
  return permitted(rest, ports);
}

async function organizationStep(
  state: Extract<GuardState, { at: 'organization' }>,
  ports: GuardPorts,
): Promise<GuardState> {
  const { profile, organizations } = state;
  try {
    const remembered = ports.rememberedOrganization(profile.username);
    const readIn = ports.organizationOfProfile();
    const organization = await permitted(candidates(remembered, organizations, profile), ports);
    if (remembered !== null && remembered.id !== organization.id)
      ports.tellOrganizationLost(remembered, organization);
    ports.rememberOrganization(profile.username, organization);
    ports.useOrganization(organization);
    // Roles belong to an organization: a profile that was read in another one has to be read again.
    const current = readIn === organization.id ? profile : await ports.loadProfile();
    return { ...state, at: 'roles', organization, profile: current };
  } catch (error) {
    return failed('organization', error);
  }
}

function rolesStep(state: Extract<GuardState, { at: 'roles' }>, ports: GuardPorts): GuardState {
  const { profile, organizations } = state;
  const roles = rolesOf(profile);
  const permissions = bitsOfRoles(roles);
  const currentRole = pickRole(
    permissions,
    ports.rememberedRole(profile.username),
    organizations.length > 0 || profile.is_superuser,
  );
  ports.rememberRole(profile.username, currentRole);
  const { token, settings, organization } = state;
  return {
    at: 'routes',
    session: {
      token,
      settings,
      profile,
      organization,
      organizations,
      roles,
      permissions,
      currentRole,
      mfaVerifiedAt: null,
    },
  };
}

function routesStep(session: Session, ports: GuardPorts): GuardState {
  try {
    ports.buildRoutes(session);
    return { at: 'first-login', session };
  } catch (error) {
    return failed('routes', error);
  }
}

export async function step(state: GuardState, ports: GuardPorts): Promise<GuardState> {
  switch (state.at) {
    case 'settings':
      return settingsStep(ports);
    case 'csrf':
      return csrfStep(state.settings, ports);
    case 'profile':
      return profileStep(state, ports);
    case 'organizations':
      return {
        ...state,
        at: 'organization',
        organizations: offeredOrganizations(state.settings, state.profile),
      };
    case 'organization':
      return organizationStep(state, ports);
    case 'roles':
      return rolesStep(state, ports);
    case 'routes':
      return routesStep(state.session, ports);
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
  while (!isExit(state)) state = await step(state, ports);
  return state;
}
