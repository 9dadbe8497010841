import { ArrowDown, ArrowDownToLine, ArrowUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { LogTerminal, type LogTerminalHandle } from '#/islands/terminal/LogTerminal';
import type { LogListener } from '#/islands/terminal/log-socket';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { Status } from '#/ui/status';
import { refreshJob } from './api';

type State = Parameters<LogListener['state']>[0];

/** The log of a job as it grows, with a search. */
export function JobLog({ job }: { readonly job: string }) {
  const t = useT();
  const log = useRef<LogTerminalHandle>(null);
  const [state, setState] = useState<State>('waiting');
  const [wanted, setWanted] = useState('');
  const change = (next: State): void => {
    setState(next);
    if (next === 'ended') refreshJob(job);
  };
  const shown = { waiting: t('jobs:log.waiting'), lost: t('jobs:log.lost'), refused: t('jobs:log.refused') };
  const words = state === 'live' || state === 'ended' ? null : shown[state];
  return (
    <section
      aria-label={t('jobs:log.label')}
      data-theme="dark"
      className="pt-card flex h-full min-h-72 flex-col overflow-hidden bg-term-bg text-ink-1"
    >
      <div className="flex items-center gap-1 border-b border-line px-2 py-1.5">
        <input
          type="search"
          className="pt-input min-w-0 grow"
          aria-label={t('jobs:log.find')}
          placeholder={t('jobs:log.find')}
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value);
            log.current?.findNext(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            if (event.shiftKey) log.current?.findPrevious(wanted);
            else log.current?.findNext(wanted);
          }}
        />
        <IconButton
          icon={ArrowUp}
          kind="text"
          size="sm"
          label={t('jobs:log.previous')}
          onClick={() => log.current?.findPrevious(wanted)}
        />
        <IconButton
          icon={ArrowDown}
          kind="text"
          size="sm"
          label={t('jobs:log.next')}
          onClick={() => log.current?.findNext(wanted)}
        />
        <IconButton
          icon={ArrowDownToLine}
          kind="text"
          size="sm"
          label={t('jobs:log.follow')}
          onClick={() => log.current?.follow()}
        />
      </div>
      <p role="status" className="px-3 empty:hidden py-1.5 text-ink-2">
        {words !== null && <Status tone={state === 'waiting' ? 'unknown' : 'warn'}>{words}</Status>}
      </p>
      <div className="min-h-0 grow p-2">
        <LogTerminal ref={log} job={job} label={t('jobs:log.label')} onState={change} />
      </div>
    </section>
  );
}
