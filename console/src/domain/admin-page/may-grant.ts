import { Bit } from '#/lib/permissions';
import { currentSession, type Session } from '#/lib/session';

/** Whether the person can grant access themselves, on the admin page of the current organization. */
export function mayGrant(session: Session | null = currentSession()): boolean {
  return session !== null && !session.organization.is_root && (session.permissions & Bit.admin) !== 0;
}
