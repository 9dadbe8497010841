import { translate } from '#/lib/i18n';
import { exactStamp, friendlyTime, parseTime } from '#/lib/time';
import { Status, type StatusTone } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import type { AssetRow } from './asset-row';

const TONES: Record<AssetRow['connectivity'], StatusTone> = {
  ok: 'ok',
  failed: 'danger',
  unknown: 'unknown',
};

// i18n: assets:connectivity.*
/** Whether the asset could be reached the last time; the tip says when, and why not. */
export function Connectivity({ row }: { readonly row: AssetRow }) {
  const value = row.connectivity in TONES ? row.connectivity : 'unknown';
  const seen = parseTime(row.date_verified);
  const tip = [seen ? exactStamp(seen) : '', row.connectivity_reason]
    .filter((text) => text !== '')
    .join('\n');
  return (
    <span title={tip === '' ? undefined : tip}>
      <Status tone={TONES[value]}>{translate(`assets:connectivity.${value}`)}</Status>
    </span>
  );
}

/** The same with time and reason in words, for the page of the asset. */
export function ConnectivityFacts({ row }: { readonly row: AssetRow }) {
  const seen = parseTime(row.date_verified);
  return (
    <span className="grid gap-0.5">
      <span className="flex flex-wrap gap-x-2">
        <Connectivity row={row} />
        {seen && (
          <time dateTime={seen.toISOString()} className="text-ink-2">
            {friendlyTime(seen)}
          </time>
        )}
      </span>
      {row.connectivity_reason !== '' && (
        <span className="text-ink-2">
          <VisibleText text={row.connectivity_reason} />
        </span>
      )}
    </span>
  );
}
