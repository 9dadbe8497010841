import type { Metrics } from './api';

export interface Line {
  /** Key of its name. */
  readonly name: string;
  readonly values: readonly number[];
  /** Colour of its stroke and of its mark; lines differ by their dashes too. */
  readonly tone: string;
  readonly dash?: string;
}

export function linesOf(data: Metrics): readonly Line[] {
  return [
    { name: 'dashboard:sessions', values: data.dates_metrics_total_count_login, tone: 'text-accent' },
    {
      name: 'dashboard:assets',
      values: data.dates_metrics_total_count_active_assets,
      tone: 'text-ok',
      dash: '6 3',
    },
    {
      name: 'dashboard:users',
      values: data.dates_metrics_total_count_active_users,
      tone: 'text-warn',
      dash: '2 3',
    },
  ];
}

/** A round number at or above the largest value, that four parts divide evenly. */
export function ceilingOf(largest: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(largest, 4) / 4));
  const step = [1, 2, 2.5, 5, 10]
    .map((part) => part * unit)
    .find((part) => part * 4 >= largest && Number.isInteger(part));
  return (step ?? 10 * unit) * 4;
}
