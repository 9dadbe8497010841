import { useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { Dialog } from '#/ui/dialog';
import { SkeletonLines } from '#/ui/skeleton';
import { useJob } from './api';
import { JobActions } from './JobActions';
import { JobFacts } from './JobFacts';
import { JobLog } from './JobLog';
import { titleOf } from './JobLogPage';

/** A job that was just started. Closing the dialog does not end it. */
export default function JobDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useT();
  const { data: job } = useJob(id);
  const hasEnded = job?.is_open === false;
  useEffect(() => {
    // The job may have changed what is shown behind the dialog.
    if (hasEnded) void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'job' });
  }, [hasEnded]);
  return (
    <Dialog
      title={job ? titleOf(job) : t('jobs:title')}
      isOpen
      onClose={onClose}
      size="wizard"
      footer={job && <JobActions job={job} />}
    >
      <div className="grid gap-3">
        {job ? <JobFacts job={job} /> : <SkeletonLines lines={2} />}
        <div className="h-[46vh]">
          <JobLog job={id} />
        </div>
      </div>
    </Dialog>
  );
}
