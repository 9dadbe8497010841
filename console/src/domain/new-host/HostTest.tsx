import { CircleAlert, CircleCheck, CircleDashed, LoaderCircle, ScrollText } from 'lucide-react';
import { showJob } from '#/domain/jobs/shown-job';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Button } from '#/ui/button';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { VisibleText } from '#/ui/visible-text';
import { type HostTestState, type StepState, TEST_STEPS } from './host-test';

const LOOK = {
  waiting: { Sign: CircleDashed, className: 'text-ink-3' },
  skipped: { Sign: CircleDashed, className: 'text-ink-3' },
  running: { Sign: LoaderCircle, className: 'pt-spin text-accent' },
  ok: { Sign: CircleCheck, className: 'text-ok' },
  failed: { Sign: CircleAlert, className: 'text-danger' },
} as const;

function Detail({ step }: { readonly step: StepState }) {
  if (step.text === '') return null;
  const look = step.state === 'failed' ? 'text-danger' : 'font-mono text-meta text-ink-2';
  return (
    <span className={`[overflow-wrap:anywhere] ${look}`}>
      <VisibleText text={step.text} />
    </span>
  );
}

/** Where to look, and what can be changed, after a failed test. */
function Onward({ asset, test }: { readonly asset: string; readonly test: HostTestState }) {
  const t = useT();
  const { job } = test;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {job !== undefined && (
        <Button size="sm" icon={ScrollText} onClick={() => showJob(job)}>
          {t('new-host:test.log')}
        </Button>
      )}
      <AppLink to={paths.asset(asset)} className="pt-link">
        {t('new-host:test.open')}
      </AppLink>
    </div>
  );
}

/** Progress and result of the test of a new host: reached, host key seen, signed in; or why not and what to change. */
export function HostTest({
  name,
  asset,
  test,
}: {
  readonly name: string;
  /** Id of the host. */
  readonly asset: string;
  readonly test: HostTestState;
}) {
  const t = useT();
  return (
    <section aria-label={t('new-host:test.title', { name })} className="grid grid-cols-1 gap-2">
      <h3 className="text-lead [overflow-wrap:anywhere]">{t('new-host:test.title', { name })}</h3>
      <ol className="grid gap-1.5">
        {/* i18n: new-host:test.reach.* */}
        {/* i18n: new-host:test.key.* */}
        {/* i18n: new-host:test.account.* */}
        {TEST_STEPS.map((id) => {
          const step = test.steps[id];
          const { Sign, className } = LOOK[step.state];
          return (
            <li key={id} className="flex items-start gap-2">
              <Sign className={`mt-0.5 size-3.5! flex-none ${className}`} aria-hidden />
              <span className="grid min-w-0">
                <span className={step.state === 'waiting' || step.state === 'skipped' ? 'text-ink-3' : ''}>
                  {t(`new-host:test.${id}.${step.state}`)}
                </span>
                <Detail step={step} />
              </span>
            </li>
          );
        })}
      </ol>
      {/* i18n: new-host:test.advice.* */}
      <div role="status">
        {test.phase === 'passed' && <Note tone="ok">{t('new-host:test.passed')}</Note>}
        {test.advice !== null && <Note tone="warn">{t(`new-host:test.advice.${test.advice}`)}</Note>}
      </div>
      {test.phase === 'failed' && <Onward asset={asset} test={test} />}
    </section>
  );
}
