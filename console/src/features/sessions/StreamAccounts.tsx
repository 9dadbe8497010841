import { useEffect, useState } from 'react';
import type { Recording } from '#/islands/replay/container';
import { isWholeText, type StreamEnd } from '#/islands/replay/streams';
import { byteText } from '#/lib/byte-text';
import { useT } from '#/lib/i18n';

/** i18n: sessions:streams.* */

/**
 * Totals (bytes and hash) of the streams of a command without a terminal that the recording does not show completely as
 * text.
 */
export function StreamAccounts({ recording }: { readonly recording: Recording }) {
  const t = useT();
  const [ends, setEnds] = useState<readonly StreamEnd[]>([]);
  useEffect(() => {
    let isHere = true;
    recording.streamEnds().then(
      (streamEnds) => isHere && setEnds(streamEnds.filter((end) => !isWholeText(end))),
      // The player reads the same block and reports the failure.
      () => undefined,
    );
    return () => {
      isHere = false;
    };
  }, [recording]);
  if (ends.length === 0) return null;
  return (
    <ul
      aria-label={t('sessions:streams.title')}
      className="border-t border-line bg-surface-1 px-3 py-1 text-meta text-ink-2"
    >
      {ends.map((end) => (
        <li key={end.stream} className="flex flex-wrap gap-x-2">
          <span>{t(`sessions:streams.${end.stream}`)}</span>
          {end.protocol !== '' && <span className="font-mono">{end.protocol}</span>}
          <span className="tabular-nums">
            {end.notKept > 0
              ? t('sessions:streams.not_kept', { size: byteText(end.bytes), missing: byteText(end.notKept) })
              : t('sessions:streams.kept', { size: byteText(end.bytes) })}
          </span>
          <span className="min-w-0 font-mono break-all text-ink-3">SHA-256 {end.sha256}</span>
        </li>
      ))}
    </ul>
  );
}
