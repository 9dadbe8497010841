import { FileSpreadsheet } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Status } from '#/ui/status';
import { sizeText } from './import-file';
import type { RunSnapshot } from './import-run';
import type { LoadedFile } from './loaded-file';

const MINUTE_MS = 60_000;
const number = (value: number): string => value.toLocaleString('en');

/** File, remaining time, and the number of succeeded, failed and pending rows, as a bar and in words. */
export function RunProgress({
  loaded,
  snapshot,
}: {
  readonly loaded: LoadedFile;
  readonly snapshot: RunSnapshot;
}) {
  const t = useT();
  const { counts, state, leftMs } = snapshot;
  const done = counts.ok + counts.error;
  const share = (count: number) => `${counts.total === 0 ? 0 : (count / counts.total) * 100}%`;
  const words = { ok: number(counts.ok), error: number(counts.error), pending: number(counts.pending) };
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-center gap-x-2">
        <FileSpreadsheet className="text-ink-3" aria-hidden />
        <span className="min-w-0 [overflow-wrap:anywhere]">{loaded.name}</span>
        <span className="text-ink-3 tabular-nums">
          {t('exchange:import.rows', { count: counts.total })} · {sizeText(loaded.size)}
        </span>
        <span className="ml-auto text-ink-2 tabular-nums">
          {leftMs !== null &&
            (leftMs < MINUTE_MS
              ? t('exchange:import.left_seconds', { count: Math.ceil(leftMs / 1000) })
              : t('exchange:import.left_minutes', { count: Math.ceil(leftMs / MINUTE_MS) }))}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label={t('exchange:import.progress')}
        aria-valuemin={0}
        aria-valuemax={counts.total}
        aria-valuenow={done}
        aria-valuetext={`${done} / ${counts.total}`}
        className="flex h-2 overflow-hidden rounded-full bg-surface-3"
      >
        <span className="bg-ok-dot" style={{ width: share(counts.ok) }} />
        <span className="bg-danger-dot" style={{ width: share(counts.error) }} />
      </div>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 tabular-nums">
        <span className="font-semibold">
          {number(done)} / {number(counts.total)}
        </span>
        <Status tone="ok">
          {t('exchange:import.ok')} {words.ok}
        </Status>
        <Status tone="danger">
          {t('exchange:import.error')} {words.error}
        </Status>
        <Status tone="unknown">
          {t('exchange:import.pending')} {words.pending}
        </Status>
      </div>
      {/* Announced when the state of the run changes, not for every row. */}
      <p className="sr-only" role="status">
        {state === 'started' && t('exchange:import.announce.started')}
        {state === 'stopped' && t('exchange:import.announce.stopped', words)}
        {state === 'done' && t('exchange:import.announce.done', { ok: words.ok, error: words.error })}
      </p>
    </div>
  );
}
