import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { useWidth } from './use-width';
import { ceilingOf, type Line } from './lines';

/** Until the place is measured. */
const USUAL_WIDTH = 720;
const HEIGHT = 230;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 8;
const PARTS = [0, 1, 2, 3, 4];
/** Width of the name of a day below the chart, in pixels. */
const DAY_WIDTH = 52;

/** Lines over days. The figures of one day are shown above: of today, or of the day under the pointer. */
export function LineChart({
  dates,
  lines,
}: {
  readonly dates: readonly string[];
  readonly lines: readonly Line[];
}) {
  const t = useT();
  const [pointed, setPointed] = useState<number | null>(null);
  const [measured, width] = useWidth(USUAL_WIDTH);
  const last = dates.length - 1;
  const day = Math.min(pointed ?? last, last);
  const top = ceilingOf(Math.max(...lines.flatMap(({ values }) => values), 0));
  const x = (place: number): number => LEFT + (place * (width - LEFT - 8)) / Math.max(last, 1);
  const y = (value: number): number => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil((dates.length * DAY_WIDTH) / (width - LEFT));
  return (
    <figure>
      <figcaption className="flex flex-wrap justify-end gap-x-4 pb-1 text-meta">
        <strong>{dates[day]}</strong>
        {lines.map(({ name, values, tone, dash }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <svg width="20" height="4" className={tone} aria-hidden>
              <path d="M0 2H20" stroke="currentColor" strokeWidth="2" strokeDasharray={dash} />
            </svg>
            {t(name)} <b className="tabular-nums">{(values[day] ?? 0).toLocaleString()}</b>
          </span>
        ))}
      </figcaption>
      <svg
        ref={measured}
        height={HEIGHT}
        className="w-full text-ink-3"
        role="img"
        aria-label={t('dashboard:chart', { from: dates[0], to: dates[last] })}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const share = (event.clientX - box.left - LEFT) / (width - LEFT - 8);
          setPointed(Math.max(0, Math.min(last, Math.round(share * last))));
        }}
        onPointerLeave={() => setPointed(null)}
      >
        {PARTS.map((part) => (
          <g key={part}>
            <path d={`M${LEFT} ${y((top * part) / 4)}H${width - 8}`} stroke="var(--line)" />
            <text x={LEFT - 8} y={y((top * part) / 4) + 4} textAnchor="end" fontSize="12" fill="currentColor">
              {((top * part) / 4).toLocaleString()}
            </text>
          </g>
        ))}
        {dates.map(
          (date, place) =>
            (last - place) % every === 0 && (
              <text
                key={date}
                x={x(place)}
                y={HEIGHT - 6}
                textAnchor={place === last ? 'end' : 'middle'}
                fontSize="12"
                fill="currentColor"
              >
                {date}
              </text>
            ),
        )}
        <path d={`M${x(day)} ${TOP}V${HEIGHT - BOTTOM}`} stroke="currentColor" strokeDasharray="2 3" />
        {lines.map(({ name, values, tone, dash }) => (
          <g key={name} className={tone}>
            <polyline
              points={values.map((value, place) => `${x(place)},${y(value)}`).join(' ')}
              fill="none"
              stroke="currentColor"
              strokeWidth="2"
              strokeDasharray={dash}
            />
            <circle
              cx={x(day)}
              cy={y(values[day] ?? 0)}
              r="4"
              stroke="currentColor"
              strokeWidth="2"
              fill="var(--surface-1)"
            />
          </g>
        ))}
      </svg>
    </figure>
  );
}
