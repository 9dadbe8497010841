import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { buttonLook } from '#/ui/button';
import { CountBadge } from '#/ui/count-badge';
import { useUnread } from './api';
import { useUnreadSocket } from './socket';

// Loaded on demand: the sanitiser and the list are needed only when the messages are opened.
const MessagePanel = lazy(() => import('./MessagePanel'));

/** The bell of the top bar with the number of unread messages. */
export function Bell() {
  const t = useT();
  useUnreadSocket();
  const count = useUnread((state) => state.count) ?? 0;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = count > 0 ? t('messages:bell_unread', { count }) : t('messages:bell');
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pt-button"
        {...buttonLook({ kind: 'text' }, true)}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <span className="relative grid">
          <BellIcon aria-hidden />
          <CountBadge count={count} />
        </span>
      </button>
      {open && (
        <Suspense>
          <MessagePanel
            onClose={() => {
              setOpen(false);
              button.current?.focus();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
