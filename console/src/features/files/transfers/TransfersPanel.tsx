import { ChevronDown, ChevronUp } from 'lucide-react';
import { useState } from 'react';
import { byteText } from '#/lib/byte-text';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { Button, IconButton } from '#/ui/button';
import { Note } from '#/ui/note';
import type { UploadQueue } from './queue';
import { useTransfers } from './store';
import { isUnfinished, spokenPercent, totalsOf, type Transfer } from './transfer';
import { TransferRow } from './TransferRow';

/** A browser draws so many rows at once without delay; the rest is counted. */
const ROWS_SHOWN = 100;
const FIRST: Readonly<Record<string, number>> = { asking: 0, failed: 1, running: 2, paused: 3, waiting: 4 };

/** What needs a person first, then what moves. */
function inOrder(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.toSorted((one, other) => (FIRST[one.state] ?? 5) - (FIRST[other.state] ?? 5));
}

/** One answer for all files that exist already. */
function AskOnce({ asking, queue }: { readonly asking: readonly Transfer[]; readonly queue: UploadQueue }) {
  const t = useT();
  const [first] = asking;
  if (!first) return null;
  return (
    <Note tone="warn" announce>
      <p>{t('files:conflict.question', { count: asking.length })}</p>
      <span className="flex flex-wrap gap-2 pt-1.5">
        <Button size="sm" onClick={() => queue.answer(first.id, 'replace', true)}>
          {t('files:conflict.replace_all')}
        </Button>
        <Button size="sm" onClick={() => queue.answer(first.id, 'keep_both', true)}>
          {t('files:conflict.keep_both_all')}
        </Button>
        <Button size="sm" onClick={() => queue.answer(first.id, 'skip', true)}>
          {t('files:conflict.skip_all')}
        </Button>
      </span>
    </Note>
  );
}

function Buttons({
  transfers,
  queue,
}: {
  readonly transfers: readonly Transfer[];
  readonly queue: UploadQueue;
}) {
  const t = useT();
  const going = transfers.filter(({ state }) => state === 'waiting' || state === 'running');
  const paused = transfers.filter(({ state }) => state === 'paused');
  const isAnyDone = transfers.some(({ state }) => state === 'done' || state === 'skipped');
  return (
    <>
      {going.length > 0 && (
        <Button
          size="sm"
          kind="text"
          // From the last one, so that none of them starts meanwhile.
          onClick={() => going.toReversed().forEach(({ id }) => queue.pause(id))}
        >
          {t('files:transfer.pause_all')}
        </Button>
      )}
      {going.length === 0 && paused.length > 0 && (
        <Button size="sm" kind="text" onClick={() => paused.forEach(({ id }) => queue.resume(id))}>
          {t('files:transfer.resume_all')}
        </Button>
      )}
      {isAnyDone && (
        <Button size="sm" kind="text" onClick={() => queue.clearDone()}>
          {t('files:transfer.clear_done')}
        </Button>
      )}
    </>
  );
}

/** The uploads of this page; nothing while there are none. */
export function TransfersPanel({ queue }: { readonly queue: UploadQueue }) {
  const t = useT();
  const transfers = useTransfers((state) => state.transfers);
  // On a phone the files need the room.
  const [isOpen, setOpen] = useState(() => window.innerWidth >= 640);
  const totals = totalsOf(transfers);
  const unfinished = transfers.filter(isUnfinished);
  const asking = transfers.filter(({ state }) => state === 'asking');
  const spoken =
    unfinished.length > 0
      ? t('files:transfer.spoken', { percent: spokenPercent(totals), count: totals.files })
      : t('files:transfer.all_done', { count: totals.done });
  return (
    <section
      aria-label={t('files:transfer.title')}
      className="flex flex-none flex-col border-t border-line bg-surface-1"
      style={{ maxHeight: '40%' }}
    >
      {/* The live region exists before its text does; otherwise screen readers would not announce the text. */}
      <p role="status" className="sr-only">
        {transfers.length > 0 ? spoken : ''}
      </p>
      {transfers.length > 0 && (
        <>
          <header className="flex min-h-10 flex-none flex-wrap items-center gap-x-4 gap-y-1 px-3">
            <h2 className="text-lead">{t('files:transfer.title')}</h2>
            <span className="grow text-meta text-ink-2 tabular-nums">
              {[
                `${totals.done} / ${totals.files}`,
                totals.speed > 0 ? `${byteText(totals.speed)}/s` : '',
                totals.secondsLeft !== null
                  ? t('files:transfer.left', { time: friendlyDuration(totals.secondsLeft) })
                  : '',
              ]
                .filter((fact) => fact !== '')
                .join(' · ')}
            </span>
            <Buttons transfers={transfers} queue={queue} />
            <IconButton
              icon={isOpen ? ChevronDown : ChevronUp}
              kind="text"
              size="sm"
              label={t(isOpen ? 'files:transfer.fold' : 'files:transfer.unfold')}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          </header>
          {asking.length > 1 && (
            <div className="px-3 pb-2">
              <AskOnce asking={asking} queue={queue} />
            </div>
          )}
          {isOpen && (
            <ul className="min-h-0 overflow-y-auto">
              {inOrder(transfers)
                .slice(0, ROWS_SHOWN)
                .map((transfer) => (
                  <TransferRow key={transfer.id} transfer={transfer} queue={queue} />
                ))}
              {transfers.length > ROWS_SHOWN && (
                <li className="px-3 py-2 text-meta text-ink-3">
                  {t('files:transfer.more', { count: transfers.length - ROWS_SHOWN })}
                </li>
              )}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
