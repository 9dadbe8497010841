import { useT } from '#/lib/i18n';
import { exactStamp, friendlyDuration, parseTime } from '#/lib/time';
import { Progress } from '#/ui/progress';
import { Status } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import type { Job } from './api';
import { TONES } from './state';

/** State, times and result of a job. */
export function JobFacts({ job }: { readonly job: Job }) {
  const t = useT();
  const start = parseTime(job.date_start);
  const end = parseTime(job.date_finished);
  return (
    <div className="grid gap-2" role="status">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
        <Status tone={TONES[job.state]}>
          {job.is_cancelling ? t('jobs:cancelling') : job.state_display}
        </Status>
        <span>{t('jobs:started_by', { name: job.created_by })}</span>
        {start && <time dateTime={start.toISOString()}>{exactStamp(start)}</time>}
        {start && end && <span>{friendlyDuration((end.getTime() - start.getTime()) / 1000)}</span>}
      </p>
      {job.total > 0 && (
        <Progress label={job.title} ok={job.done - job.failed} failed={job.failed} total={job.total} />
      )}
      {job.result !== '' && (
        <p>
          <VisibleText text={job.result} />
        </p>
      )}
    </div>
  );
}
