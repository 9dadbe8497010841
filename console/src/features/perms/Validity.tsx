import { translate } from '#/lib/i18n';
import { exactTime, isEndless, minuteStamp, parseTime } from '#/lib/time';
import { Missing, Status } from '#/ui/status';
import { type ValidityFacts, validityOf } from './validity';

/** State of a permission, in one word. */
export function Validity({ row }: { readonly row: ValidityFacts }) {
  const { tone, key, count } = validityOf(row);
  // i18n: perms:state.*
  return <Status tone={tone}>{translate(`perms:state.${key}`, { count: count ?? 0 })}</Status>;
}

const DATE_LENGTH = 'YYYY-MM-DD'.length;

/** The day on which a permission ends, or “no end”. The tooltip has the exact time. */
export function Until({ value }: { readonly value: string }) {
  const end = parseTime(value);
  if (!end) return <Missing />;
  return (
    <time dateTime={end.toISOString()} title={exactTime(end)} className="tabular-nums">
      {isEndless(end) ? translate('resource:no_end') : minuteStamp(end).slice(0, DATE_LENGTH)}
    </time>
  );
}
