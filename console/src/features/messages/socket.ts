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
/** Close code of the server when the sign-in has ended. */
const SIGNED_OUT = 4401;

/**
 * Delay before the next attempt, in ms: doubles up to a minute. `chance` (0–1) is random jitter that spreads many
 * browsers after a restart.
 */
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
 * Keeps a socket open on which the server sends the number of unread messages. A broken socket is reopened at growing
 * intervals, and each outage is reported once. After the sign-in has ended no more requests are sent. Returns a
 * function that closes the socket.
 */
export function followUnread(): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isReported = false;
  let ended = false;

  const retry = () => {
    if (ended) return;
    failures += 1;
    timer = setTimeout(connect, reconnectDelay(failures));
  };
  const reportOutage = () => {
    // Without a network the `online` event triggers the next attempt, and the offline bar is shown.
    if (!navigator.onLine || isReported) return;
    isReported = true;
    void loadNamespaces(['messages']).then(() =>
      toast({ tone: 'error', text: translate('messages:socket_failed') }),
    );
  };
  /**
   * This sign-in has ended, but another tab may have signed in since. A request finds out; if it is refused, the http
   * client asks the person to sign in.
   */
  const checkSignIn = () => {
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
      // A refused sign-in opens and closes the socket at once, so only a received message counts as success.
      failures = 0;
      isReported = false;
      noteUnread(count);
    });
    opened.addEventListener('close', ({ code }) => {
      leaveNews?.();
      if (ended || socket !== opened) return;
      socket = null;
      if (!mayAskUnbidden()) return;
      if (code === SIGNED_OUT) checkSignIn();
      else {
        reportOutage();
        retry();
      }
    });
  };
  const atOnce = () => {
    failures = 0;
    connect();
  };
  window.addEventListener('online', atOnce);
  // After signing in elsewhere and returning to the page, the bell works again.
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
