import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { loadNamespaces, useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import type { Confirming } from '#/domain/mfa/confirming';
import { fetchSecondFactor, type SecondFactor } from '#/domain/mfa/api';
import { Button } from '#/ui/button';
import { Card, Definitions } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { useWantedDialog } from '../wanted-dialog';
import type { Flow } from './SecondFactorFlow';

const SecondFactorFlow = lazy(async () => {
  const [part] = await Promise.all([import('./SecondFactorFlow'), loadNamespaces(['mfa'])]);
  return { default: part.SecondFactorFlow };
});

function isFlow(text: string | null): text is Flow {
  return text === 'enable' || text === 'update' || text === 'disable';
}

/** Whether the person has an app or a passkey. */
function hasFactor(factor: SecondFactor): boolean {
  return factor.is_set || factor.passkeys > 0;
}

function stateText(factor: SecondFactor): string {
  if (hasFactor(factor) && (factor.level > 0 || factor.forced)) return 'mfa:card.on';
  return factor.level > 0 || factor.forced ? 'mfa:card.pending' : 'mfa:card.off';
}

/** The open dialog, opened by a button or by the address, and a function to call when it closes. */
function useFlow(factor: SecondFactor | undefined, canConfirm: boolean) {
  const [flow, setFlow] = useState<Flow | null>(null);
  const [wanted, leave] = useWantedDialog('mfa');
  // An action that is not possible now is not started; the card says why.
  const offered: Flow | null =
    factor &&
    canConfirm &&
    isFlow(wanted) &&
    (wanted === 'enable' ? !factor.is_set : wanted === 'disable' ? hasFactor(factor) : factor.is_set) &&
    !(wanted === 'disable' && factor.forced)
      ? wanted
      : null;
  const [isBegun, setBegun] = useState(false);
  if (offered !== null && !isBegun) {
    // Kept in state, because the address no longer offers the action while the recovery codes are shown.
    setBegun(true);
    setFlow(offered);
  }
  return [flow, setFlow, leave] as const;
}

/** A button for each change that is possible in this state. */
function FlowButtons({
  factor,
  canConfirm,
  onStart,
}: {
  readonly factor: SecondFactor;
  readonly canConfirm: boolean;
  readonly onStart: (flow: Flow) => void;
}) {
  const t = useT();
  const reason = canConfirm ? undefined : t('mfa:card.not_local');
  return (
    <span className="flex flex-wrap justify-end gap-2">
      {!factor.is_set && (
        <Button
          kind={hasFactor(factor) ? 'neutral' : 'primary'}
          disabledReason={reason}
          onClick={() => onStart('enable')}
        >
          {t(hasFactor(factor) ? 'mfa:card.add_app' : 'mfa:card.enable')}
        </Button>
      )}
      {factor.is_set && (
        <Button disabledReason={reason} onClick={() => onStart('update')}>
          {t('mfa:card.update')}
        </Button>
      )}
      {hasFactor(factor) && (
        <>
          <Button onClick={() => onStart('renew')}>{t('mfa:card.renew')}</Button>
          <Button
            kind="danger"
            disabledReason={factor.forced ? t('mfa:card.forced') : undefined}
            onClick={() => onStart('disable')}
          >
            {t('mfa:card.disable')}
          </Button>
        </>
      )}
    </span>
  );
}

/** The person's own second factor: its state and the possible actions. */
export function SecondFactorCard({
  confirming,
  onChanged,
}: {
  /** How the person confirms who they are before a change; undefined until that is known. */
  readonly confirming: Confirming | undefined;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery({ queryKey: ['second-factor'], queryFn: fetchSecondFactor, staleTime: 0 });
  const factor = query.data;
  const canConfirm = confirming !== undefined && confirming.by !== 'nothing';
  const [flow, setFlow, leave] = useFlow(factor, canConfirm);
  return (
    <Card
      title={t('mfa:card.title')}
      flush
      actions={
        factor && confirming && <FlowButtons factor={factor} canConfirm={canConfirm} onStart={setFlow} />
      }
    >
      {query.error && (
        <FailedState
          title={t('mfa:card.failed')}
          message={explain(query.error)}
          requestId={requestIdOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && (
        <div className="p-3.5" aria-busy="true">
          <SkeletonLines lines={2} />
        </div>
      )}
      {factor && (
        // i18n: mfa:card.*
        <Definitions
          items={[
            { label: t('mfa:card.state'), value: t(stateText(factor)) },
            ...(factor.is_set
              ? [{ label: t('mfa:card.since'), value: <TimeCell value={factor.date_confirmed} /> }]
              : []),
            ...(hasFactor(factor)
              ? [{ label: t('mfa:card.codes_left'), value: String(factor.recovery_codes_left) }]
              : []),
          ]}
        />
      )}
      {flow && confirming && (
        <Suspense>
          <SecondFactorFlow
            flow={flow}
            hasApp={factor?.is_set === true}
            confirming={confirming}
            onClose={(changed) => {
              setFlow(null);
              leave(changed);
              if (!changed) return;
              // Switching MFA off removes the passkeys, and every change ends trust in browsers.
              for (const queryKey of [['second-factor'], ['passkeys'], ['trusted-browsers']]) {
                void client.invalidateQueries({ queryKey });
              }
              onChanged();
            }}
          />
        </Suspense>
      )}
    </Card>
  );
}
