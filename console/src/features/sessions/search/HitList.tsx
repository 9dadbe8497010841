import { ChevronDown, RotateCw } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { bySession } from '#/domain/recording-hits/group';
import type { Hit } from '#/domain/recording-hits/hits';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { SessionGroup } from './SessionGroup';

const STEP: Partial<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves the focus to the next or previous hit; Tab also reaches the sessions between them. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = STEP[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('li a')];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

export interface MoreHits {
  readonly isThere: boolean;
  readonly isLoading: boolean;
  /** Why the last attempt failed; null if it did not. */
  readonly failure: string | null;
  readonly load: () => Promise<unknown>;
}

function More({ more, onLoaded }: { readonly more: MoreHits; readonly onLoaded: () => void }) {
  const t = useT();
  if (!more.isThere) return <p className="text-center text-meta text-ink-3">{t('recording-hits:all')}</p>;
  return (
    <div className="grid justify-items-center gap-1.5">
      {more.failure !== null && (
        <p role="alert" className="text-danger">
          {t('recording-hits:more_failed', { reason: more.failure })}
        </p>
      )}
      <Button
        icon={more.failure === null ? ChevronDown : RotateCw}
        busy={more.isLoading}
        onClick={() => void more.load().then(onLoaded)}
      >
        {t('recording-hits:more')}
      </Button>
    </div>
  );
}

/** Hits by session. Arrow keys (or J and K) walk from hit to hit. */
export function HitList({ hits, more }: { readonly hits: readonly Hit[]; readonly more: MoreHits }) {
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => bySession(hits), [hits]);
  const shown = hits.length;
  // The first of the new hits: reading and walking go on there, and the button may be gone.
  const goOn = (): void => {
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('li a')[shown]?.focus());
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {/* The links inside take the keys; the group only sees them pass. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div ref={list} className="grid grid-cols-[minmax(0,1fr)] gap-3" onKeyDown={walk}>
        {groups.map((group) => (
          <SessionGroup key={group.session.id} group={group} />
        ))}
      </div>
      <More more={more} onLoaded={goOn} />
    </div>
  );
}
