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

/** An id in the address belongs to the organization that the person leaves. */
const OBJECT_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Target of the browser after a switch; null reloads the current address. */
export function addressAfterSwitch(address: string): string | null {
  return OBJECT_ID.test(address) ? '/ui/' : null;
}

/**
 * Switches to another organization: forgets the current role, remembers the organization for this person and in the
 * cookie, and reloads the console. Rejects when the server refuses; the http client has then shown the message.
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

/** The selector is shown on admin pages with a valid licence, when there is a choice. */
export function offersOrganizations(session: Session, onAdminPage: boolean): boolean {
  return onAdminPage && session.settings.XPACK_LICENSE_IS_VALID === true && session.organizations.length > 0;
}
