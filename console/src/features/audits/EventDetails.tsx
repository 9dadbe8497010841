import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Translate, useT } from '#/lib/i18n';
import { exactStamp, isEndless, parseTime } from '#/lib/time';
import { textOf } from '#/resource/format';
import { AppLink } from '#/ui/link';
import { Missing } from '#/ui/status';
import { UndoSettings } from './UndoSettings';

/** One value of an event. `before` or `after` is absent where there was no value. */
export interface Change {
  readonly field: string;
  readonly label: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** An event, as the audit events and the operation log return it. */
export interface EventStatement {
  readonly id: string;
  readonly sequence: number;
  readonly datetime: string;
  readonly event: string;
  readonly event_display: string;
  readonly category_display: string;
  readonly user: string;
  readonly user_display: string;
  readonly remote_addr: string | null;
  readonly resource_type_display: string;
  readonly resource_id: string;
  readonly resource: string;
  readonly resource_display: string;
  readonly org_name: string;
  readonly changes: readonly Change[];
}

export interface EventRow extends EventStatement {
  readonly category: string;
}

const REMOVED = 'rounded-1 bg-danger-soft px-1 text-danger line-through';
const ADDED = 'rounded-1 bg-ok-soft px-1 text-ok underline underline-offset-2';

function itemsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.map(textOf) : null;
}

/** Date-times, in the format of the audit records. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function words(value: unknown, t: Translate): string {
  if (typeof value === 'boolean') return t(value ? 'resource:yes' : 'resource:no');
  const time = typeof value === 'string' && INSTANT.test(value) ? parseTime(value) : null;
  if (time && isEndless(time)) return t('resource:no_end');
  return time ? exactStamp(time) : textOf(value);
}

/** A list of values; the items that the other side lacks are marked. */
function Items({
  items,
  other,
  mark,
  sign,
}: {
  readonly items: readonly string[];
  readonly other: readonly string[];
  readonly mark: string;
  readonly sign: string;
}) {
  return (
    <span className="flex flex-wrap gap-x-2 gap-y-1">
      {items.map((item, index) =>
        other.includes(item) ? (
          // oxlint-disable-next-line react/no-array-index-key -- a logged list may hold an item twice and never changes
          <span key={index}>{item}</span>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <span key={index} className={mark}>
            {sign}
            {item}
          </span>
        ),
      )}
    </span>
  );
}

function Side({ change, side }: { readonly change: Change; readonly side: 'before' | 'after' }) {
  const t = useT();
  const other = side === 'before' ? 'after' : 'before';
  if (!(side in change)) return <Missing />;
  const value = change[side];
  const items = itemsOf(value);
  const mark = side === 'before' ? REMOVED : ADDED;
  const isUpdate = other in change;
  if (items && isUpdate) {
    const others = itemsOf(change[other]) ?? [];
    return <Items items={items} other={others} mark={mark} sign={side === 'after' ? '+ ' : ''} />;
  }
  const text = words(value, t);
  if (text === '') return <Missing />;
  const isChanged = isUpdate && text !== words(change[other], t);
  return <span className={isChanged ? mark : undefined}>{text}</span>;
}

function Cell({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="cell" className="min-w-0 wrap-anywhere">
      <span className="text-meta text-ink-3 sm:hidden">{label} </span>
      {children}
    </div>
  );
}

const GRID = 'grid gap-x-4 gap-y-1 px-3 py-2 sm:grid-cols-[minmax(100px,1fr)_minmax(0,2fr)_minmax(0,2fr)]';

/** The values before and after, side by side; on narrow screens one below the other. */
function Changes({ changes }: { readonly changes: readonly Change[] }) {
  const t = useT();
  if (changes.length === 0) return <p className="text-ink-3">{t('audits:event.no_values')}</p>;
  return (
    <div
      role="table"
      aria-label={t('audits:event.values')}
      className="min-w-0 grow rounded-2 border border-line bg-surface-1"
    >
      <div role="row" className={`${GRID} text-meta text-ink-2 max-sm:sr-only`}>
        <span role="columnheader">{t('audits:event.field')}</span>
        <span role="columnheader">{t('audits:event.before')}</span>
        <span role="columnheader">{t('audits:event.after')}</span>
      </div>
      {changes.map((change) => (
        <div key={change.field} role="row" className={`${GRID} border-t border-line max-sm:first:border-0`}>
          <div role="rowheader" className="wrap-anywhere text-ink-2 max-sm:font-medium">
            {change.label}
          </div>
          <Cell label={t('audits:event.before')}>
            <Side change={change} side="before" />
          </Cell>
          <Cell label={t('audits:event.after')}>
            <Side change={change} side="after" />
          </Cell>
        </div>
      ))}
    </div>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[88px_minmax(0,1fr)] gap-2">
      <dt className="text-ink-3">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Everything that the log holds about one event. */
export function EventDetails({ row }: { readonly row: EventStatement }) {
  const t = useT();
  return (
    <div className="flex flex-col gap-4 lg:flex-row">
      <Changes changes={row.changes} />
      <div className="grid flex-none content-start gap-2 lg:w-72 lg:border-l lg:border-line lg:pl-4">
        <dl className="grid gap-1">
          <Fact label={t('audits:event.kind')}>{row.event_display}</Fact>
          <Fact label={t('audits:event.category')}>{row.category_display}</Fact>
          <Fact label={t('audits:event.place')}>
            <span className="font-mono text-meta">#{row.sequence}</span>
          </Fact>
          <Fact label={t('audits:event.organization')}>{row.org_name || t('audits:event.none')}</Fact>
          {row.resource_id !== '' && (
            <Fact label={t('audits:event.object_id')}>
              <span className="font-mono text-meta">{row.resource_id}</span>
            </Fact>
          )}
        </dl>
        {row.event === 'settings.updated' && <UndoSettings record={row.id} />}
        {row.resource_id !== '' && (
          <AppLink
            to={`/audits/events?resource_id=${encodeURIComponent(row.resource_id)}&date_start=2000-01-01T00:00:00Z`}
            className="pt-link inline-flex items-center gap-1"
          >
            <History className="size-[14px]!" aria-hidden />
            {t('audits:event.history')}
          </AppLink>
        )}
      </div>
    </div>
  );
}
