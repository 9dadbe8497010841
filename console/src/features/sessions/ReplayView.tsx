import type { CommandRow } from '#/domain/commands/command-row';
import { Expand, Shrink } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Recording } from '#/islands/replay/container';
import type { PlayerState, ReplayPlayer } from '#/islands/replay/player';
import { ReplayScreen } from '#/islands/replay/ReplayScreen';
import { useT } from '#/lib/i18n';
import { friendlyDuration, parseTime } from '#/lib/time';
import { IconButton } from '#/ui/button';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import type { Replay, SessionRow } from './api';
import { MomentButtons } from './player/MomentButtons';
import { useMoments } from './player/use-moments';
import { ReplayControls } from './ReplayControls';
import { StreamAccounts } from './StreamAccounts';
import { Timeline } from './Timeline';
import { usePlayerState } from './use-player';
import { useRecording } from './use-recording';
import { Watermark } from './Watermark';

const KEY_STEP_MS = 5_000;
const SKIPPED_SHOWN_MS = 2_000;

/** Whether the element fills the screen. */
function useFullScreen(frame: RefObject<HTMLElement | null>): boolean {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const follow = (): void => setFull(document.fullscreenElement === frame.current);
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, [frame]);
  return isFull;
}

/** Key handler of the player as a whole; keys of its controls are left to them. */
function playerKeys(player: ReplayPlayer | null, positionMs: number, durationMs: number) {
  const seek = (ms: number): void => void player?.seek(ms);
  const actions: Partial<Record<string, () => void>> = {
    ' ': () => player?.toggle(),
    ArrowRight: () => seek(positionMs + KEY_STEP_MS),
    ArrowLeft: () => seek(positionMs - KEY_STEP_MS),
    Home: () => seek(0),
    End: () => seek(durationMs),
  };
  return (event: KeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
}

/** Who and where, the size of the recorded screen, and the button for full screen. */
function Heading({
  session,
  recording,
  frame,
}: {
  readonly session: SessionRow;
  readonly recording: Recording;
  readonly frame: RefObject<HTMLElement | null>;
}) {
  const t = useT();
  const isFull = useFullScreen(frame);
  return (
    <header className="flex min-h-9 items-center gap-2 border-b border-line bg-surface-1 px-3">
      <span className="min-w-0 grow truncate font-mono text-meta text-ink-2">
        {session.login_name || session.system_user}@{session.asset} ·{' '}
        {recording.isProgram
          ? t('sessions:replay.no_terminal')
          : `${recording.header.columns}×${recording.header.rows}`}
      </span>
      <IconButton
        icon={isFull ? Shrink : Expand}
        kind="text"
        size="sm"
        label={t(isFull ? 'sessions:replay.leave_full' : 'sessions:replay.full')}
        onClick={() => void (isFull ? document.exitFullscreen() : frame.current?.requestFullscreen())}
      />
    </header>
  );
}

/** Time line with its moments, and the controls below it. */
function TimeBar({
  session,
  recording,
  commands,
  player,
  state,
}: {
  readonly session: SessionRow;
  readonly recording: Recording;
  readonly commands: readonly CommandRow[];
  readonly player: ReplayPlayer | null;
  readonly state: PlayerState;
}) {
  const { durationMs } = recording;
  const { positionMs } = state;
  const moments = useMoments(session, recording, commands);
  const began = parseTime(recording.header.started_at) ?? parseTime(session.date_start);
  const seek = (ms: number): void => void player?.seek(ms);
  return (
    <div className="border-t border-line bg-surface-1 px-3 py-2">
      <Timeline
        durationMs={durationMs}
        positionMs={positionMs}
        activity={recording.activity}
        moments={moments}
        onSeek={seek}
      />
      <ReplayControls player={player} state={state} durationMs={durationMs} began={began} onSeek={seek} />
      {moments.length > 0 && <MomentButtons moments={moments} positionMs={positionMs} onSeek={seek} />}
    </div>
  );
}

/** The player: terminal, time line, controls. `onPlayer` passes the player to the command list beside it. */
export function ReplayView({
  session,
  replay,
  commands,
  startMs,
  onPlayer,
}: {
  readonly session: SessionRow;
  readonly replay: Replay;
  readonly commands: readonly CommandRow[];
  readonly startMs: number;
  readonly onPlayer: (player: ReplayPlayer | null) => void;
}) {
  const t = useT();
  const { recording, failure, reopen } = useRecording(replay.src);
  const [player, setPlayer] = useState<ReplayPlayer | null>(null);
  const frame = useRef<HTMLElement>(null);
  const state = usePlayerState(player);

  const take = useCallback(
    (made: ReplayPlayer | null) => {
      setPlayer(made);
      onPlayer(made);
      // A replay starts by itself; a link to a position stays paused there.
      if (startMs === 0) made?.play();
    },
    [onPlayer, startMs],
  );

  const problem = failure ?? state.error;
  if (problem) {
    return (
      <div className="self-center">
        <FailedState
          title={t('sessions:replay.failed')}
          message={t('sessions:replay.failed_why', { reason: problem.message })}
          onRetry={reopen}
        />
      </div>
    );
  }
  if (!recording) return <SkeletonLines lines={12} />;
  if (!recording.isPlayable)
    return (
      <div className="self-center">
        <StateView drawing="empty" title={t('sessions:replay.not_playable')}>
          {t('sessions:replay.not_playable_why')}
        </StateView>
      </div>
    );

  const durationMs = recording.durationMs;
  const onKey = playerKeys(player, state.positionMs, durationMs);
  return (
    // The player is one control: space and arrow keys work anywhere in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={frame}
      aria-label={t('sessions:replay.player')}
      data-theme="dark"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={onKey}
      className="pt-card flex h-full min-h-96 flex-col overflow-hidden bg-term-bg text-ink-1"
    >
      <Heading session={session} recording={recording} frame={frame} />
      {recording.isNewer && (
        <p role="status" className="border-b border-line bg-surface-1 px-3 py-1 text-meta text-ink-2">
          {t('sessions:replay.newer')}
        </p>
      )}
      <div className="relative min-h-0 grow p-2">
        <ReplayScreen recording={recording} startMs={startMs} onPlayer={take} />
        <Watermark />
        {state.skippedMs > SKIPPED_SHOWN_MS && (
          <p
            role="status"
            className="absolute right-3 bottom-3 rounded-2 border border-line-2 bg-surface-1 px-2 py-1 text-meta text-ink-2"
          >
            {t('sessions:replay.skipped', { duration: friendlyDuration(state.skippedMs / 1000) })}
          </p>
        )}
      </div>
      <StreamAccounts recording={recording} />
      <TimeBar session={session} recording={recording} commands={commands} player={player} state={state} />
    </section>
  );
}
