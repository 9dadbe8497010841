import { memo, useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { clockText } from '#/lib/clock-text';
import { visible } from '#/ui/visible-text';
import { MomentMark } from './player/MomentMark';
import type { Moment } from './player/moments';

const BARS = 160;
const HEIGHT = 22;

/** Relative activity over the whole recording, in equal intervals, 0–1. */
export function activityBars(bytes: readonly number[], unitMs: number, durationMs: number): number[] {
  const bars = Array.from({ length: BARS }, () => 0);
  if (durationMs <= 0) return bars;
  bytes.forEach((amount, place) => {
    const bar = Math.min(BARS - 1, Math.floor((place * unitMs * BARS) / durationMs));
    bars[bar] = (bars[bar] ?? 0) + amount;
  });
  // A logarithmic scale, so that one burst does not hide all other activity.
  const largest = Math.max(...bars.map((amount) => Math.log1p(amount)), 1);
  return bars.map((amount) => Math.log1p(amount) / largest);
}

/** The marks; not drawn again while the position moves. */
const Marks = memo(function Marks({
  moments,
  durationMs,
}: {
  readonly moments: readonly Moment[];
  readonly durationMs: number;
}) {
  return moments.map((moment) => (
    <span
      key={moment.key}
      aria-hidden
      title={visible(moment.label)}
      className="absolute top-[22px] -ml-1 size-2"
      style={{ left: `${durationMs > 0 ? (100 * moment.ms) / durationMs : 0}%` }}
    >
      <MomentMark kind={moment.kind} />
    </span>
  ));
});

/** Time line of a recording: activity, marks of its moments, and a slider over them. */
export function Timeline({
  durationMs,
  positionMs,
  activity,
  moments,
  onSeek,
}: {
  readonly durationMs: number;
  readonly positionMs: number;
  readonly activity: { readonly unitMs: number; readonly bytes: readonly number[] };
  readonly moments: readonly Moment[];
  readonly onSeek: (ms: number) => void;
}) {
  const t = useT();
  const bars = useMemo(
    () => activityBars(activity.bytes, activity.unitMs, durationMs),
    [activity, durationMs],
  );
  const share = durationMs > 0 ? Math.min(1, positionMs / durationMs) : 0;
  return (
    <div className="relative h-8">
      <svg
        viewBox={`0 0 ${BARS} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="absolute inset-x-0 top-0 h-[22px] w-full"
        aria-hidden
      >
        {bars.map((height, bar) => (
          <rect
            // A bar has no identity other than its position.
            // oxlint-disable-next-line react/no-array-index-key
            key={bar}
            x={bar + 0.15}
            width={0.7}
            y={HEIGHT - Math.max(1, height * HEIGHT)}
            height={Math.max(1, height * HEIGHT)}
            className={bar / BARS < share ? 'fill-accent' : 'fill-line-2'}
          />
        ))}
      </svg>
      <div className="absolute inset-x-0 top-6 h-1 rounded-full bg-line">
        <div className="h-1 rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
      <Marks moments={moments} durationMs={durationMs} />
      <input
        type="range"
        min={0}
        max={Math.max(1, Math.round(durationMs))}
        // The step is fine enough for the slider to match the end of the played part of the chart.
        step={Math.max(50, Math.round(durationMs / 500))}
        value={Math.round(positionMs)}
        aria-label={t('sessions:replay.position')}
        aria-valuetext={`${clockText(positionMs)} / ${clockText(durationMs)}`}
        className="pt-timeline absolute inset-0 h-8 w-full cursor-pointer"
        onChange={(event) => onSeek(Number(event.target.value))}
      />
    </div>
  );
}
