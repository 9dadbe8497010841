import { SquarePlay } from 'lucide-react';
import { useId } from 'react';
import { HitExcerpt } from '#/domain/recording-hits/HitExcerpt';
import { type Hit, momentOf } from '#/domain/recording-hits/hits';
import type { SessionHits } from '#/domain/recording-hits/group';
import { KindBadge } from '#/domain/recording-hits/KindBadge';
import { clockText } from '#/lib/clock-text';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useIsRootOrganization } from '#/lib/session';
import { exactStamp, parseTime } from '#/lib/time';
import { CellLink } from '#/ui/link';
import { Badge } from '#/ui/status';
import { visible, VisibleText } from '#/ui/visible-text';

function HitRow({ hit }: { readonly hit: Hit }) {
  const t = useT();
  const time = clockText(hit.offset_ms);
  return (
    <li className="grid gap-x-3 gap-y-1 border-b border-line px-3.5 py-2 last:border-b-0 sm:grid-cols-[132px_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-wrap content-start items-center gap-2">
        <CellLink
          to={momentOf(hit)}
          className="pt-link inline-flex min-h-6 items-center gap-1.5 font-mono tabular-nums"
          title={t('recording-hits:open_at', { time })}
        >
          <SquarePlay aria-hidden />
          {time}
        </CellLink>
        <KindBadge kind={hit.kind} />
      </div>
      <HitExcerpt hit={hit} />
    </li>
  );
}

/** A session with its hits in order of time. */
export function SessionGroup({ group: { session, hits } }: { readonly group: SessionHits }) {
  const t = useT();
  const id = useId();
  const isRoot = useIsRootOrganization();
  const start = parseTime(session.date_start);
  return (
    <article aria-labelledby={id} className="pt-card overflow-hidden">
      <header className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-1.5">
        <h2 id={id} className="min-w-0 text-lead [overflow-wrap:anywhere]">
          <CellLink to={paths.session(session.id)}>
            <bdi>{t('sessions:title', { user: visible(session.user), asset: visible(session.asset) })}</bdi>
          </CellLink>
        </h2>
        <Badge>{session.protocol.toUpperCase()}</Badge>
        <span className="min-w-0 text-ink-2 [overflow-wrap:anywhere]">
          <VisibleText text={session.system_user} />
        </span>
        {start && <span className="text-ink-2 tabular-nums">{exactStamp(start)}</span>}
        {!session.is_whole && <Badge tone="warn">{t('recording-hits:in_part')}</Badge>}
        {isRoot && session.org_name !== '' && (
          <span className="text-ink-3">
            <VisibleText text={session.org_name} />
          </span>
        )}
        <span className="ml-auto text-meta text-ink-3">
          {t('recording-hits:hits', { count: hits.length })}
        </span>
      </header>
      <ol>
        {hits.map((hit) => (
          <HitRow key={hit.id} hit={hit} />
        ))}
      </ol>
    </article>
  );
}
