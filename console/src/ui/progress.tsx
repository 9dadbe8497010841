import { useT } from '#/lib/i18n';
import { Status } from './status';

export interface ProgressProps {
  /** Names the work for assistive technology: “Import of assets”. */
  readonly label: string;
  readonly ok: number;
  readonly failed: number;
  /** Number of all steps, including pending ones. */
  readonly total: number;
  /** Show the counts in words below the bar; default: yes. */
  readonly counts?: boolean;
}

function share(part: number, total: number): string {
  return `${total === 0 ? 0 : (part / total) * 100}%`;
}

/** Progress of long work: a bar in three segments (done, failed, pending) and the same in words. */
export function Progress({ label, ok, failed, total, counts = true }: ProgressProps) {
  const t = useT();
  const rest = Math.max(0, total - ok - failed);
  return (
    <div className="grid gap-1.5">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={ok + failed}
        aria-valuetext={t('ui:progress.text', { done: ok + failed, count: total, failed })}
        className="flex h-2 gap-px overflow-hidden rounded-1 bg-surface-3"
      >
        {/* Computed values cannot be CSS classes. */}
        <span data-part="ok" className="bg-ok-dot" style={{ width: share(ok, total) }} />
        <span data-part="failed" className="bg-danger-dot" style={{ width: share(failed, total) }} />
      </div>
      {counts && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-meta tabular-nums text-ink-2">
          <Status tone="ok">{t('ui:progress.ok', { count: ok })}</Status>
          {failed > 0 && <Status tone="danger">{t('ui:progress.failed', { count: failed })}</Status>}
          {rest > 0 && <Status tone="unknown">{t('ui:progress.rest', { count: rest })}</Status>}
        </p>
      )}
    </div>
  );
}
