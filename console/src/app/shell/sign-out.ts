import { browserLocation } from '#/lib/browser-location';
import { stopAsking } from '#/lib/http/asking';
import { serverPaths } from '#/lib/paths';

/** A form that is not saved yet may keep the person here; otherwise the page is left. */
function leave(event: BeforeUnloadEvent): void {
  if (!event.defaultPrevented) stopAsking();
}

/** Leaves through the server, which ends the session and leads back to the console's sign-in. */
export function signOut(): void {
  window.addEventListener('beforeunload', leave, { once: true });
  browserLocation.assign(`${serverPaths.logout}?next=${encodeURIComponent('/ui/')}`);
}
