import { Copy, ListChecks } from 'lucide-react';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { Button, IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { Status } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { type Group, type Host, SHOWN_HOSTS, useHostsOf, useOutput } from './api';
import { toneOf, wordsOf } from './group-words';

/** More hosts than one command takes. */
const ALL = 10_000;

async function allOf(id: string, group: string): Promise<readonly Host[]> {
  const page = await http.get<{ readonly results: readonly Host[] }>(`ops/command-executions/${id}/hosts/`, {
    query: { group, limit: ALL, offset: 0 },
  });
  return page.results;
}

/** The whole output of one host. */
function Output({ id, host }: { readonly id: string; readonly host: Host }) {
  const t = useT();
  const { data, error } = useOutput(id, host.id);
  if (error && !data) return <Note tone="danger">{explain(error)}</Note>;
  if (!data) return <SkeletonLines lines={4} />;
  return (
    <section
      aria-label={t('batch-results:output_of', { host: host.hostname })}
      data-theme="dark"
      className="grid min-w-0 content-start gap-2 bg-term-bg p-3 text-ink-1"
    >
      <header className="flex items-center gap-2 font-mono text-meta text-ink-3">
        <span className="min-w-0 grow truncate">
          <VisibleText text={host.hostname} /> {host.ip}
        </span>
        {data.output !== '' && (
          <IconButton
            icon={Copy}
            kind="text"
            size="sm"
            label={t('batch-results:copy_output')}
            onClick={() => void copyText(data.output)}
          />
        )}
      </header>
      {data.is_cut && data.state !== 'ended' && <Note>{t('batch-results:cut_open')}</Note>}
      {data.message !== '' && (
        <p className="[overflow-wrap:anywhere]">
          <VisibleText text={data.message} />
        </p>
      )}
      {data.output === '' ? (
        <p className="text-ink-3">{t('batch-results:nothing_shown')}</p>
      ) : (
        // It scrolls, so the keyboard must reach it.
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="max-h-[60vh] overflow-auto font-mono text-meta whitespace-pre"
        >
          {data.output}
        </pre>
      )}
      {data.is_cut && data.state === 'ended' && <Note>{t('batch-results:cut')}</Note>}
    </section>
  );
}

function HostItem({
  host,
  isCurrent,
  onChoose,
}: {
  readonly host: Host;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        data-selected={isCurrent || undefined}
        className="pt-item w-full text-left hover:bg-surface-3"
        onClick={onChoose}
      >
        <span className="min-w-0 grow truncate">
          <VisibleText text={host.hostname} />
        </span>
        <span className={`font-mono text-meta ${isCurrent ? '' : 'text-ink-3'}`}>{host.ip}</span>
        {host.seconds !== null && (
          <span className={`text-meta tabular-nums ${isCurrent ? '' : 'text-ink-3'}`}>
            {friendlyDuration(host.seconds)}
          </span>
        )}
      </button>
    </li>
  );
}

/** The hosts of one group, and what the chosen one has shown. */
export function GroupView({
  id,
  group,
  onChooseHosts,
}: {
  readonly id: string;
  readonly group: Group;
  readonly onChooseHosts?: (hosts: readonly Host[]) => void;
}) {
  const t = useT();
  const [chosen, setChosen] = useState<number | null>(null);
  const { data, error } = useHostsOf(id, group.key, group.hosts_amount);
  const hosts = data?.results ?? [];
  const current = hosts.find((host) => host.id === chosen) ?? hosts[0];
  const withAll = (use: (allHosts: readonly Host[]) => void) =>
    // The http client has reported a failure.
    void allOf(id, group.key).then(use, () => undefined);
  return (
    <section aria-label={t('batch-results:group')} className="pt-card min-w-0 self-start overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-1.5">
        <h2 className="text-lead">
          <Status tone={toneOf(group)}>{wordsOf(group)}</Status>
        </h2>
        <span className="grow text-ink-3">{t('batch-results:hosts', { count: group.hosts_amount })}</span>
        <Button
          kind="text"
          size="sm"
          icon={Copy}
          onClick={() =>
            withAll((allHosts) => void copyText(allHosts.map((host) => host.hostname).join('\n')))
          }
        >
          {t('batch-results:copy_names')}
        </Button>
        {onChooseHosts && (
          <Button size="sm" icon={ListChecks} onClick={() => withAll(onChooseHosts)}>
            {t('batch-results:choose')}
          </Button>
        )}
      </header>
      {error && !data && <Note tone="danger">{explain(error)}</Note>}
      <div className="grid min-w-0 md:grid-cols-[minmax(200px,280px)_minmax(0,1fr)]">
        <div className="max-h-[60vh] overflow-y-auto p-1">
          <ul>
            {hosts.map((host) => (
              <HostItem
                key={host.id}
                host={host}
                isCurrent={host.id === current?.id}
                onChoose={() => setChosen(host.id)}
              />
            ))}
          </ul>
          {data && data.count > SHOWN_HOSTS && (
            <p className="px-3 py-1 text-meta text-ink-3">
              {t('batch-results:more_hosts', { shown: SHOWN_HOSTS, total: data.count })}
            </p>
          )}
        </div>
        {current ? <Output key={current.id} id={id} host={current} /> : <SkeletonLines lines={4} />}
      </div>
    </section>
  );
}
