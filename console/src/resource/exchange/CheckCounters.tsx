import { Check, WandSparkles } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Status, type StatusTone } from '#/ui/status';
import type { CheckCounts, CheckFilter } from './import-check';

const number = (value: number): string => value.toLocaleString('en');

const TONES: Readonly<Record<Exclude<CheckFilter, 'all'>, StatusTone>> = {
  wrong: 'danger',
  create: 'ok',
  update: 'unknown',
};

/** What the check found out, as numbers; each of them filters the rows. */
export function CheckCounters({
  counts,
  total,
  value,
  onChange,
}: {
  readonly counts: CheckCounts;
  readonly total: number;
  readonly value: CheckFilter;
  readonly onChange: (filter: CheckFilter) => void;
}) {
  const t = useT();
  const options = [
    { filter: 'all', count: total },
    { filter: 'create', count: counts.create },
    { filter: 'update', count: counts.update },
    { filter: 'wrong', count: counts.wrong },
  ] as const;
  return (
    <div role="group" aria-label={t('exchange:import.filter')} className="flex flex-wrap gap-2">
      {/* i18n: exchange:check.filter.* */}
      {options.map(({ filter, count }) => {
        const label = t(`exchange:check.filter.${filter}`);
        const isAlarm = filter === 'wrong' && count > 0;
        const look = isAlarm
          ? 'border-danger-line bg-danger-soft'
          : value === filter
            ? 'border-accent bg-accent-soft'
            : 'border-line-2 bg-surface-1 hover:bg-hover';
        return (
          <button
            key={filter}
            type="button"
            aria-pressed={value === filter}
            className={`flex min-h-10 items-center gap-2.5 rounded-2 border px-3 max-sm:grow aria-pressed:outline-2 aria-pressed:-outline-offset-2 aria-pressed:outline-accent ${look}`}
            onClick={() => onChange(filter)}
          >
            {filter === 'all' ? label : <Status tone={TONES[filter]}>{label}</Status>}{' '}
            <span className="ml-auto text-lead font-semibold tabular-nums">{number(count)}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Offers to accept all corrections at once. */
export function Corrections({
  count,
  wrong,
  onAccept,
}: {
  readonly count: number;
  readonly wrong: number;
  readonly onAccept: () => void;
}) {
  const t = useT();
  if (count === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-2 border border-accent-line bg-accent-soft px-3 py-1.5">
      <WandSparkles className="flex-none text-accent" aria-hidden />
      <span className="min-w-0 grow">
        {count === wrong
          ? t('exchange:check.correctable_all', { count })
          : t('exchange:check.correctable', { count, wrong: number(wrong) })}
      </span>
      <Button size="sm" icon={Check} onClick={onAccept}>
        {t('exchange:check.accept', { count })}
      </Button>
    </div>
  );
}
