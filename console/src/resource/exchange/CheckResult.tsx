import { CircleAlert, LoaderCircle } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Status } from '#/ui/status';
import { isCorrectable } from './import-check';
import type { ImportColumn, ImportRow } from './import-row';
import { asOneLine } from './row-problems';

/** What importing the row will do, or what is wrong and what helps. */
export function CheckResult({
  row,
  columns,
  isHalted,
  onAccept,
}: {
  readonly row: ImportRow;
  readonly columns: readonly ImportColumn[];
  readonly isHalted: boolean;
  readonly onAccept: () => void;
}) {
  const t = useT();
  if (row.state === 'error') {
    const texts = asOneLine(row.problems);
    return (
      <span className="flex items-center gap-1.5 max-sm:flex-wrap">
        <CircleAlert className="size-[14px]! flex-none text-danger" aria-hidden />
        <span
          className="min-w-0 grow truncate text-danger max-sm:[overflow-wrap:anywhere] max-sm:whitespace-normal"
          // On a phone the text would wrap below its icon.
          style={{ flexBasis: 'calc(100% - 20px)' }}
          title={texts}
        >
          {texts}
        </span>
        {isCorrectable(row) && (
          <button
            type="button"
            className="pt-link min-h-6 max-w-40 flex-none truncate font-medium"
            title={correctionText(row, t)}
            onClick={onAccept}
          >
            {correctionText(row, t)}
          </button>
        )}
      </span>
    );
  }
  if (!row.forecast)
    return isHalted ? (
      <Status tone="unknown">{t('exchange:check.unchecked')}</Status>
    ) : (
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        <LoaderCircle className="pt-spin size-3!" aria-hidden />
        {t('exchange:check.running_row')}
      </span>
    );
  if (row.forecast.outcome === 'create') return <Status tone="ok">{t('exchange:check.will_create')}</Status>;
  const labels = row.forecast.changes.map(
    ({ field }) => columns.find((column) => column.field === field)?.label ?? field,
  );
  const text =
    labels.length === 0
      ? t('exchange:check.no_change')
      : t('exchange:check.will_change', { columns: labels.join(', ') });
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={text}>
      <Status tone={labels.length === 0 ? 'unknown' : 'ok'}>{''}</Status>
      <span className="min-w-0 truncate">{text}</span>
    </span>
  );
}

/** `Use Linux`, or `Update web-1` where the name is taken. */
function correctionText(row: ImportRow, t: ReturnType<typeof useT>): string {
  if (row.remedies.length === 0 && row.takenBy)
    return t('exchange:check.update_that', { name: row.takenBy.name });
  return t('exchange:check.use', { value: row.remedies.map(({ label }) => label).join(', ') });
}
