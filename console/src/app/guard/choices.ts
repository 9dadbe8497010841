import { adminPageRole, hasAdminPage, hasUserPage, Role, satisfies } from '#/lib/permissions';
import { DEFAULT_ORG_ID, type Organization, type Profile } from '#/lib/session';

/**
 * Ids of the organizations to try, in this order: the remembered one if it is still valid, the person's own, the default one.
 * `null`, the last resort, is whatever the server takes for current.
 */
export function candidates(
  remembered: Organization | null,
  offered: readonly Organization[],
  profile: Profile,
): readonly (string | null)[] {
  const all = [...offered, ...profile.user_all_orgs];
  // Nothing can be made in the root one: it is nobody's first choice.
  const mine = [...all.filter((one) => !one.is_root), ...all.filter((one) => one.is_root)].map(
    (one) => one.id,
  );
  const stillValid = remembered !== null && mine.includes(remembered.id) ? [remembered.id] : [];
  const own = mine.includes(DEFAULT_ORG_ID) ? [DEFAULT_ORG_ID] : mine.slice(0, 1);
  return [...new Set([...stillValid, ...own, ...mine, DEFAULT_ORG_ID]), null];
}

/** The stored role if permitted, else the admin page's, else the user page's; without organizations to manage the smallest. */
export function pickRole(bits: number, remembered: number | null, managesSomething: boolean): number {
  if (!managesSomething) return Role.User;
  if (remembered !== null && remembered > 0 && satisfies(bits, remembered)) return remembered;
  if (hasAdminPage(bits)) return adminPageRole(bits);
  return hasUserPage(bits) ? Role.User : Role.Anon;
}
