import { create } from 'zustand';
import { setRequestOrganization } from './http/client';
import { hasAdminPage, mayUse, type Permission, Role } from './permissions';
import {
  readStored,
  readStoredJson,
  removeStoredBy,
  writeCookie,
  writeStored,
  writeStoredJson,
} from './storage';

export const DEFAULT_ORG_ID = '00000000-0000-0000-0000-000000000002';

/** Cookie that names the organization where a header is not possible: downloads and websockets. */
export const ORGANIZATION_COOKIE = 'X-JMS-ORG';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly is_root: boolean;
}

/** The part of `users/profile/` that the shell uses. */
export interface Profile {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly source: string;
  readonly is_first_login: boolean;
  readonly is_superuser: boolean;
  readonly is_org_admin: boolean;
  readonly need_update_password: boolean;
  readonly current_org_roles: readonly string[];
  readonly admin_or_audit_orgs: readonly Organization[];
  readonly user_all_orgs: readonly Organization[];
  readonly date_password_last_updated: string | null;
}

/** The part of `settings/public/` that the console uses. */
export interface PublicSettings {
  readonly LOGIN_TITLE?: string;
  readonly LOGO_URLS?: {
    readonly logo_index?: string;
    readonly logo_logout?: string;
    readonly favicon?: string;
  };
  readonly XPACK_ENABLED?: boolean;
  readonly XPACK_LICENSE_IS_VALID?: boolean;
  readonly TICKETS_ENABLED?: boolean;
  readonly SECURITY_COMMAND_EXECUTION?: boolean;
  readonly AUTH_WECOM?: boolean;
  readonly AUTH_DINGTALK?: boolean;
  readonly AUTH_FEISHU?: boolean;
  /** Whether recordings and watched sessions show who looks at them. */
  readonly SECURITY_WATERMARK_ENABLED?: boolean;
  /** Whether recordings are indexed and can be searched. */
  readonly TERMINAL_SEARCH_RECORDINGS?: boolean;
  /** Seconds for which a verified second factor stays valid. */
  readonly SECURITY_MFA_VERIFY_TTL?: number;
  /** Days for which people can trust a browser after the second factor; 0: not at all. */
  readonly SECURITY_TRUSTED_BROWSER_DAYS?: number;
  /** Days after which a password must be changed; 9999 or more means never. */
  readonly SECURITY_PASSWORD_EXPIRATION_TIME?: number;
  /** Whether a mail server and a sender are entered. */
  readonly MAIL_CONFIGURED?: boolean;
  /** Maximum size of an import file, in MB. */
  readonly IMPORT_MAX_MB?: number;
  readonly PASSWORD_RULE?: Readonly<Record<string, number | boolean>>;
}

/** Stands for public settings that the server did not give: screens that need a setting are not offered then. */
export const NO_SETTINGS: PublicSettings = Object.freeze({});

/** The signed-in person's session, as the guard has established it. */
export interface Session {
  /** CSRF token of the sign-in. The presence of its cookie shows that somebody is signed in. */
  readonly token: string;
  readonly settings: PublicSettings;
  readonly profile: Profile;
  readonly organization: Organization;
  /** Organizations that the admin page offers. */
  readonly organizations: readonly Organization[];
  readonly roles: readonly number[];
  /** All permission bits of the roles together. */
  readonly permissions: number;
  /** Bit mask of the current role (admin page or user page). */
  readonly currentRole: number;
  /** When the second factor was last verified in this page, ms since 1970; null: not yet. */
  readonly mfaVerifiedAt: number | null;
}

interface SessionState {
  readonly session: Session | null;
}

const useSessionState = create<SessionState>(() => ({ session: null }));

export function setSession(session: Session | null): void {
  setRequestOrganization(session?.organization.id ?? null);
  if (session) writeCookie(ORGANIZATION_COOKIE, session.organization.id);
  useSessionState.setState({ session });
}

/**
 * Organizations that the admin page offers: without a valid licence, root organizations are left out. Nobody loses
 * theirs because the settings did not load: the server decides about each request anyway.
 */
export function offeredOrganizations(settings: PublicSettings, profile: Profile): readonly Organization[] {
  const valid = settings === NO_SETTINGS || settings.XPACK_LICENSE_IS_VALID === true;
  return profile.admin_or_audit_orgs.filter((organization) => valid || !organization.is_root);
}

/** Updates the session after a change of the profile: the person's data, or the list and names of organizations. */
export function updateProfile(profile: Profile): void {
  const { session } = useSessionState.getState();
  if (!session) return;
  const organizations = offeredOrganizations(session.settings, profile);
  const organization = organizations.find((candidate) => candidate.id === session.organization.id);
  useSessionState.setState({
    session: { ...session, profile, organizations, organization: organization ?? session.organization },
  });
}

/** Stores that the second factor has just been verified. */
export function noteMfaVerified(at: number = Date.now()): void {
  const { session } = useSessionState.getState();
  if (session) useSessionState.setState({ session: { ...session, mfaVerifiedAt: at } });
}

export function currentSession(): Session | null {
  return useSessionState.getState().session;
}

/** The session. Use it only below the guard, where a session always exists. */
export function useSession(): Session {
  const session = useSessionState((state) => state.session);
  if (!session) throw new Error('useSession is used outside of the guarded part of the console');
  return session;
}

export function useMay(permission: Permission): boolean {
  const session = useSession();
  return mayUse(session.currentRole, permission);
}

export function isAdminPage(role: number): boolean {
  return hasAdminPage(role);
}

/** In the root organization nothing can be created, updated or cloned. */
export function useIsRootOrganization(): boolean {
  return useSession().organization.is_root;
}

/** Auditors have no tickets to handle, because they only read. */
export function isAuditor({ roles }: Session): boolean {
  return roles.includes(Role.OrgAuditor) || roles.includes(Role.SuperAuditor);
}

const orgKey = (username: string): string => `jms_current_org_${username}`;
const roleKey = (username: string): string => `jms_current_role_${username}`;

export function rememberedOrganization(username: string): Organization | null {
  const stored = readStoredJson(orgKey(username));
  if (typeof stored !== 'object' || stored === null || !('id' in stored) || typeof stored.id !== 'string')
    return null;
  return stored as Organization;
}

export function rememberOrganization(username: string, organization: Organization): void {
  writeStoredJson(orgKey(username), organization);
}

/** The next start of the console chooses an organization again, whoever signs in. */
export function forgetOrganization(): void {
  writeCookie(ORGANIZATION_COOKIE, '', 0);
  removeStoredBy((key) => key.startsWith(orgKey('')));
}

export function rememberedRole(username: string): number | null {
  const stored = readStored(roleKey(username));
  const role = stored === null || stored === '' ? Number.NaN : Number(stored);
  return Number.isInteger(role) && role >= 0 ? role : null;
}

/** Stores the role for this person; null clears it, as a switch of organization does. */
export function rememberRole(username: string, role: number | null): void {
  writeStored(roleKey(username), role === null ? '' : String(role));
}
