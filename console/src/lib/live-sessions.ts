/**
 * Connects the console's one socket, which receives news of live sessions, with the lists that show sessions. It is a
 * module of its own, because the socket belongs to another feature.
 */
type Announce = (organization: string | null) => void;

const followers = new Set<() => void>();
let wanted: string | null = null;
let announce: Announce | null = null;

/**
 * Calls `onChange` whenever a session of the organization begins, changes or ends. Returns a function that
 * unsubscribes.
 */
export function followSessions(organization: string, onChange: () => void): () => void {
  followers.add(onChange);
  wanted = organization;
  announce?.(wanted);
  return () => {
    followers.delete(onChange);
    if (followers.size > 0) return;
    wanted = null;
    announce?.(null);
  };
}

/**
 * Called when the socket is open. `send` tells the server the organization whose sessions are shown, now and after each
 * change. Returns a function to call when the socket closes.
 */
export function bringSessionNews(send: Announce): () => void {
  announce = send;
  if (wanted !== null) send(wanted);
  return () => {
    if (announce === send) announce = null;
  };
}

/** Called when the server reports a change. */
export function noteSessionNews(): void {
  for (const follower of followers) follower();
}
