import { browserLocation } from '#/lib/browser-location';
import { adminPageRole, hasAdminPage, Role } from '#/lib/permissions';
import { isAdminPage, rememberOrganization, rememberRole, type Session } from '#/lib/session';

/** Offered to people who have more than one role here or who manage an organization. */
export function maySwitchPage(session: Session): boolean {
  return session.roles.length > 1 || session.organizations.length > 0;
}

/**
 * Switches between the admin and the user page: sets the current role and reloads the console. People who manage only
 * other organizations go to the first of those, where the guard chooses the role.
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
