import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CircleDot, CircleStop, Link2, Stamp, TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ReplayPlayer } from '#/islands/replay/player';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useMay } from '#/lib/session';
import { exactTime, friendlyDuration, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { Card, Definitions } from '#/ui/card';
import { copyText } from '#/ui/clipboard';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { Badge } from '#/ui/status';
import { Tabs, type Tab } from '#/ui/tabs';
import { commandsQuery, isRecordingOnItsWay, replayQuery, sessionQuery, type SessionRow } from './api';
import { clockText, startFromAddress } from './clock-text';
import { CommandPanel } from './CommandPanel';
import { CommandTable } from './CommandTable';
import { EvidenceCard } from './EvidenceCard';
import { ReplayView } from './ReplayView';
import { confirmTerminate } from './terminate';
import { usePlayerState } from './use-player';
import { useTab } from './use-tab';
import { WatchView } from './WatchView';

export function SessionDetailPage() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const session = useQuery(sessionQuery(id));
  if (session.isPending) return <SkeletonLines />;
  if (session.isError) {
    return (
      <FailedState
        heading="h1"
        title={t('sessions:not_loaded')}
        message={explain(session.error)}
        onRetry={() => void session.refetch()}
      />
    );
  }
  return <SessionDetail key={id} session={session.data} />;
}

/** i18n: sessions:recording.* */
function RecordingBadge({ state }: { readonly state: SessionRow['recording_state'] }) {
  const t = useT();
  if (state === 'none') return null;
  const look = {
    recording: { tone: 'info', icon: CircleDot },
    sealed: { tone: 'ok', icon: Stamp },
    incomplete: { tone: 'warn', icon: TriangleAlert },
    lost: { tone: 'danger', icon: TriangleAlert },
  } as const;
  return (
    <Badge tone={look[state].tone} icon={look[state].icon}>
      {t(`sessions:recording.${state}`)}
    </Badge>
  );
}

function SessionDetail({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const client = useQueryClient();
  const mayTerminate = useMay('admin');
  const [player, setPlayer] = useState<ReplayPlayer | null>(null);
  const [tab, setTab] = useTab(session.is_finished ? 'replay' : 'watch');
  const commands = useQuery(commandsQuery(session.id, !session.is_finished));
  const rows = commands.data?.results ?? [];
  const count = commands.data?.count ?? session.command_amount;

  const ended = useCallback(() => {
    void client.invalidateQueries({ queryKey: ['terminal/sessions'] });
  }, [client]);

  const tabs: Tab[] = [
    ...(session.is_finished
      ? [
          {
            id: 'replay',
            label: t('sessions:tab.replay'),
            content: (
              <ReplayTab
                session={session}
                commands={rows}
                commandCount={count}
                player={player}
                onPlayer={setPlayer}
              />
            ),
          },
        ]
      : [
          {
            id: 'watch',
            label: t('sessions:tab.watch'),
            content: (
              <div className="grid h-[calc(100dvh-var(--frame,44px)-124px)] min-h-105 grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,1fr)_340px]">
                {session.can_join ? (
                  <WatchView session={session} onEnded={ended} />
                ) : (
                  <StateView drawing="empty" title={t('sessions:watch.cannot')}>
                    {t('sessions:watch.cannot_why')}
                  </StateView>
                )}
                <CommandPanel commands={rows} count={count} positionMs={Infinity} onSeek={() => undefined} />
              </div>
            ),
          },
        ]),
    { id: 'info', label: t('sessions:tab.info'), content: <InfoTab session={session} /> },
    {
      id: 'commands',
      label: t('sessions:tab.commands'),
      count,
      content: (
        <CommandTable
          commands={commands.data?.results}
          onSeek={
            session.can_replay
              ? (ms) => {
                  setTab('replay');
                  void player?.seek(ms);
                  history.replaceState(history.state, '', `?t=${ms / 1000}`);
                }
              : null
          }
        />
      ),
    },
  ];

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader
        title={t('sessions:title', { user: session.user, asset: session.asset })}
        back={{ to: paths.sessions(), label: t('nav:session_list') }}
        aside={
          <>
            <Badge>{session.protocol.toUpperCase()}</Badge>
            <RecordingBadge state={session.recording_state} />
            {session.is_finished && session.end_reason_display !== '' && (
              <span className="text-ink-2">{session.end_reason_display}</span>
            )}
          </>
        }
        actions={
          <>
            {session.is_finished && session.can_replay && <CopyLink player={player} />}
            {!session.is_finished && (
              <Button
                kind="danger"
                icon={CircleStop}
                disabledReason={mayTerminate ? undefined : t('sessions:terminate.needs_admin')}
                onClick={() => void confirmTerminate([session])}
              >
                {t('sessions:terminate.action')}
              </Button>
            )}
          </>
        }
      />
      {session.recording_state === 'incomplete' && (
        <Note tone="warn">{t('sessions:recording.incomplete_why')}</Note>
      )}
      {session.recording_state === 'lost' && <Note tone="danger">{t('sessions:recording.lost_why')}</Note>}
      <Tabs label={t('nav:session_detail')} tabs={tabs} selected={tab} onSelect={setTab} />
    </div>
  );
}

function CopyLink({ player }: { readonly player: ReplayPlayer | null }) {
  const t = useT();
  const { positionMs } = usePlayerState(player);
  return (
    <Button
      icon={Link2}
      onClick={() => {
        const address = new URL(location.href);
        address.searchParams.set('t', String(Math.floor(positionMs / 1000)));
        void copyText(address.href);
      }}
    >
      {t('sessions:copy_link', { time: clockText(positionMs) })}
    </Button>
  );
}

function ReplayTab({
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
        <CommandPanel
          commands={commands}
          count={commandCount}
          positionMs={positionMs}
          onSeek={(ms) => void player?.seek(ms)}
        />
        <EvidenceCard sessionId={session.id} replay={replay.data} />
      </div>
    </div>
  );
}

function InfoTab({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const start = parseTime(session.date_start);
  const end = parseTime(session.date_end);
  return (
    <Card flush>
      <Definitions
        items={[
          {
            label: t('sessions:field.user'),
            value: <AppLink to={paths.user(session.user_id)}>{session.user}</AppLink>,
          },
          {
            label: t('sessions:field.asset'),
            value: <AppLink to={paths.asset(session.asset_id)}>{session.asset}</AppLink>,
          },
          { label: t('sessions:field.system_user'), value: session.system_user },
          { label: t('sessions:field.login_name'), value: session.login_name },
          { label: t('sessions:field.target'), value: session.target_address },
          { label: t('sessions:field.protocol'), value: session.protocol },
          { label: t('sessions:field.login_from'), value: session.login_from_display },
          { label: t('sessions:field.remote_addr'), value: session.remote_addr },
          { label: t('sessions:field.date_start'), value: start && exactTime(start) },
          { label: t('sessions:field.date_end'), value: end && exactTime(end) },
          {
            label: t('sessions:field.duration'),
            value: session.duration_s === null ? null : friendlyDuration(session.duration_s),
          },
          { label: t('sessions:field.end_reason'), value: session.end_reason_display },
          { label: t('sessions:field.id'), value: <code className="font-mono text-meta">{session.id}</code> },
        ]}
      />
    </Card>
  );
}
