import { browserLocation } from '#/lib/browser-location';
import { ADMIN_PAGE_MASK, adminPageRole, hasAdminPage, Role } from '#/lib/permissions';
import { isAdminPage, rememberRole, type Session } from '#/lib/session';

/** Offered to those who have more than one role here or who manage an organization. */
export function maySwitchPage(session: Session): boolean {
  return (
    hasAdminPage(session.permissions) &&
    (session.roles.length > 1 || session.profile.admin_or_audit_orgs.length > 0)
  );
}

/** Goes to the other page (admin or user): sets the current role and loads the console anew. */
export function switchPage(session: Session): void {
  const next = isAdminPage(session.currentRole)
    ? Role.User
    : adminPageRole(session.permissions & ADMIN_PAGE_MASK);
  rememberRole(session.profile.username, next);
  browserLocation.assign('/ui/');
}
