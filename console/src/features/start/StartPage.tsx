import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EyeOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type Session, useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { type FirstRun, firstRunQuery, type StepId, STEPS } from './api';
import { closeStart } from './closed';
import { Goal } from './Goal';
import { Step } from './Step';

/** The site address is a setting of the whole installation. */
function stepsFor(session: Session): readonly StepId[] {
  return STEPS.filter((step) => step !== 'site_url' || session.profile.is_superuser);
}

function useClose(): () => void {
  const session = useSession();
  const navigate = useNavigate();
  return () => {
    closeStart(session);
    void navigate({ to: paths.home, replace: true });
  };
}

/** An organization that was already set up before this visit does not need the page. `?show=1` opens it anyway. */
function useNeed(data: FirstRun | undefined, steps: readonly StepId[], close: () => void): void {
  const { show }: { show?: string } = useSearch({ strict: false });
  const isFirst = useRef(true);
  useEffect(() => {
    if (!data || !isFirst.current) return;
    isFirst.current = false;
    if (show === undefined && steps.every((step) => data.steps[step])) close();
  });
}

function Steps({ data, steps }: { readonly data: FirstRun; readonly steps: readonly StepId[] }) {
  const [chosen, setChosen] = useState<StepId | null>(null);
  // A step whose work goes on although its rows exist: a host is added, and its test runs.
  const [held, setHeld] = useState<StepId | null>(null);
  const next = steps.find((step) => !data.steps[step]);
  const open = held ?? (chosen !== null && !data.steps[chosen] ? chosen : next);
  return (
    <ol className="pt-card">
      {steps.map((step, index) => (
        <Step
          key={step}
          id={step}
          number={index + 1}
          isDone={data.steps[step]}
          isOpen={step === open}
          data={data}
          onHold={(isHeld) => setHeld(isHeld ? step : null)}
          onOpen={() => setChosen(step)}
        />
      ))}
    </ol>
  );
}

/** From an empty organization to the first connection: steps that mark themselves as done. */
export function StartPage() {
  const t = useT();
  const session = useSession();
  const close = useClose();
  const steps = stepsFor(session);
  const run = useQuery(firstRunQuery);
  useNeed(run.data, steps, close);
  const done = steps.filter((step) => run.data?.steps[step]).length;
  const left = steps.length - done;
  return (
    <>
      <PageHeader
        title={t('nav:start')}
        aside={
          run.data && (
            <span className="text-ink-2" role="status">
              {left === 0 ? t('start:all_done') : t('start:left', { count: left })}
            </span>
          )
        }
        actions={
          <Button icon={EyeOff} kind={left === 0 ? 'primary' : 'text'} onClick={close}>
            {t('start:close')}
          </Button>
        }
      />
      <div className="mt-3 grid grid-cols-1 items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_348px]">
        {run.isPending && (
          <div className="pt-card" aria-busy="true">
            <SkeletonLines lines={12} />
          </div>
        )}
        {run.isError && (
          <FailedState
            title={t('start:failed')}
            message={explain(run.error)}
            requestId={requestIdOf(run.error)}
            onRetry={() => void run.refetch()}
          />
        )}
        {run.data && <Steps data={run.data} steps={steps} />}
        <div className="grid gap-3">
          <Goal />
          <Note>{t('start:back')}</Note>
        </div>
      </div>
    </>
  );
}
