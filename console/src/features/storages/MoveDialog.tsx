import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { errorText } from '#/resource/form/values';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { Progress } from '#/ui/progress';
import { Select } from '#/ui/select';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { visible } from '#/ui/visible-text';
import { moveQuery, type MoveState, startMove, targetsQuery } from './move-api';
import type { StorageRow } from './storage-row';

/** How far a running move is, and what keeps it. */
function Running({ state, target }: { readonly state: MoveState; readonly target: string }) {
  const t = useT();
  const { total, left, failing, reason } = state;
  return (
    <>
      <p role="status">{t('storages:move.running', { target: visible(target) })}</p>
      <Progress
        label={t('storages:move.progress', { target: visible(target) })}
        ok={total - left}
        failed={0}
        total={total}
      />
      {failing > 0 && (
        <Note tone="warn">{t('storages:move.failing', { count: failing, reason: visible(reason) })}</Note>
      )}
    </>
  );
}

/** How many recordings there are, what moving does, and where they go. */
function Question({
  row,
  count,
  target,
  onTarget,
}: {
  readonly row: StorageRow;
  readonly count: number;
  readonly target: string | null;
  readonly onTarget: (id: string) => void;
}) {
  const t = useT();
  const targets = useQuery(targetsQuery(row.id));
  if (count === 0) return <p role="status">{t('storages:move.none')}</p>;
  if (targets.error) return <Note tone="danger">{explain(targets.error)}</Note>;
  if (!targets.data) return <SkeletonLines lines={3} />;
  return (
    <>
      <p>{t('storages:move.count', { count })}</p>
      <p className="text-ink-2">{t('storages:move.effect')}</p>
      {targets.data.length === 0 ? (
        <Note>{t('storages:move.no_target')}</Note>
      ) : (
        <Field layout="above" label={t('storages:move.target')} required>
          {({ id, 'aria-describedby': describedBy }) => (
            <Select
              id={id}
              describedBy={describedBy}
              label={t('storages:move.target')}
              options={targets.data.map((option) => ({ value: option.id, label: visible(option.name) }))}
              value={target}
              onChange={onTarget}
            />
          )}
        </Field>
      )}
    </>
  );
}

function useMove(row: StorageRow) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async (target: string) => {
    setBusy(true);
    setProblem(null);
    try {
      queryClient.setQueryData(moveQuery(row.id).queryKey, await startMove(row.id, target));
    } catch (error) {
      // A refusal names the target: it is the only field.
      setProblem(error instanceof ValidationError ? errorText(error.fields) : explain(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, start };
}

/** Moves all recordings of a storage to another, after saying how many, and shows a move that runs. */
export function MoveDialog({ row, onClose }: { readonly row: StorageRow; readonly onClose: () => void }) {
  const t = useT();
  const state = useQuery(moveQuery(row.id));
  const { busy, problem, start } = useMove(row);
  const [target, setTarget] = useState<string | null>(null);
  const { data } = state;
  const isReady = data !== undefined && data.target === null;
  const mayStart = isReady && data.recordings > 0;
  return (
    <Dialog
      title={t('storages:move.title', { name: visible(row.name) })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t(mayStart ? 'ui:cancel' : 'ui:close')}</Button>
          {mayStart && (
            <Button
              kind="primary"
              busy={busy}
              disabled={target === null}
              onClick={() => target !== null && void start(target)}
            >
              {t('storages:move.do', { count: data.recordings })}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-3">
        {problem !== null && (
          <Note tone="danger" announce>
            {visible(problem)}
          </Note>
        )}
        {state.error && !data && (
          <FailedState
            title={t('storages:move.failed')}
            message={explain(state.error)}
            requestId={requestIdOf(state.error)}
            onRetry={() => void state.refetch()}
          />
        )}
        {state.isPending && <SkeletonLines lines={3} />}
        {isReady && <Question row={row} count={data.recordings} target={target} onTarget={setTarget} />}
        {data && data.target !== null && <Running state={data} target={data.target} />}
      </div>
    </Dialog>
  );
}
