import { useQuery } from '@tanstack/react-query';
import { useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { type Days, type Shares as Figures, shares } from './api';
import { Loaded } from './Loaded';

const STATES = [
  { state: 'active', label: 'dashboard:active', look: 'bg-accent-solid' },
  { state: 'inactive', label: 'dashboard:inactive', look: 'bg-line-2' },
  { state: 'disabled', label: 'dashboard:disabled', look: 'bg-warn' },
] as const;

/** How many users and assets had sessions, had none, or are switched off. */
export function Shares({ days }: { readonly days: Days }) {
  const t = useT();
  const query = useQuery(shares(days));
  return (
    <Card title={t('dashboard:shares')} aside={t('dashboard:last_days', { count: days })}>
      <Loaded query={query} lines={4}>
        {(data) => (
          <div className="grid gap-4">
            <Share what="users" title={t('dashboard:users')} data={data} />
            <Share what="assets" title={t('dashboard:assets')} data={data} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Share({
  what,
  title,
  data,
}: {
  readonly what: 'users' | 'assets';
  readonly title: string;
  readonly data: Figures;
}) {
  const t = useT();
  const parts = STATES.map(({ state, label, look }) => ({
    state,
    label,
    look,
    number: data[`dates_total_count_${state}_${what}`],
  }));
  const total = parts.reduce((sum, { number }) => sum + number, 0);
  return (
    <div>
      <h3 className="flex justify-between">
        {title} <span className="tabular-nums">{total.toLocaleString()}</span>
      </h3>
      <div className="flex h-2 gap-0.5" aria-hidden>
        {parts.map(
          ({ state, look, number }) =>
            number > 0 && <span key={state} className={`rounded-1 ${look}`} style={{ flexGrow: number }} />,
        )}
        {total === 0 && <span className="grow rounded-1 bg-surface-3" />}
      </div>
      <ul className="flex flex-wrap gap-x-4 text-meta text-ink-2">
        {parts.map(({ state, label, look, number }) => (
          <li key={state} className="inline-flex items-center gap-1.5">
            <span className={`size-2 rounded-1 ${look}`} aria-hidden />
            {t(label)} <b className="tabular-nums">{number.toLocaleString()}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
