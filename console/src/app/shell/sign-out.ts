import { browserLocation } from '#/lib/browser-location';
import { stopAsking } from '#/lib/http/asking';
import { serverPaths } from '#/lib/paths';

/** Leaves the page for `path`, unless the person chooses to stay because of an unsaved form. */
function leave(event: BeforeUnloadEvent): void {
  if (!event.defaultPrevented) stopAsking();
}

/** Goes to the server's sign-out address, which ends the session and redirects to the console's sign-in page. */
export function signOut(): void {
  window.addEventListener('beforeunload', leave, { once: true });
  browserLocation.assign(`${serverPaths.logout}?next=${encodeURIComponent('/ui/')}`);
}
