import { browserLocation } from '#/lib/browser-location';
import { http } from '#/lib/http/client';
import {
  ORGANIZATION_COOKIE,
  type Organization,
  rememberOrganization,
  rememberRole,
  type Session,
} from '#/lib/session';
import { writeCookie } from '#/lib/storage';

/** An id in the address belongs to the organization that is left. */
const OBJECT_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Where the browser goes after a switch; null: the same address, loaded anew. */
export function addressAfterSwitch(address: string): string | null {
  return OBJECT_ID.test(address) ? '/ui/' : null;
}

/**
 * Works in another organization from now on: forgets the current role, remembers the organization for this person and in the
 * cookie, and loads the console anew. Rejects when the server refuses; the http client has then told it.
 */
export async function switchOrganization(id: string, session: Session): Promise<void> {
  const organization = await http.get<Organization>('orgs/orgs/current/', { query: { oid: id } });
  const { username } = session.profile;
  rememberRole(username, null);
  rememberOrganization(username, organization);
  writeCookie(ORGANIZATION_COOKIE, organization.id);
  const elsewhere = addressAfterSwitch(location.href);
  if (elsewhere === null) browserLocation.reload();
  else browserLocation.assign(elsewhere);
}

/** The selector is there on admin pages with a valid licence, when there is something to select. */
export function offersOrganizations(session: Session, onAdminPage: boolean): boolean {
  return onAdminPage && session.settings.XPACK_LICENSE_IS_VALID === true && session.organizations.length > 0;
}
