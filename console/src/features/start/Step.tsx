import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { AppLink } from '#/ui/link';
import { Status } from '#/ui/status';
import type { FirstHost, FirstRun, StepId } from './api';
import { AccountStep } from './AccountStep';
import { HostStep } from './HostStep';
import { ConnectStep, PermissionStep, PersonStep } from './LinkSteps';
import { SiteStep } from './SiteStep';

interface Place {
  readonly siteUrl: string;
  readonly onHold: (isHeld: boolean) => void;
}

const CONTENT: Readonly<Record<StepId, (place: Place) => ReactNode>> = {
  site_url: ({ siteUrl }) => <SiteStep siteUrl={siteUrl} />,
  account: () => <AccountStep />,
  host: ({ onHold }) => <HostStep onHold={onHold} />,
  person: () => <PersonStep />,
  permission: () => <PermissionStep />,
  connect: () => <ConnectStep />,
};

function Mark({ number, isDone, isOpen }: { number: number; isDone: boolean; isOpen: boolean }) {
  const look = isDone
    ? 'bg-ok-soft text-ok'
    : isOpen
      ? 'bg-accent-soft-2 text-accent'
      : 'bg-surface-3 text-ink-2';
  return (
    <span
      className={`grid size-7 flex-none place-items-center rounded-(--r-gate) font-semibold tabular-nums ${look}`}
      aria-hidden
    >
      {isDone ? <Check className="size-[15px]!" /> : number}
    </span>
  );
}

const TONES = { ok: 'ok', failed: 'danger', unknown: 'unknown' } as const;

/** Whether the host was reached, and the way to its test. */
function Reached({ host }: { readonly host: FirstHost }) {
  const t = useT();
  const { hostname: name, connectivity, connectivity_reason: reason } = host;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-ink-2">
      <Status tone={TONES[connectivity]}>{''}</Status>
      {/* i18n: start:host.* */}
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {t(`start:host.${connectivity}`, { name, reason })}
      </span>
      {connectivity !== 'ok' && (
        <AppLink to={paths.asset(host.id)} className="pt-link">
          {t('start:host.test')}
        </AppLink>
      )}
    </p>
  );
}

/** One step. A finished step shrinks to a line; the open step shows its form. */
export function Step({
  id,
  number,
  isDone,
  isOpen,
  data,
  onOpen,
  onHold,
}: {
  readonly id: StepId;
  readonly number: number;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  readonly data: FirstRun;
  readonly onOpen: () => void;
  /** Keeps the step open although it is done. */
  readonly onHold: (isHeld: boolean) => void;
}) {
  const t = useT();
  // i18n: start:step.*
  const title = t(`start:step.${id}.title`);
  return (
    <li
      className={`flex gap-3 border-b border-line p-4 last:border-b-0 ${isOpen ? 'bg-accent-soft' : ''}`}
      aria-current={isOpen ? 'step' : undefined}
    >
      <Mark number={number} isDone={isDone} isOpen={isOpen} />
      <div className="min-w-0 grow">
        <h2 className="flex flex-wrap items-center gap-x-2 text-lead">
          {isDone || isOpen ? (
            title
          ) : (
            <button type="button" className="pt-link min-h-6 text-left font-semibold" onClick={onOpen}>
              {title}
            </button>
          )}
          {isDone && <span className="text-body font-normal text-ok">{t('start:done')}</span>}
        </h2>
        {!isDone && <p className="text-ink-2">{t(`start:step.${id}.what`)}</p>}
        {isDone && id === 'site_url' && (
          <p className="[overflow-wrap:anywhere] text-ink-2">{data.site_url}</p>
        )}
        {isDone && !isOpen && id === 'host' && data.host && <Reached host={data.host} />}
        {isOpen && <div className="mt-3">{CONTENT[id]({ siteUrl: data.site_url, onHold })}</div>}
      </div>
    </li>
  );
}
