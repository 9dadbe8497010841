import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReplayPlayer } from '#/islands/replay/player';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { isRecordingOnItsWay, replayQuery, type SessionRow } from './api';
import { startFromAddress } from '#/lib/clock-text';
import { CommandPanel } from './CommandPanel';
import { EvidenceCard } from './EvidenceCard';
import { ReplaySearch } from './player/ReplaySearch';
import { ReplayView } from './ReplayView';
import { usePlayerState } from './use-player';

/** The recording of a finished session, with its commands beside it. */
export function ReplayTab({
  session,
  commands,
  commandCount,
  player,
  onPlayer,
}: {
  readonly session: SessionRow;
  readonly commands: Parameters<typeof CommandPanel>[0]['commands'];
  readonly commandCount: number;
  readonly player: ReplayPlayer | null;
  readonly onPlayer: (player: ReplayPlayer | null) => void;
}) {
  const t = useT();
  const replay = useQuery(replayQuery(session.id, session.can_replay));
  const { positionMs } = usePlayerState(player);
  const [startMs] = useState(() => startFromAddress(location.search) ?? 0);
  if (replay.isPending) return <SkeletonLines lines={12} />;
  if (replay.isError) {
    return (
      <FailedState
        title={t('sessions:replay.failed')}
        message={explain(replay.error)}
        onRetry={() => void replay.refetch()}
      />
    );
  }
  if (replay.data === null) {
    const isOnItsWay = isRecordingOnItsWay(session);
    return (
      <StateView drawing="empty" title={t(isOnItsWay ? 'sessions:replay.sealing' : 'sessions:replay.none')}>
        {t(isOnItsWay ? 'sessions:replay.sealing_why' : 'sessions:replay.none_why')}
      </StateView>
    );
  }
  const seek = (ms: number): void => void player?.seek(ms);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:h-[calc(100dvh-var(--frame,44px)-124px)] lg:min-h-120 lg:grid-cols-[minmax(0,1fr)_340px]">
      <ReplayView
        session={session}
        replay={replay.data}
        commands={commands}
        startMs={startMs}
        onPlayer={onPlayer}
      />
      <div className="grid min-h-0 grid-cols-[minmax(0,1fr)] content-start gap-3 lg:grid-rows-[minmax(0,1fr)_auto]">
        <div className="flex min-h-0 flex-col gap-3">
          <ReplaySearch sessionId={session.id} onSeek={seek} />
          <CommandPanel commands={commands} count={commandCount} positionMs={positionMs} onSeek={seek} />
        </div>
        <EvidenceCard sessionId={session.id} replay={replay.data} />
      </div>
    </div>
  );
}
