import { useEffect } from 'react';
import { loadNamespaces, translate } from '#/lib/i18n';
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

function unreadCountOf(data: unknown): number | null {
  if (typeof data !== 'string') return null;
  try {
    const message: unknown = JSON.parse(data);
    if (typeof message !== 'object' || message === null || !('unread_count' in message)) return null;
    const count = message.unread_count;
    return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}

/**
 * Keeps a connection that tells the number of unread messages. A broken one is opened again, ever more slowly; the person is
 * told once for each outage. Returns what ends it.
 */
export function followUnread(): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let told = false;
  let ended = false;

  const retry = () => {
    socket = null;
    failures += 1;
    // Without a network the browser says itself when it is back.
    if (navigator.onLine && !told) {
      told = true;
      void loadNamespaces(['messages']).then(() =>
        toast({ tone: 'error', text: translate('messages:socket_failed') }),
      );
    }
    timer = setTimeout(connect, reconnectDelay(failures));
  };
  const connect = () => {
    if (ended || socket) return;
    clearTimeout(timer);
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const opened = new WebSocket(`${scheme}://${location.host}${PATH}`);
    socket = opened;
    opened.addEventListener('message', (event: MessageEvent<unknown>) => {
      const count = unreadCountOf(event.data);
      if (count === null) return;
      // Only an answer shows that the connection is of use: a refused sign-in opens and closes at once.
      failures = 0;
      told = false;
      noteUnread(count);
    });
    opened.addEventListener('close', ({ code }) => {
      if (ended || socket !== opened) return;
      // A new socket would be refused as well; a request that is refused asks the person to sign in again.
      if (code === SIGNED_OUT) void fetchMessages(0, false).catch(() => undefined);
      else retry();
    });
  };
  const atOnce = () => {
    failures = 0;
    connect();
  };
  window.addEventListener('online', atOnce);
  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    window.removeEventListener('online', atOnce);
    socket?.close();
  };
}

export function useUnreadSocket(): void {
  useEffect(followUnread, []);
}
