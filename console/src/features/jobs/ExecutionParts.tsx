import { useEffect, useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { ResourceList } from '#/resource/list/ResourceList';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { VisibleText } from '#/ui/visible-text';
import { executionPath } from './addresses';
import { useJob } from './api';
import { hostsOf } from './host.resource';
import { JobActions } from './JobActions';
import { JobFacts } from './JobFacts';
import { JobLog } from './JobLog';

/** State, progress and result of an execution while it runs and after it, and what can be done with it. */
export function ExecutionLead({ id }: { readonly id: string }) {
  const { data: job } = useJob(id);
  const isOpen = job?.is_open;
  useEffect(() => {
    // The rest of the page shows what has ended.
    if (isOpen === false)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'job' });
  }, [isOpen]);
  return (
    <Card>
      {job ? (
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 grow">
            <JobFacts job={job} />
          </div>
          <div className="flex flex-wrap gap-2">
            <JobActions job={job} />
          </div>
        </div>
      ) : (
        <SkeletonLines lines={2} />
      )}
    </Card>
  );
}

export function ExecutionHosts({ id }: { readonly id: string }) {
  const resource = useMemo(() => hostsOf(id), [id]);
  return <ResourceList resource={resource} embedded />;
}

export function ExecutionLog({ id }: { readonly id: string }) {
  return (
    <div className="h-[60vh] min-h-72">
      <JobLog job={id} />
    </div>
  );
}

interface WithHosts {
  readonly id: string;
  readonly stat: { readonly success: number; readonly failed: number };
  readonly last_success: readonly string[];
  readonly last_failure: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

const SHOWN = 8;

/** Hosts of an execution that failed, with the reason, and those that succeeded. */
export function HostCards({ of }: { readonly of: WithHosts }) {
  const t = useT();
  const failed = Object.entries(of.last_failure);
  const all = `${executionPath(of.id)}?activeTab=hosts`;
  const more = (shown: number, number: number) =>
    number > shown && (
      <AppLink to={all} className="pt-link">
        {t('jobs:hosts.more', { count: number - shown })}
      </AppLink>
    );
  return (
    <>
      {of.stat.failed > 0 && (
        <Card title={t('jobs:hosts.failed', { count: of.stat.failed })}>
          <ul className="grid gap-2">
            {failed.slice(0, SHOWN).map(([host, tasks]) => (
              <li key={host}>
                <strong className="font-medium">
                  <VisibleText text={host} />
                </strong>
                {Object.entries(tasks).map(([task, why]) => (
                  <p key={task} className="text-ink-2 [overflow-wrap:anywhere]">
                    <VisibleText text={why['msg'] ?? ''} />
                  </p>
                ))}
              </li>
            ))}
          </ul>
          {more(Math.min(SHOWN, failed.length), of.stat.failed)}
        </Card>
      )}
      {of.stat.success > 0 && (
        <Card title={t('jobs:hosts.succeeded', { count: of.stat.success })}>
          <p className="[overflow-wrap:anywhere]">
            <VisibleText text={of.last_success.slice(0, SHOWN).join(', ')} />{' '}
            {more(Math.min(SHOWN, of.last_success.length), of.stat.success)}
          </p>
        </Card>
      )}
    </>
  );
}
