import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import type { Confirming } from '#/domain/mfa/confirming';
import { fetchPasskeys, type OwnPasskeys, type Passkey } from '#/domain/passkeys/api';
import { canUsePasskeys } from '#/domain/passkeys/ceremonies';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { useWantedDialog } from '../wanted-dialog';
import { type PasskeyChange, PasskeyDialog } from './PasskeyDialog';

/** Why no passkey can be added here and now; null if one can. */
function useObstacle(own: OwnPasskeys | undefined): string | null {
  const t = useT();
  if (own === undefined) return null;
  if (own.problem !== '') return own.problem;
  if (location.origin !== own.origin) return t('passkeys:other_address', { origin: own.origin });
  return canUsePasskeys() ? null : t('passkeys:unsupported');
}

function Row({
  passkey,
  onStart,
}: {
  readonly passkey: Passkey;
  readonly onStart: (change: PasskeyChange) => void;
}) {
  const t = useT();
  const { name } = passkey;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <span className="min-w-24 font-semibold [overflow-wrap:anywhere]">{name}</span>
      <span className="grow text-ink-2">
        {t('passkeys:card.created')} <TimeCell value={passkey.date_created} />
        {' · '}
        {passkey.date_last_used === null ? (
          t('passkeys:card.never')
        ) : (
          <>
            {t('passkeys:card.used')} <TimeCell value={passkey.date_last_used} />
          </>
        )}
        {!passkey.is_usable && (
          <span className="block text-warn">{t('passkeys:card.void', { host: passkey.rp_id })}</span>
        )}
      </span>
      <Button
        aria-label={t('passkeys:card.rename_it', { name })}
        onClick={() => onStart({ kind: 'rename', passkey })}
      >
        {t('passkeys:card.rename')}
      </Button>
      <Button
        kind="danger"
        aria-label={t('passkeys:card.remove_it', { name })}
        onClick={() => onStart({ kind: 'remove', passkey })}
      >
        {t('passkeys:card.remove')}
      </Button>
    </li>
  );
}

/** The list, or the sentence in its place, with the reason why none can be added. */
function Rows({
  own,
  obstacle,
  onStart,
}: {
  readonly own: OwnPasskeys;
  readonly obstacle: string | null;
  readonly onStart: (change: PasskeyChange) => void;
}) {
  const t = useT();
  return (
    <>
      {obstacle !== null && (
        <div className="p-3.5">
          <Note tone="warn">{obstacle}</Note>
        </div>
      )}
      {own.results.length === 0 && <p className="px-3.5 py-2.5 text-ink-3">{t('passkeys:card.none')}</p>}
      <ul>
        {own.results.map((passkey) => (
          <Row key={passkey.id} passkey={passkey} onStart={onStart} />
        ))}
      </ul>
    </>
  );
}

/** The change that the dialog in the address makes, if it is possible now. */
function changeOf(wanted: string | null, own: OwnPasskeys, canAdd: boolean): PasskeyChange | null {
  if (wanted === 'add') return canAdd ? { kind: 'add' } : null;
  const passkey = own.results.find((key) => wanted === `remove-${key.id}`);
  return passkey === undefined ? null : { kind: 'remove', passkey };
}

/** The person's own passkeys. */
export function PasskeysCard({
  confirming,
  onChanged,
}: {
  /** How the person confirms who they are before a change; undefined until that is known. */
  readonly confirming: Confirming | undefined;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery({ queryKey: ['passkeys'], queryFn: fetchPasskeys, staleTime: 0 });
  const [chosen, setChosen] = useState<PasskeyChange | null>(null);
  const [wanted, leave] = useWantedDialog('passkey');
  const own = query.data;
  const obstacle = useObstacle(own);
  const isFull = own !== undefined && own.results.length >= own.limit;
  const full = isFull ? t('passkeys:card.limit', { limit: own.limit }) : undefined;
  const canAdd = obstacle === null && !isFull;
  const change = chosen ?? (own ? changeOf(wanted, own, canAdd) : null);
  return (
    <Card
      title={t('passkeys:card.title')}
      flush
      actions={
        own &&
        confirming && (
          <Button disabledReason={obstacle ?? full} onClick={() => setChosen({ kind: 'add' })}>
            {t('passkeys:card.add')}
          </Button>
        )
      }
    >
      {query.error && (
        <FailedState
          title={t('passkeys:card.failed')}
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
      {own && <Rows own={own} obstacle={obstacle} onStart={setChosen} />}
      {change && confirming && (
        <PasskeyDialog
          change={change}
          confirming={confirming}
          onClose={(changed) => {
            setChosen(null);
            leave(changed);
            if (!changed) return;
            // The card of the second factor shows their number.
            for (const queryKey of [['passkeys'], ['second-factor'], ['trusted-browsers']])
              void client.invalidateQueries({ queryKey });
            onChanged();
          }}
        />
      )}
    </Card>
  );
}
