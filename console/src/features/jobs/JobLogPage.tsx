import { useParams } from '@tanstack/react-router';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { type Job, useJob } from './api';
import { JobActions } from './JobActions';
import { JobFacts } from './JobFacts';
import { JobLog } from './JobLog';

export function titleOf(job: Job): string {
  return job.subject === '' ? job.title : `${job.title} ${job.subject}`;
}

/** The log of a job, on a page of its own. */
export function JobLogPage() {
  const t = useT();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const { data: job, error, refetch } = useJob(id);
  if (error && !job)
    return (
      <>
        <PageHeader title={t('jobs:title')} />
        <FailedState
          title={t('jobs:not_loaded')}
          message={explain(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void refetch()}
        />
      </>
    );
  if (!job) return <SkeletonLines lines={6} />;
  return (
    <div className="flex h-full min-h-[28rem] flex-col gap-3">
      <PageHeader title={titleOf(job)} lead={job.title} actions={<JobActions job={job} />} />
      <JobFacts job={job} />
      <div className="min-h-0 grow">
        <JobLog job={job.id} />
      </div>
    </div>
  );
}
