import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Maximize2, X } from 'lucide-react';
import { useCallback } from 'react';
import { CommandText } from '#/domain/commands/CommandText';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { exactStamp, parseTime } from '#/lib/time';
import { IconButton } from '#/ui/button';
import { Definitions } from '#/ui/card';
import { LinkButton } from '#/ui/link';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { visible } from '#/ui/visible-text';
import { lastCommandsQuery, sessionQuery, type SessionRow } from './api';
import { SteerButtons } from './SteerButtons';
import { WatchView } from './WatchView';

function LastCommands({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const rows = useQuery(lastCommandsQuery(session.id)).data?.results ?? [];
  return (
    <section aria-label={t('sessions:preview.last')} className="border-t border-line px-3.5 py-2.5">
      <h3 className="text-lead">{t('sessions:preview.last')}</h3>
      {rows.length === 0 && <p className="text-ink-3">{t('sessions:no_commands')}</p>}
      <ul>
        {rows.map((command) => (
          <li key={command.id} className="min-h-6 truncate" title={visible(command.input)}>
            <CommandText command={command} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Facts that the screen does not show. i18n: sessions:recording.* */
function Facts({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const start = parseTime(session.date_start);
  const recording =
    session.recording_state === 'none'
      ? t('sessions:replay.none')
      : t(`sessions:recording.${session.recording_state}`);
  return (
    <div className="border-t border-line [&_dl]:grid-cols-1">
      <Definitions
        items={[
          {
            label: t('sessions:field.remote_addr'),
            value: session.remote_addr && <span className="font-mono text-meta">{session.remote_addr}</span>,
          },
          { label: t('sessions:field.login_from'), value: session.login_from_display },
          { label: t('sessions:field.date_start'), value: start && exactStamp(start) },
          ...(session.is_locked ? [{ label: t('sessions:field.locked_by'), value: session.locked_by }] : []),
          { label: t('sessions:commands'), value: String(session.command_amount) },
          { label: t('sessions:preview.recording'), value: recording },
        ]}
      />
    </div>
  );
}

function Picture({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const client = useQueryClient();
  const ended = useCallback(() => {
    void client.invalidateQueries({ queryKey: ['terminal/sessions'] });
  }, [client]);
  // A session that has ended stays, with its end reason, until the person chooses another.
  if (session.is_finished) {
    return (
      <div className="p-3.5">
        <Note tone="info">{session.end_reason_display || t('sessions:watch.over')}</Note>
      </div>
    );
  }
  if (!session.can_join) return <p className="p-3.5 text-ink-3">{t('sessions:watch.cannot_why')}</p>;
  return (
    <div className="h-72 [&_section]:min-h-0 [&_section]:rounded-none [&_section]:border-0">
      <WatchView key={session.id} session={session} onEnded={ended} />
    </div>
  );
}

function Actions({ session }: { readonly session: SessionRow }) {
  const t = useT();
  return (
    <div className="flex flex-wrap gap-2 border-t border-line px-3.5 py-2.5">
      <LinkButton size="sm" to={paths.session(session.id)} icon={Maximize2}>
        {t(session.is_finished ? 'sessions:action.replay' : 'sessions:preview.open')}
      </LinkButton>
      {!session.is_finished && <SteerButtons session={session} size="sm" />}
    </div>
  );
}

/** One session beside the list: its current screen, the possible actions, and the facts. */
export function SessionPreview({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useT();
  const session = useQuery(sessionQuery(id));
  const row = session.data;
  return (
    <aside
      aria-label={t('sessions:preview.title')}
      className="pt-card sticky top-2 w-[408px] flex-none self-start overflow-hidden"
    >
      <header className="flex min-h-11 items-center gap-2 px-3.5 py-1.5">
        <span className="min-w-0 grow">
          <span className="block truncate text-lead">
            {row ? visible(row.user) : t('sessions:preview.title')}
          </span>
          {row && (
            <span className="block truncate text-meta text-ink-2">
              {visible(`${row.system_user} @ ${row.asset}`)}
            </span>
          )}
        </span>
        <IconButton icon={X} kind="text" size="sm" label={t('sessions:preview.close')} onClick={onClose} />
      </header>
      {session.isPending && <SkeletonLines lines={8} />}
      {session.isError && (
        <FailedState
          title={t('sessions:not_loaded')}
          message={explain(session.error)}
          onRetry={() => void session.refetch()}
        />
      )}
      {row && (
        <>
          <Picture session={row} />
          <Actions session={row} />
          <Facts session={row} />
          {!row.is_finished && <LastCommands session={row} />}
        </>
      )}
    </aside>
  );
}
