import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { CircleHelp, ListTree, LoaderCircle, ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Api } from '#/lib/api-types';
import { mayAskUnbidden } from '#/lib/http/asking';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useSession } from '#/lib/session';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { PopoverButton } from '#/ui/popover';
import { visible } from '#/ui/visible-text';

const API = 'audits/verification/';
const BUSY_EVERY_MS = 2_000;

type Verification = Api<'Verification'>;

const isBusy = (state: Verification | undefined) => Boolean(state?.is_waiting || state?.is_running);

const verificationQuery = (organization: string) =>
  queryOptions({
    queryKey: [API, organization],
    queryFn: ({ signal }) => http.get<Verification>(API, { signal, quiet: true }),
    refetchInterval: ({ state }) => (isBusy(state.data) && mayAskUnbidden() ? BUSY_EVERY_MS : false),
  });

function Faults({ state }: { readonly state: Verification }) {
  const t = useT();
  const unnamed = (state.faults ?? 0) - state.first_faults.length;
  return (
    <PopoverButton icon={ListTree} label={t('audits:verification.show_faults')}>
      <ul className="grid max-w-[420px] gap-1.5 p-1" aria-label={t('audits:verification.show_faults')}>
        {state.first_faults.map((fault, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list never changes, and faults may repeat
          <li key={index}>
            <span>{fault.kind_display}</span>{' '}
            <span className="text-ink-3 wrap-anywhere">{visible(fault.place)}</span>
          </li>
        ))}
        {unnamed > 0 && <li className="text-ink-3">{t('audits:verification.more', { count: unnamed })}</li>}
      </ul>
    </PopoverButton>
  );
}

/** The state of the log's verification, in one line. */
function Outcome({ state }: { readonly state: Verification }): ReactNode {
  const t = useT();
  const at = <TimeCell value={state.date_finished} exact />;
  if (isBusy(state)) {
    return (
      <>
        <LoaderCircle className="pt-spin size-4 flex-none text-ink-3" aria-hidden />
        <span>{t(state.is_running ? 'audits:verification.running' : 'audits:verification.waiting')}</span>
      </>
    );
  }
  if (state.is_interrupted) {
    return (
      <>
        <CircleHelp className="size-4 flex-none text-warn" aria-hidden />
        <span>{t('audits:verification.interrupted')}</span>
        <span className="text-ink-3">{at}</span>
      </>
    );
  }
  if (state.records === null || state.faults === null) {
    return <span className="text-ink-3">{t('audits:verification.never')}</span>;
  }
  const checked = t('audits:verification.checked', { count: state.records });
  return (
    <>
      {state.faults === 0 ? (
        <ShieldCheck className="size-4 flex-none text-ok" aria-hidden />
      ) : (
        <ShieldAlert className="size-4 flex-none text-danger" aria-hidden />
      )}
      <span className={`font-medium ${state.faults === 0 ? '' : 'text-danger'}`}>
        {state.faults === 0
          ? t('audits:verification.whole')
          : t('audits:verification.faults', { count: state.faults })}
      </span>
      {state.faults > 0 && <Faults state={state} />}
      <span className="text-ink-3 tabular-nums">
        {at} · {checked}
      </span>
    </>
  );
}

/** Whether the log was verified, when, and with which result. A button starts a new verification. */
export function VerificationStatus({ onFinished }: { readonly onFinished: () => void }) {
  const t = useT();
  const query = verificationQuery(useSession().organization.id);
  const { data: state } = useQuery(query);
  const again = useMutation({
    mutationFn: () => http.post<Verification>(API),
    onSuccess: (answer) => queryClient.setQueryData(query.queryKey, answer),
  });
  const busy = isBusy(state);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy) onFinished();
    wasBusy.current = busy;
  }, [busy, onFinished]);
  if (!state) return <div className="min-h-7" />;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
      <div role="status" className="flex min-w-0 flex-wrap items-center gap-x-2">
        <Outcome state={state} />
      </div>
      <Button size="sm" disabled={busy} busy={again.isPending} onClick={() => again.mutate()}>
        {t(state.date_finished === null ? 'audits:verification.start' : 'audits:verification.again')}
      </Button>
    </div>
  );
}
