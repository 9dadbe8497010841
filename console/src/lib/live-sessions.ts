/**
 * News of live sessions: the console's one socket brings them, the lists that show sessions follow. They meet here, because the
 * socket belongs to another feature.
 */
type Announce = (organization: string | null) => void;

const followers = new Set<() => void>();
let wanted: string | null = null;
let announce: Announce | null = null;

/** Calls `onChange` whenever a session of the organization begins, changes or ends. Returns what ends it. */
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

/** The socket is open: `send` tells the server whose sessions are shown, now and when that changes. Returns what ends it. */
export function bringSessionNews(send: Announce): () => void {
  announce = send;
  if (wanted !== null) send(wanted);
  return () => {
    if (announce === send) announce = null;
  };
}

/** The server has said that something changed. */
export function noteSessionNews(): void {
  for (const follower of followers) follower();
}
