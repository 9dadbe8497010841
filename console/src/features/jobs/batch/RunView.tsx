import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import type { Host } from '#/domain/batch-results/api';
import { Results } from '#/domain/batch-results/Results';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { exactTime, friendlyDuration, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { Progress } from '#/ui/progress';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Status } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { TONES } from '../state';
import { commandQuery, type OwnCommand } from './api';

/** State, progress and outputs of one command. */
export function RunView({
  id,
  onChooseHosts,
  onRunAgain,
}: {
  readonly id: string;
  /** Runs the command again on those of its hosts that failed. */
  readonly onRunAgain: (row: OwnCommand) => void;
  readonly onChooseHosts: (hosts: readonly Host[], runAs: string) => void;
}) {
  const t = useT();
  const { data: row, error, refetch } = useQuery(commandQuery(id));
  if (error && !row)
    return (
      <FailedState
        title={t('jobs:batch.not_loaded')}
        message={explain(error)}
        requestId={requestIdOf(error)}
        onRetry={() => void refetch()}
      />
    );
  if (!row) return <SkeletonLines lines={4} />;
  // A command that was stopped has hosts on which it did not start; they are not counted as done.
  const missed = row.hosts_amount - (row.done - row.failed);
  const start = parseTime(row.date_start);
  const end = parseTime(row.date_finished);
  return (
    <>
      <section aria-label={t('jobs:batch.progress')} className="pt-card grid gap-2 p-3.5">
        <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
          <Status tone={TONES[row.state]}>
            {row.is_cancelling ? t('jobs:batch.stopping') : row.state_display}
          </Status>
          <span>{t('jobs:batch.on', { count: row.hosts_amount, name: row.run_as_display })}</span>
          {start && <time dateTime={start.toISOString()}>{exactTime(start)}</time>}
          {start && end && <span>{friendlyDuration((end.getTime() - start.getTime()) / 1000)}</span>}
        </p>
        <Progress
          label={t('jobs:batch.progress')}
          ok={row.done - row.failed}
          failed={row.failed}
          total={row.hosts_amount}
        />
        {row.is_finished && missed > 0 && (
          <div>
            <Button icon={RotateCw} onClick={() => onRunAgain(row)}>
              {t('jobs:batch.again_on_failed', { count: missed })}
            </Button>
          </div>
        )}
        <pre className="font-mono text-meta text-ink-2 whitespace-pre-wrap">
          <VisibleText text={row.command} />
        </pre>
      </section>
      <Results
        id={id}
        isOpen={!row.is_finished}
        onChooseHosts={(hosts) => onChooseHosts(hosts, row.run_as)}
      />
    </>
  );
}
