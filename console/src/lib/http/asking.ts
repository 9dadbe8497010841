/** Whether this page may still send requests. */

let leaving = new AbortController();
let signedOut = false;

/** Aborted when the page is being left for good, because nobody needs the pending answers any more. */
export function leavingSignal(): AbortSignal {
  return leaving.signal;
}

/** Stops all requests: the server ends the sign-in before the browser has left the page. */
export function stopAsking(): void {
  leaving.abort();
}

/** A page restored from the back-forward cache sends requests again. */
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leaving = new AbortController();
});

/** Sign-in state according to the last answer. */
export function noteSignedOut(isOver: boolean): void {
  signedOut = isOver;
}

/**
 * Whether polls, timers and sockets may send requests: not while the page is being left, and not after the sign-in has
 * ended.
 */
export function mayAskUnbidden(): boolean {
  return !signedOut && !leaving.signal.aborted;
}
