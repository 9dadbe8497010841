import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { browserZone } from '#/lib/time';
import { Button } from '../button';

export interface PanelShortcut {
  readonly label: string;
  readonly values?: Readonly<Record<string, number>>;
  readonly run: () => void;
}

/** `Asia/Shanghai (GMT+8)` at that instant; summer time has another offset. */
function zoneOf(instant: Date): string {
  const offset = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
    .formatToParts(instant)
    .find((part) => part.type === 'timeZoneName')?.value;
  return offset === undefined ? browserZone() : `${browserZone()} (${offset})`;
}

/**
 * Layout of a calendar panel: shortcuts beside the calendar; below it the time, its zone, the error and the buttons.
 */
export function PanelFrame({
  shortcuts,
  calendar,
  clocks,
  zoneAt,
  problem,
  onApply,
  onCancel,
}: {
  readonly shortcuts: readonly PanelShortcut[];
  readonly calendar: ReactNode;
  readonly clocks?: ReactNode;
  /** Instant whose time zone is shown; absent for days without a time. */
  readonly zoneAt?: Date;
  readonly problem: string | null;
  /** Absent when choosing a day applies it at once. */
  readonly onApply?: () => void;
  readonly onCancel: () => void;
}) {
  const t = useT();
  return (
    <div className="flex max-sm:flex-col">
      {shortcuts.length > 0 && (
        <div
          role="group"
          aria-label={t('dates:shortcuts')}
          className="flex shrink-0 flex-col gap-0.5 border-line p-2 max-sm:flex-row max-sm:flex-wrap max-sm:border-b sm:border-r"
        >
          {shortcuts.map(({ label, values, run }) => (
            <Button
              key={t(label, values)}
              kind="text"
              className="justify-start! max-sm:min-h-9!"
              onClick={run}
            >
              {t(label, values)}
            </Button>
          ))}
        </div>
      )}
      <div className="grid justify-items-center p-3">
        {calendar}
        <div className="mt-2 grid w-full gap-2 sm:w-[252px]">
          {clocks}
          {zoneAt && <p className="text-meta text-ink-3">{t('dates:zone', { zone: zoneOf(zoneAt) })}</p>}
          <p role="alert" className="flex items-start gap-1 text-meta text-danger empty:hidden">
            {problem !== null && (
              <>
                <CircleAlert className="mt-px size-[14px]" aria-hidden />
                <span className="min-w-0">{problem}</span>
              </>
            )}
          </p>
          <div className="flex justify-end gap-2">
            <Button className="max-sm:min-h-9!" onClick={onCancel}>
              {t('ui:cancel')}
            </Button>
            {onApply && (
              <Button kind="primary" className="max-sm:min-h-9!" onClick={onApply}>
                {t('dates:apply')}
              </Button>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}
