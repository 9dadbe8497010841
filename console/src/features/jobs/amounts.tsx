import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { Missing } from '#/ui/status';

interface Amounts {
  readonly success: number;
  readonly failed: number;
  readonly total: number;
}

/** Successes, failures and the total: `3 / 1 / 4`, with the same in words for the tip. */
export function AmountsCell({ of }: { readonly of: Amounts }) {
  const t = useT();
  return (
    <span
      className="tabular-nums whitespace-nowrap"
      title={t('jobs:amounts', { success: of.success, failed: of.failed, total: of.total })}
    >
      <span className={of.success > 0 ? 'text-ok' : 'text-ink-3'}>{of.success}</span>
      {' / '}
      <span className={of.failed > 0 ? 'text-danger' : 'text-ink-3'}>{of.failed}</span>
      {' / '}
      {of.total}
    </span>
  );
}

/** A duration in seconds. */
export function LastedCell({ seconds }: { readonly seconds: number | null | undefined }) {
  return typeof seconds === 'number' ? (
    <span className="tabular-nums">{friendlyDuration(seconds)}</span>
  ) : (
    <Missing />
  );
}
