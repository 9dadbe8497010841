import { Check } from 'lucide-react';
import { useT } from '#/lib/i18n';
import type { ImportRun } from './import-run';
import { useRun } from './use-run';

const STEPS = ['upload', 'check', 'run'] as const;

/** The steps of the wizard with the current step marked: upload, check the rows, import. */
export function Steps({ run }: { readonly run: ImportRun | undefined }) {
  return run ? <RunningSteps run={run} /> : <StepList current={0} />;
}

function RunningSteps({ run }: { readonly run: ImportRun }) {
  return <StepList current={useRun(run).state === 'pending' ? 1 : 2} />;
}

// i18n: exchange:import.step.*
function StepList({ current }: { readonly current: number }) {
  const t = useT();
  return (
    <ol aria-label={t('exchange:import.steps')} className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      {STEPS.map((step, index) => {
        const isDone = index < current;
        const isCurrent = index === current;
        return (
          <li
            key={step}
            aria-current={isCurrent ? 'step' : undefined}
            className={`flex items-center gap-2 ${isCurrent ? 'font-semibold' : 'text-ink-2'}`}
          >
            {index > 0 && <span aria-hidden className="h-px w-8 bg-line-2 max-sm:hidden" />}
            <span
              aria-hidden
              className={`grid size-5 place-items-center rounded-full border text-meta tabular-nums ${
                isCurrent
                  ? 'border-transparent bg-accent-solid text-on-accent'
                  : isDone
                    ? 'border-ok-line bg-ok-soft text-ok'
                    : 'border-line-2 text-ink-3'
              }`}
            >
              {isDone ? <Check className="size-3!" /> : index + 1}
            </span>
            {t(`exchange:import.step.${step}`)}
            {isDone && <span className="sr-only">{t('exchange:import.done_step')}</span>}
          </li>
        );
      })}
    </ol>
  );
}
