import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bookmark, History, OctagonX } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Host } from '#/domain/batch-results/api';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { commandQuery, failedHosts, type OwnCommand, stopCommand, systemUsersQuery } from './api';
import { Composer, type Draft } from './Composer';
import { RunView } from './RunView';
import { useRun } from './use-run';
import { NOBODY, selectionOf } from './selection';

const SnippetsDialog = lazy(async () => ({ default: (await import('./SnippetsDialog')).SnippetsDialog }));
const HistoryDialog = lazy(async () => ({ default: (await import('./HistoryDialog')).HistoryDialog }));

type Open = 'saved' | 'history' | null;

/** The command that is shown, by the address, so that it is still there after a reload. */
function useShown() {
  const { run }: { run?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (id: string) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, run: id }), replace: true });
  return { shown: run, show };
}

function StopButton({ id }: { readonly id: string }) {
  const t = useT();
  const { data } = useQuery(commandQuery(id));
  if (!data || data.is_finished) return null;
  return (
    <Button
      kind="danger"
      icon={OctagonX}
      disabled={data.is_cancelling}
      // The http client has reported a failure.
      onClick={() => void stopCommand(id).catch(() => undefined)}
    >
      {t('jobs:batch.stop')}
    </Button>
  );
}

/** Runs a command on many hosts and shows the output of each. */
export function BatchPage() {
  const t = useT();
  const [draft, setDraft] = useState<Draft>({ systemUser: null, hosts: NOBODY, command: '' });
  const [open, setOpen] = useState<Open>(null);
  const { shown, show } = useShown();
  const { run, busy, error, forgetError } = useRun(show);
  const systemUsers = useQuery(systemUsersQuery);
  const change = (next: Draft) => {
    forgetError();
    setDraft(next);
  };
  const usable = (id: string) =>
    systemUsers.data?.some((systemUser) => systemUser.id === id) === true ? id : null;
  const again = (row: OwnCommand) => {
    show(row.id);
    change({ ...draft, systemUser: usable(row.run_as), hosts: NOBODY, command: row.command });
  };
  const chooseHosts = (hosts: readonly Host[], runAs: string) =>
    change({
      ...draft,
      systemUser: usable(runAs),
      hosts: selectionOf(hosts.map((host) => ({ id: host.asset, hostname: host.hostname }))),
    });
  const runAgain = async (row: OwnCommand) => {
    const failed = await failedHosts(row.id);
    const hosts = selectionOf(failed.map((host) => ({ id: host.asset, hostname: host.hostname })));
    change({ ...draft, systemUser: usable(row.run_as), hosts, command: row.command });
    await run({ ...draft, systemUser: row.run_as, hosts, command: row.command });
  };
  if (systemUsers.isError)
    return (
      <>
        <PageHeader title={t('nav:batch_command')} />
        <FailedState
          title={t('jobs:batch.not_loaded')}
          message={explain(systemUsers.error)}
          requestId={requestIdOf(systemUsers.error)}
          onRetry={() => void systemUsers.refetch()}
        />
      </>
    );
  return (
    <div className="grid min-w-0 gap-3">
      <PageHeader
        title={t('nav:batch_command')}
        actions={
          <>
            <Button icon={Bookmark} onClick={() => setOpen('saved')}>
              {t('jobs:batch.saved')}
            </Button>
            <Button icon={History} onClick={() => setOpen('history')}>
              {t('jobs:batch.history')}
            </Button>
            {shown !== undefined && <StopButton id={shown} />}
          </>
        }
      />
      {systemUsers.isPending && <SkeletonLines lines={6} />}
      {systemUsers.data?.length === 0 && (
        <StateView drawing="empty" title={t('jobs:batch.no_system_user')}>
          {t('jobs:batch.no_system_user_why')}
        </StateView>
      )}
      {systemUsers.data && systemUsers.data.length > 0 && (
        <Composer
          systemUsers={systemUsers.data}
          draft={draft}
          onChange={change}
          onRun={() => void run(draft)}
          busy={busy}
          error={error}
        />
      )}
      {shown !== undefined && (
        <RunView
          key={shown}
          id={shown}
          onChooseHosts={chooseHosts}
          // The http client has reported a failure.
          onRunAgain={(row) => void runAgain(row).catch(() => undefined)}
        />
      )}
      <Suspense>
        {open === 'saved' && (
          <SnippetsDialog
            command={draft.command}
            onUse={(command) => change({ ...draft, command })}
            onClose={() => setOpen(null)}
          />
        )}
        {open === 'history' && <HistoryDialog onOpen={again} onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  );
}
