import { CircleX, LoaderCircle } from 'lucide-react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useT } from '#/lib/i18n';
import { Status } from '#/ui/status';
import type { ImportRow, Remedy } from './import-row';
import { asOneLine } from './row-problems';

/** State of a row as an icon and a word; for a failed row also the reasons and, if known, a remedy. */
export function RowResult({
  row,
  isCurrent,
  remedy,
  onRemedy,
}: {
  readonly row: ImportRow;
  readonly isCurrent: boolean;
  readonly remedy: Remedy | null;
  readonly onRemedy: (remedy: Remedy) => void;
}) {
  const t = useT();
  if (isCurrent) {
    return (
      <span className="inline-flex items-center gap-1.5 text-accent">
        <LoaderCircle className="pt-spin size-3!" aria-hidden />
        {t('exchange:import.running')}
      </span>
    );
  }
  if (row.state === 'pending') return <Status tone="unknown">{t('exchange:import.pending')}</Status>;
  if (row.state === 'ok') return <Status tone="ok">{t('exchange:import.ok')}</Status>;
  const texts = row.problems.map((problem) => problem.text);
  const summary = asOneLine(row.problems);
  return (
    <span className="flex items-center gap-1 text-danger max-sm:flex-wrap">
      <DialogTrigger>
        <Button
          className="grid size-6 flex-none place-items-center rounded-2 hover:bg-hover"
          aria-label={t('exchange:import.details', { number: row.number })}
        >
          <CircleX className="size-[14px]!" aria-hidden />
        </Button>
        <Popover placement="bottom end" offset={4} className="pt-popover max-w-[min(400px,calc(100vw-32px))]">
          <Dialog
            aria-label={t('exchange:import.details', { number: row.number })}
            className="px-3 py-2 outline-none"
          >
            <ul className="grid gap-1">
              {texts.map((text) => (
                <li key={text} className="[overflow-wrap:anywhere]">
                  {text}
                </li>
              ))}
            </ul>
          </Dialog>
        </Popover>
      </DialogTrigger>
      <span className="flex-none">{t('exchange:import.error')}</span>
      <span
        className="min-w-0 truncate max-sm:[overflow-wrap:anywhere] max-sm:whitespace-normal"
        title={summary}
      >
        {summary}
      </span>
      {remedy && (
        <button
          type="button"
          className="pt-link min-h-6 flex-none font-medium"
          onClick={() => onRemedy(remedy)}
        >
          {t('exchange:import.set_to', { value: remedy.label })}
        </button>
      )}
    </span>
  );
}
