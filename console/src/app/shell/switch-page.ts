import { ADMIN_PAGE_MASK, adminPageRole, bitsOfRoles, hasAdminPage, Role } from '#/lib/permissions';
import { isAdminPage, rememberRole, type Session } from '#/lib/session';

/** Offered to those who have more than one role here or who manage an organization. */
export function maySwitchPage(session: Session): boolean {
  const bits = bitsOfRoles(session.roles);
  return hasAdminPage(bits) && (session.roles.length > 1 || session.profile.admin_or_audit_orgs.length > 0);
}

/** Goes to the other page (admin or user): remembers the role and loads the console anew. */
export function switchPage(session: Session): void {
  const bits = bitsOfRoles(session.roles);
  const next = isAdminPage(session.currentRole) ? Role.User : adminPageRole(bits & ADMIN_PAGE_MASK);
  rememberRole(session.profile.username, next);
  location.assign('/ui/');
}
