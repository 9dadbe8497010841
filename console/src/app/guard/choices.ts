import { adminPageRole, hasAdminPage, hasUserPage, Role, satisfies } from '#/lib/permissions';
import { DEFAULT_ORG_ID, type Organization, type Profile } from '#/lib/session';

/**
 * Ids of the organizations to try, in order: the remembered one if it is still valid, the person's own ones, the
 * default one. Last comes `null`: the organization that the server considers current.
 */
export function candidates(
  remembered: Organization | null,
  offered: readonly Organization[],
  profile: Profile,
): readonly (string | null)[] {
  const all = [...offered, ...profile.user_all_orgs];
  // Nothing can be created in the root organization, so it comes last.
  const ids = [
    ...all.filter((organization) => !organization.is_root),
    ...all.filter((organization) => organization.is_root),
  ].map((organization) => organization.id);
  const stillValid = remembered !== null && ids.includes(remembered.id) ? [remembered.id] : [];
  const ownIds = ids.includes(DEFAULT_ORG_ID) ? [DEFAULT_ORG_ID] : ids.slice(0, 1);
  return [...new Set([...stillValid, ...ownIds, ...ids, DEFAULT_ORG_ID]), null];
}

/**
 * The role to start with: the stored one if permitted, else the admin page's, else the user page's. A person who
 * manages no organization gets the user role.
 */
export function pickRole(bits: number, remembered: number | null, managesSomething: boolean): number {
  if (!managesSomething) return Role.User;
  if (remembered !== null && remembered > 0 && satisfies(bits, remembered)) return remembered;
  if (hasAdminPage(bits)) return adminPageRole(bits);
  return hasUserPage(bits) ? Role.User : Role.Anon;
}
