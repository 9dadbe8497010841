import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { TextInput } from '#/ui/field';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Status } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { type Group, type Host, useGroups } from './api';
import { type Part, partOf, tellingLine, toneOf, wordsOf } from './group-words';
import { GroupView } from './GroupView';

const PARTS: readonly Part[] = ['failed', 'done', 'open'];

/** Keys of the groups of hosts whose name or address has the text. */
function useGroupsOfHosts(id: string, text: string): ReadonlySet<string> {
  const { data } = useQuery({
    queryKey: ['batch', id, 'find', text],
    queryFn: ({ signal }) =>
      http.get<{ readonly results: readonly Host[] }>(`ops/command-executions/${id}/hosts/`, {
        query: { search: text, limit: 100, offset: 0 },
        signal,
        quiet: true,
      }),
    enabled: text !== '',
  });
  return new Set((data?.results ?? []).map((host) => host.group));
}

function holds(group: Group, text: string): boolean {
  const wanted = text.toLowerCase();
  return [group.output, group.message, ...group.hostnames].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

/** A group as a line of the list: how it ended, of how many hosts, and the line of what they showed that says most. */
function GroupItem({
  group,
  isCurrent,
  onChoose,
}: {
  readonly group: Group;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}) {
  const line = tellingLine(group, group.output) || group.message;
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        data-selected={isCurrent || undefined}
        className="pt-item w-full text-left hover:bg-surface-3"
        onClick={onChoose}
      >
        <span className="grid min-w-0 grow gap-0.5">
          <span className="truncate font-medium">
            <Status tone={toneOf(group)}>{wordsOf(group)}</Status>
          </span>
          <span className={`truncate font-mono text-meta ${isCurrent ? '' : 'text-ink-3'}`}>
            <VisibleText text={line || group.hostnames.join(', ')} />
          </span>
        </span>
        <span className={`tabular-nums ${isCurrent ? '' : 'text-ink-2'}`}>
          {group.hosts_amount.toLocaleString('en')}
        </span>
      </button>
    </li>
  );
}

function GroupList({
  groups,
  current,
  onChoose,
}: {
  readonly groups: readonly Group[];
  readonly current: string | null;
  readonly onChoose: (key: string) => void;
}) {
  const t = useT();
  const titles: Record<Part, string> = {
    failed: t('batch-results:failed'),
    done: t('batch-results:done'),
    open: t('batch-results:open'),
  };
  return PARTS.map((part) => {
    const some = groups.filter((group) => partOf(group) === part);
    if (some.length === 0) return null;
    const amount = some.reduce((sum, group) => sum + group.hosts_amount, 0);
    return (
      <section key={part} aria-label={titles[part]} className="border-t border-line p-1 first:border-t-0">
        <h2 className="px-2 py-1 text-meta text-ink-3">
          {titles[part]} <span className="tabular-nums">{amount.toLocaleString('en')}</span>
        </h2>
        <ul>
          {some.map((group) => (
            <GroupItem
              key={group.key}
              group={group}
              isCurrent={group.key === current}
              onChoose={() => onChoose(group.key)}
            />
          ))}
        </ul>
      </section>
    );
  });
}

export interface ResultsProps {
  readonly id: string;
  readonly isOpen: boolean;
  /** Takes the hosts of a group over, to run another command on them. */
  readonly onChooseHosts?: (hosts: readonly Host[]) => void;
}

/** What a batch command showed: groups of hosts with equal outputs, failed ones first; the page costs as much for 500 hosts. */
export function Results({ id, isOpen, onChooseHosts }: ResultsProps) {
  const t = useT();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim());
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error, refetch } = useGroups(id, isOpen);
  const withHost = useGroupsOfHosts(id, wanted);
  if (error && !data)
    return (
      <FailedState
        title={t('batch-results:not_loaded')}
        message={explain(error)}
        requestId={requestIdOf(error)}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <SkeletonLines lines={6} />;
  const groups =
    wanted === '' ? data : data.filter((group) => holds(group, wanted) || withHost.has(group.key));
  const current = groups.find((group) => group.key === chosen) ?? groups[0];
  return (
    <div className="grid min-h-0 gap-3 md:grid-cols-[minmax(200px,280px)_minmax(0,1fr)]">
      <nav aria-label={t('batch-results:groups')} className="pt-card self-start overflow-hidden">
        <div className="border-b border-line p-2">
          <TextInput
            type="search"
            aria-label={t('batch-results:find')}
            placeholder={t('batch-results:find')}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <div className="max-h-[60vh] overflow-y-auto">
          {groups.length === 0 ? (
            <p role="status" className="p-3 text-ink-3">
              {t(wanted === '' ? 'batch-results:no_groups' : 'batch-results:nothing_found')}
            </p>
          ) : (
            <GroupList groups={groups} current={current?.key ?? null} onChoose={setChosen} />
          )}
        </div>
      </nav>
      {current && <GroupView key={current.key} id={id} group={current} onChooseHosts={onChooseHosts} />}
    </div>
  );
}
