import { Download, OctagonX } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { cancelJob, downloadLog, type Job } from './api';

/** Cancel a job that is open; download its log. */
export function JobActions({ job }: { readonly job: Job }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const run = async (action: (id: string) => Promise<void>): Promise<void> => {
    setBusy(true);
    // The http client has reported a failure.
    await action(job.id).catch(() => undefined);
    setBusy(false);
  };
  return (
    <>
      {job.is_open && (
        <Button
          kind="danger"
          icon={OctagonX}
          disabled={busy || job.is_cancelling}
          onClick={() => void run(cancelJob)}
        >
          {t('jobs:cancel')}
        </Button>
      )}
      <Button icon={Download} disabled={busy} onClick={() => void run(downloadLog)}>
        {t('jobs:download')}
      </Button>
    </>
  );
}
