import { visible, VisibleText } from '#/ui/visible-text';
import type { Hit } from './hits';
import { partsOf } from './marked';

/** Keeps the height of an empty line. */
const BLANK = '\u00A0';

/** A line with its matches marked. Hidden characters show as codes, as everywhere. */
export function MarkedLine({ hit }: { readonly hit: Pick<Hit, 'line' | 'matches'> }) {
  return (
    <bdi>
      {partsOf(hit.line, hit.matches).map(({ text, isMatch, from }) =>
        isMatch ? (
          <mark key={from} className="rounded-1 bg-warn text-ink-inverse">
            {visible(text)}
          </mark>
        ) : (
          <span key={from}>{visible(text)}</span>
        ),
      )}
    </bdi>
  );
}

function Around({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line, place) => (
    // A line has no identity other than its place.
    // oxlint-disable-next-line react/no-array-index-key
    <span key={place} className="block text-ink-3">
      <VisibleText text={line === '' ? BLANK : line} />
    </span>
  ));
}

/** The line of a hit between the lines before and after it, as on a terminal. Long lines wrap. */
export function HitExcerpt({ hit }: { readonly hit: Hit }) {
  return (
    <pre
      data-theme="dark"
      className="min-w-0 rounded-2 border border-line bg-term-bg px-2.5 py-1.5 font-mono text-meta [overflow-wrap:anywhere] whitespace-pre-wrap text-ink-1"
    >
      <Around lines={hit.before} />
      <span className="block">
        <MarkedLine hit={hit} />
      </span>
      <Around lines={hit.after} />
    </pre>
  );
}
