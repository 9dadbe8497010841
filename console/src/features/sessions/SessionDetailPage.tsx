import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CircleDot, Link2, Stamp, TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ReplayPlayer } from '#/islands/replay/player';
import type { CommandRow } from '#/domain/commands/command-row';
import { explain } from '#/lib/http/catalogue';
import { NotFoundError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { Badge } from '#/ui/status';
import { Tabs, type Tab } from '#/ui/tabs';
import { commandsQuery, sessionQuery, type SessionRow } from './api';
import { clockText } from '#/lib/clock-text';
import { StartNote } from './player/StartNote';
import { CommandPanel } from './CommandPanel';
import { CommandTable } from './CommandTable';
import { InfoTab } from './InfoTab';
import { HoldBadge } from './HoldBadge';
import { LockBadge } from './LockBadge';
import { ReplayTab } from './ReplayTab';
import { isFileSession, SessionFiles } from './SessionFiles';
import { isForwardSession, SessionForwards } from './SessionForwards';
import { SteerButtons } from './SteerButtons';
import { usePlayerState } from './use-player';
import { useTab } from './use-tab';
import { WatchView } from './WatchView';

export function SessionDetailPage() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const session = useQuery(sessionQuery(id));
  if (session.isPending) return <SkeletonLines />;
  if (session.isError) {
    const gone = session.error instanceof NotFoundError;
    return (
      <FailedState
        heading="h1"
        title={t(gone ? 'sessions:gone' : 'sessions:not_loaded')}
        message={gone ? t('sessions:gone_why') : explain(session.error)}
        onRetry={gone ? undefined : () => void session.refetch()}
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

/** A session that only transfers files or forwards connections has no screen; its page shows those instead. */
function firstTab(session: SessionRow): string {
  if (isForwardSession(session)) return 'forwards';
  if (isFileSession(session)) return 'files';
  return session.is_finished ? 'replay' : 'watch';
}

function SessionDetail({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const client = useQueryClient();
  const [player, setPlayer] = useState<ReplayPlayer | null>(null);
  const [tab, setTab] = useTab(firstTab(session));
  const commands = useQuery(commandsQuery(session.id, !session.is_finished));
  const rows = commands.data?.results ?? [];
  const count = commands.data?.count ?? session.command_amount;

  const ended = useCallback(() => {
    void client.invalidateQueries({ queryKey: ['terminal/sessions'] });
  }, [client]);

  const files: Tab = {
    id: 'files',
    label: t('sessions:tab.files'),
    content: <SessionFiles session={session} />,
  };
  const isOfFiles = isFileSession(session);
  const forwards: Tab = {
    id: 'forwards',
    label: t('sessions:tab.forwards'),
    content: <SessionForwards session={session} />,
  };
  const tabs: Tab[] = [
    ...(isForwardSession(session) ? [forwards] : []),
    ...(isOfFiles ? [files] : []),
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
            content: <WatchTab session={session} commands={rows} count={count} onEnded={ended} />,
          },
        ]),
    { id: 'info', label: t('sessions:tab.info'), content: <InfoTab session={session} /> },
    ...(isOfFiles ? [] : [files]),
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
      <Heading session={session} player={player} />
      {session.recording_state === 'incomplete' && (
        <Note tone="warn">{t('sessions:recording.incomplete_why')}</Note>
      )}
      {session.recording_state === 'lost' && <Note tone="danger">{t('sessions:recording.lost_why')}</Note>}
      {session.is_finished && <StartNote />}
      <Tabs label={t('nav:session_detail')} tabs={tabs} selected={tab} onSelect={setTab} />
    </div>
  );
}

function Heading({
  session,
  player,
}: {
  readonly session: SessionRow;
  readonly player: ReplayPlayer | null;
}) {
  const t = useT();
  return (
    <PageHeader
      title={t('sessions:title', { user: session.user, asset: session.asset })}
      back={{ to: paths.sessions(), label: t('nav:session_list') }}
      aside={
        <>
          <Badge>{session.protocol.toUpperCase()}</Badge>
          <RecordingBadge state={session.recording_state} />
          <LockBadge session={session} />
          <HoldBadge session={session} />
          {session.is_finished && session.end_reason_display !== '' && (
            <span className="text-ink-2">{session.end_reason_display}</span>
          )}
        </>
      }
      actions={
        <>
          {session.is_finished && session.can_replay && <CopyLink player={player} />}
          {!session.is_finished && <SteerButtons session={session} />}
        </>
      }
    />
  );
}

function WatchTab({
  session,
  commands,
  count,
  onEnded,
}: {
  readonly session: SessionRow;
  readonly commands: readonly CommandRow[];
  readonly count: number;
  readonly onEnded: () => void;
}) {
  const t = useT();
  return (
    <div className="grid h-[calc(100dvh-var(--frame,44px)-124px)] min-h-105 grid-cols-[minmax(0,1fr)] gap-3 max-lg:h-auto lg:grid-cols-[minmax(0,1fr)_340px]">
      {session.can_join ? (
        <WatchView session={session} onEnded={onEnded} />
      ) : (
        <StateView drawing="empty" title={t('sessions:watch.cannot')}>
          {t('sessions:watch.cannot_why')}
        </StateView>
      )}
      <CommandPanel commands={commands} count={count} positionMs={Infinity} onSeek={() => undefined} />
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
