import { useQuery, useQueryClient } from '@tanstack/react-query';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { confirm } from '#/ui/confirm';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { Status } from '#/ui/status';
import { type DirectoryState, stateQuery, synchronise } from './api';
import { ResultNote } from './ResultNote';
import { useAttempt } from './use-attempt';

const TONES = { succeeded: 'ok', held_back: 'warn', failed: 'danger' } as const;
const NUMBERS = ['people', 'updated', 'disabled', 'enabled', 'refused'] as const;

function Facts({ state }: { readonly state: DirectoryState }) {
  const t = useT();
  // i18n: settings:ldap.sync.*
  const numbers = NUMBERS.filter((name) => (state.counts[name] ?? 0) > 0 || name === 'people');
  const facts = [
    { label: t('settings:ldap.sync.last'), value: <TimeCell value={state.date_ended} /> },
    { label: t('settings:ldap.sync.success'), value: <TimeCell value={state.date_succeeded} /> },
    ...numbers.map((name) => ({ label: t(`settings:ldap.sync.${name}`), value: state.counts[name] ?? '–' })),
  ];
  return (
    <dl className="grid gap-2">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex flex-wrap gap-2">
          <dt className="grow text-ink-2">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Outcome({ state }: { readonly state: DirectoryState }) {
  const t = useT();
  if (state.is_reading) return <Status tone="unknown">{t('settings:ldap.sync.reading')}</Status>;
  if (state.outcome === '') return <Status tone="unknown">{t('settings:ldap.sync.never')}</Status>;
  return <Status tone={TONES[state.outcome]}>{t(`settings:ldap.sync.${state.outcome}`)}</Status>;
}

/** The last reading of the directory, and a button for the next one. */
export function SyncCard() {
  const t = useT();
  const client = useQueryClient();
  const query = useQuery(stateQuery);
  const { busy, result, run } = useAttempt();
  const state = query.data;
  const start = async (acceptFall: boolean) => {
    const isOk = await run(async () => {
      client.setQueryData(stateQuery.queryKey, await synchronise(acceptFall));
      return '';
    });
    if (isOk) await query.refetch();
  };
  const accept = async () => {
    const isSure = await confirm({
      title: t('settings:ldap.sync.question'),
      effect: t('settings:ldap.sync.effect'),
      confirmLabel: t('settings:ldap.sync.accept'),
      danger: true,
    });
    if (isSure) await start(true);
  };
  return (
    <Card title={t('settings:ldap.sync.title')} aside={state && <Outcome state={state} />}>
      <div className="grid gap-3">
        <p className="text-ink-2">{t('settings:ldap.sync.how')}</p>
        {query.error && <Note tone="danger">{explain(query.error)}</Note>}
        {!state && !query.error && <SkeletonLines lines={3} />}
        {state && state.reason !== '' && !state.is_reading && (
          <Note tone={state.outcome === 'failed' ? 'danger' : 'warn'}>{state.reason}</Note>
        )}
        {state && state.outcome !== '' && <Facts state={state} />}
        <div className="flex flex-wrap gap-2">
          <Button busy={busy || state?.is_reading === true} onClick={() => void start(false)}>
            {t('settings:ldap.sync.now')}
          </Button>
          {state?.outcome === 'held_back' && !state.is_reading && (
            <Button disabled={busy} onClick={() => void accept()}>
              {t('settings:ldap.sync.accept')}
            </Button>
          )}
        </div>
        {result?.isOk === false && <ResultNote result={result} />}
      </div>
    </Card>
  );
}
