import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react';
import { type PlayerState, type ReplayPlayer, SPEEDS } from '#/islands/replay/player';
import { useT } from '#/lib/i18n';
import { exactStamp } from '#/lib/time';
import { Button, IconButton } from '#/ui/button';
import { Segmented, Switch } from '#/ui/choice';
import { clockText } from '#/lib/clock-text';

const STEP_MS = 10_000;

/** Controls below the time line: steps, play and pause, position, skipping of idle time, speed. */
export function ReplayControls({
  player,
  state,
  durationMs,
  began,
  onSeek,
}: {
  readonly player: ReplayPlayer | null;
  readonly state: PlayerState;
  readonly durationMs: number;
  readonly began: Date | null;
  readonly onSeek: (ms: number) => void;
}) {
  const t = useT();
  const isPlaying = state.status === 'playing';
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      <IconButton
        icon={RotateCcw}
        kind="text"
        label={t('sessions:replay.back', { count: STEP_MS / 1000 })}
        onClick={() => onSeek(state.positionMs - STEP_MS)}
      />
      <Button
        kind="primary"
        icon={isPlaying ? Pause : Play}
        aria-label={t(isPlaying ? 'sessions:replay.pause' : 'sessions:replay.play')}
        onClick={() => player?.toggle()}
      />
      <IconButton
        icon={RotateCw}
        kind="text"
        label={t('sessions:replay.forward', { count: STEP_MS / 1000 })}
        onClick={() => onSeek(state.positionMs + STEP_MS)}
      />
      <span className="font-mono tabular-nums">
        {clockText(state.positionMs)} <span className="text-ink-3">/ {clockText(durationMs)}</span>
      </span>
      {began && (
        <span className="text-meta text-ink-3 tabular-nums max-sm:hidden">
          {exactStamp(new Date(began.getTime() + state.positionMs))}
        </span>
      )}
      <span className="grow" />
      <Switch checked={state.skipIdle} onChange={(event) => player?.setSkipIdle(event.target.checked)}>
        {t('sessions:replay.skip_idle')}
      </Switch>
      <Segmented
        label={t('sessions:replay.speed')}
        value={String(state.speed)}
        options={SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        onChange={(value) => player?.setSpeed(Number(value))}
      />
    </div>
  );
}
