import { useEffect, useMemo, useState } from 'react';
import type { EndedSession } from '#/islands/terminal/connection';
import { LiveTerminal, type LiveTerminalEvents } from '#/islands/terminal/LiveTerminal';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Status } from '#/ui/status';
import { LockBadge } from './LockBadge';
import { watchToken, type SessionRow, type WatchToken } from './api';
import { Watermark } from './Watermark';

const nothing = (): void => undefined;

/** The current screen of a running session, read-only. */
export function WatchView({
  session,
  onEnded,
}: {
  readonly session: SessionRow;
  readonly onEnded: () => void;
}) {
  const t = useT();
  const [attempt, setAttempt] = useState(0);
  return (
    <section
      aria-label={t('sessions:watch.title')}
      data-theme="dark"
      data-terminal-exit=""
      tabIndex={-1}
      className="pt-card flex h-full min-h-96 flex-col overflow-hidden bg-term-bg text-ink-1"
    >
      <WatchedTerminal
        key={attempt}
        session={session}
        label={t('sessions:watch.label', { asset: session.asset })}
        onEnded={onEnded}
        onAgain={() => setAttempt(attempt + 1)}
      />
    </section>
  );
}

function WatchedTerminal({
  session,
  label,
  onEnded,
  onAgain,
}: {
  readonly session: SessionRow;
  readonly label: string;
  readonly onEnded: () => void;
  readonly onAgain: () => void;
}) {
  const t = useT();
  const [token, setToken] = useState<WatchToken | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [end, setEnd] = useState<EndedSession | null>(null);
  const [isLive, setLive] = useState(false);

  useEffect(() => {
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      try {
        const granted = await watchToken(session.id);
        if (isCurrent) setToken(granted);
      } catch (error) {
        if (isCurrent) setRefusal(explain(error));
      }
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [session.id]);

  const events = useMemo<LiveTerminalEvents>(
    () => ({
      status: (status) => setLive(status === 'open'),
      opened: nothing,
      watching: nothing,
      prompt: nothing,
      notice: nothing,
      latency: nothing,
      pasting: nothing,
      ended: (ended) => {
        setEnd(ended);
        onEnded();
      },
    }),
    [onEnded],
  );

  const words = refusal ?? (end ? end.message || t('sessions:watch.over') : null);
  return (
    <>
      <header className="flex min-h-9 items-center gap-2 border-b border-line bg-surface-1 px-3">
        <span className="min-w-0 grow truncate font-mono text-meta text-ink-2">
          {session.login_name || session.system_user}@{session.asset}
        </span>
        <LockBadge session={session} short />
        <span role="status">
          <Status tone={isLive ? 'ok' : 'unknown'}>
            {t(
              isLive
                ? 'sessions:watch.live'
                : words === null
                  ? 'sessions:watch.joining'
                  : 'sessions:watch.ended',
            )}
          </Status>
        </span>
      </header>
      <div className="relative min-h-0 grow overflow-auto p-2">
        <Watermark />
        {token && (
          <LiveTerminal
            path={token.ws_path}
            token={token.token}
            mode="watch"
            fontSize={13}
            label={label}
            events={events}
          />
        )}
      </div>
      {words !== null && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-2 border-t border-line bg-surface-1 px-3 py-2"
        >
          <p className="min-w-0 grow">{words}</p>
          {!session.is_finished && <Button onClick={onAgain}>{t('sessions:watch.again')}</Button>}
        </div>
      )}
    </>
  );
}
