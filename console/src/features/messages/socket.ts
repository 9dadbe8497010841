import { useEffect } from 'react';
import { mayAskUnbidden } from '#/lib/http/asking';
import { SignedOutError } from '#/lib/http/errors';
import { loadNamespaces, translate } from '#/lib/i18n';
import { bringSessionNews, noteSessionNews } from '#/lib/live-sessions';
import { toast } from '#/ui/toast';
import { fetchMessages, noteUnread } from './api';

const PATH = '/ws/notifications/site-msg/';
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** The server closes so when the sign-in is over. */
const SIGNED_OUT = 4401;

/** Time before the next attempt, doubling up to a minute; `chance` (0–1) spreads many browsers after a restart. */
export function reconnectDelay(failures: number, chance: number = Math.random()): number {
  const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * chance;
}

function messageOf(data: unknown): object | null {
  if (typeof data !== 'string') return null;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === 'object' ? message : null;
  } catch {
    return null;
  }
}

function unreadCountOf(message: object): number | null {
  const count = 'unread_count' in message ? message.unread_count : null;
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : null;
}

/**
 * Keeps a connection that tells the number of unread messages. A broken one is opened again, ever more slowly; the person is
 * told once for each outage. Once the sign-in is over it asks for nothing. Returns what ends it.
 */
export function followUnread(): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let told = false;
  let ended = false;

  const retry = () => {
    if (ended) return;
    failures += 1;
    timer = setTimeout(connect, reconnectDelay(failures));
  };
  const tell = () => {
    // Without a network the browser says itself when it is back.
    if (!navigator.onLine || told) return;
    told = true;
    void loadNamespaces(['messages']).then(() =>
      toast({ tone: 'error', text: translate('messages:socket_failed') }),
    );
  };
  /** This sign-in is over, but another tab may have signed in since: a request tells, and asks the person if it is refused. */
  const lookAgain = () => {
    fetchMessages(0, false).then(
      ({ count }) => {
        noteUnread(count);
        retry();
      },
      (error: unknown) => {
        if (!(error instanceof SignedOutError)) retry();
      },
    );
  };
  const connect = () => {
    if (ended || socket || !mayAskUnbidden()) return;
    clearTimeout(timer);
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const opened = new WebSocket(`${scheme}://${location.host}${PATH}`);
    socket = opened;
    let leaveNews: (() => void) | undefined;
    opened.addEventListener('open', () => {
      leaveNews = bringSessionNews((organization) => {
        if (opened.readyState === WebSocket.OPEN)
          opened.send(JSON.stringify({ follow_sessions_of: organization }));
      });
    });
    opened.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = messageOf(event.data);
      if (message === null) return;
      if ('type' in message && message.type === 'sessions_changed') noteSessionNews();
      const count = unreadCountOf(message);
      if (count === null) return;
      // Only an answer shows that the connection is of use: a refused sign-in opens and closes at once.
      failures = 0;
      told = false;
      noteUnread(count);
    });
    opened.addEventListener('close', ({ code }) => {
      leaveNews?.();
      if (ended || socket !== opened) return;
      socket = null;
      if (!mayAskUnbidden()) return;
      if (code === SIGNED_OUT) lookAgain();
      else {
        tell();
        retry();
      }
    });
  };
  const atOnce = () => {
    failures = 0;
    connect();
  };
  window.addEventListener('online', atOnce);
  // Who comes back from signing in elsewhere finds the bell at work again.
  window.addEventListener('focus', atOnce);
  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    window.removeEventListener('online', atOnce);
    window.removeEventListener('focus', atOnce);
    socket?.close();
  };
}

export function useUnreadSocket(): void {
  useEffect(followUnread, []);
}
