import { Check, ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { exactTime, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { markRead, type SiteMessage } from './api';
import { messageTime } from './message-time';
import { safeFragment } from './sanitise';

/** Styles for the HTML of a message, which has no classes of its own. */
const PROSE =
  'grid gap-2 [overflow-wrap:anywhere] [&_a]:underline [&_code]:font-mono [&_code]:text-meta [&_ol]:list-decimal [&_ol]:pl-5 ' +
  '[&_table]:block [&_table]:overflow-x-auto [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line ' +
  '[&_th]:px-2 [&_th]:py-1 [&_th]:text-left [&_ul]:list-disc [&_ul]:pl-5';

export function MessageBody({ html }: { readonly html: string }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    body.current?.replaceChildren(safeFragment(html));
  }, [html]);
  return <div ref={body} className={PROSE} />;
}

/** One message: subject and time. The text opens below. */
export function MessageItem({ message }: { readonly message: SiteMessage }) {
  const t = useT();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const date = parseTime(message.date_created);
  const Chevron = open ? ChevronDown : ChevronRight;
  const mark = async () => {
    setBusy(true);
    // The http client has already shown the failure; the button stays for another try.
    await markRead([message.id]).catch(() => undefined);
    setBusy(false);
  };
  return (
    <li className="border-b border-line last:border-b-transparent">
      <div className="flex items-start gap-2 py-2">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          className="flex min-h-7 min-w-0 grow items-start gap-2 rounded-2 text-left hover:bg-hover"
          onClick={() => setOpen(!open)}
        >
          <Chevron className="mt-0.5 size-[14px]! flex-none text-ink-3" aria-hidden />
          <span className="min-w-0 grow">
            <span
              className={`block [overflow-wrap:anywhere] ${message.has_read ? 'text-ink-2' : 'font-medium text-ink-1'}`}
            >
              {!message.has_read && (
                <span className="mr-1.5 inline-block size-2 rounded-full bg-accent-solid" aria-hidden />
              )}
              {message.subject}
              {!message.has_read && <span className="sr-only"> ({t('messages:unread')})</span>}
            </span>
            <span className="block text-meta text-ink-3">
              {date && (
                <time dateTime={date.toISOString()} title={exactTime(date)}>
                  {messageTime(date)}
                </time>
              )}
              {message.sender_display && <> · {message.sender_display}</>}
            </span>
          </span>
        </button>
        {!message.has_read && (
          <Button
            size="sm"
            kind="text"
            icon={Check}
            busy={busy}
            aria-label={t('messages:mark_this', { subject: message.subject })}
            onClick={mark}
          >
            {t('messages:mark')}
          </Button>
        )}
      </div>
      <div id={id} hidden={!open} className="pb-3 pl-[22px]">
        {open && <MessageBody html={message.message} />}
      </div>
    </li>
  );
}
