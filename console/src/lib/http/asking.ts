/** Whether this page may still ask the server. */

let leaving = new AbortController();
let signedOut = false;

/** Aborted while the page is being left for good: what it asked for is of no use to anybody. */
export function leavingSignal(): AbortSignal {
  return leaving.signal;
}

/** From now on nothing is asked: the sign-in ends on the server before the browser has left the page. */
export function stopAsking(): void {
  leaving.abort();
}

/** A page that the browser kept and shows again asks as before. */
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leaving = new AbortController();
});

/** What the last answer says about the sign-in. */
export function noteSignedOut(isOver: boolean): void {
  signedOut = isOver;
}

/** Whether polls, timers and sockets may ask: not once the page is being left or the sign-in is known to be over. */
export function mayAskUnbidden(): boolean {
  return !signedOut && !leaving.signal.aborted;
}
