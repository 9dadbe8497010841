import { browserLocation } from '#/lib/browser-location';
import { adminPageRole, hasAdminPage, Role } from '#/lib/permissions';
import { isAdminPage, rememberOrganization, rememberRole, type Session } from '#/lib/session';

/** Offered to those who have more than one role here or who manage an organization. */
export function maySwitchPage(session: Session): boolean {
  return session.roles.length > 1 || session.organizations.length > 0;
}

/**
 * Goes to the other page (admin or user): sets the current role and loads the console anew. Who manages only other
 * organizations than this one goes to the first of those; the guard gives the role there.
 */
export function switchPage(session: Session): void {
  const { username } = session.profile;
  if (isAdminPage(session.currentRole)) {
    rememberRole(username, Role.User);
  } else if (hasAdminPage(session.permissions)) {
    rememberRole(username, adminPageRole(session.permissions));
  } else {
    const [managed] = session.organizations;
    if (managed) rememberOrganization(username, managed);
    rememberRole(username, Role.Anon);
  }
  browserLocation.assign('/ui/');
}
