import { useT } from '#/lib/i18n';
import { AppLink } from '#/ui/link';
import { visible } from '#/ui/visible-text';
import { When, WHEN_WIDTH } from './When';

export interface BusyRow {
  readonly id: string;
  readonly name: string;
  readonly total: number;
  readonly last: string;
  /** The sessions that were counted. */
  readonly to: string;
}

const COLUMNS = { gridTemplateColumns: `minmax(0, 5fr) minmax(0, 3fr) auto ${WHEN_WIDTH}` };

/** Those with most sessions, each with a bar in proportion to the first. */
export function Busiest({ rows }: { readonly rows: readonly BusyRow[] }) {
  const t = useT();
  if (rows.length === 0) return <p className="p-3.5 text-ink-3">{t('dashboard:no_sessions')}</p>;
  const most = Math.max(...rows.map(({ total }) => total));
  return (
    <ol className="grid gap-1 p-3.5">
      {rows.map(({ id, name, total, last, to }) => {
        return (
          <li key={id} className="grid items-center gap-3" style={COLUMNS}>
            <AppLink to={to} className="pt-link truncate" title={visible(name)}>
              {visible(name)}
            </AppLink>
            <span className="h-2 rounded-1 bg-surface-3" aria-hidden>
              <span
                className="block h-2 rounded-1 bg-accent-solid"
                style={{ width: `${(total / most) * 100}%` }}
              />
            </span>
            <span className="tabular-nums">{total.toLocaleString()}</span>
            <When text={last} />
          </li>
        );
      })}
    </ol>
  );
}
