import { browserLocation } from '#/lib/browser-location';
import { serverPaths } from '#/lib/paths';

/** Leaves through the server, which ends the session and leads back to the console's sign-in. */
export function signOut(): void {
  browserLocation.assign(`${serverPaths.logout}?next=${encodeURIComponent('/ui/')}`);
}
