import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { translate, useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { toast } from '#/ui/toast';
import type { ExchangeDefinition, FieldSpec } from '../define';
import { useMetadata } from '../use-metadata';
import { CheckStep } from './CheckStep';
import { changedColumns, Comparison } from './Comparison';
import type { ExchangeSource } from './exchange-source';
import { type ImportRun, runButton } from './import-run';
import type { LoadedFile } from './loaded-file';
import { RunStep } from './RunStep';
import type { ImportMode } from './save-row';
import { Steps } from './Steps';
import { UploadStep } from './UploadStep';
import { useCheck, useCheckCounts } from './use-check';
import { useRun } from './use-run';

const NO_SPECS: Readonly<Record<string, FieldSpec>> = {};

/** The run has started and rows remain. */
function isUnderWay(run: ImportRun): boolean {
  const { state, counts } = run.snapshot();
  return state === 'started' || (state === 'stopped' && counts.pending > 0);
}

function mayLeave(run: ImportRun): Promise<boolean> {
  const { counts } = run.snapshot();
  return confirm({
    title: translate('exchange:import.leave.question'),
    effect: translate('exchange:import.leave.effect', { count: counts.pending }),
    confirmLabel: translate('exchange:import.leave.confirm'),
    cancelLabel: translate('exchange:import.leave.stay'),
    danger: true,
  });
}

async function startRun(
  { run, check }: LoadedFile,
  page: number | undefined,
  onSaved: () => void,
): Promise<void> {
  check.stop();
  const before = run.snapshot().counts.ok;
  await run.start(page);
  const { state, counts } = run.snapshot();
  if (counts.ok > before) onSaved();
  if (state !== 'done') return;
  if (counts.error > 0)
    toast({ tone: 'error', text: translate('exchange:import.failures', { count: counts.error }) });
  else toast({ tone: 'ok', text: translate('exchange:import.imported', { count: counts.ok }) });
}

/** Imports a file in three steps: upload, check what each row would do, save the rows one by one. */
export function ImportWizard({
  noun,
  source,
  specs = NO_SPECS,
  effect,
  onClose,
  onSaved,
}: {
  /** Key of the text for the rows: “assets”. */
  readonly noun: string;
  readonly source: ExchangeSource;
  /** The form's field descriptions, used for the cells of the rows. */
  readonly specs?: Readonly<Record<string, FieldSpec>>;
  readonly effect?: ExchangeDefinition['importEffect'];
  readonly onClose: () => void;
  /** Called when rows were saved: the list is outdated. */
  readonly onSaved: () => void;
}) {
  const t = useT();
  const { organization } = useSession();
  const [mode, setMode] = useState<ImportMode>('create');
  const [loaded, setLoaded] = useState<LoadedFile | null>(null);
  // Page of the table of all rows; the run starts there.
  const [firstPage, setFirstPage] = useState<number | undefined>(undefined);
  const run = loaded?.run;

  useBlocker({
    shouldBlockFn: async () => {
      if (!run || !isUnderWay(run)) return false;
      const leaves = await mayLeave(run);
      if (leaves) run.stop();
      return !leaves;
    },
    enableBeforeUnload: () => run !== undefined && isUnderWay(run),
  });
  const close = async () => {
    if (run && isUnderWay(run) && !(await mayLeave(run))) return;
    run?.stop();
    loaded?.check.stop();
    onClose();
  };
  return (
    <Dialog
      size="wizard"
      isOpen
      title={t('exchange:import.title', { noun: t(noun), organization: organization.name })}
      onClose={() => void close()}
      footer={
        loaded ? (
          <RunFooter
            loaded={loaded}
            onStart={() => void startRun(loaded, firstPage, onSaved)}
            onClose={() => void close()}
            source={source}
            onAnother={() => {
              loaded.check.stop();
              setLoaded(null);
            }}
          />
        ) : (
          <Button onClick={() => void close()}>{t('exchange:import.close')}</Button>
        )
      }
    >
      <Steps run={run} />
      {loaded ? (
        <RowSteps loaded={loaded} source={source} specs={specs} effect={effect} onPage={setFirstPage} />
      ) : (
        <UploadStep mode={mode} onMode={setMode} source={source} onLoaded={setLoaded} />
      )}
    </Dialog>
  );
}

function RowSteps({
  loaded,
  source,
  specs,
  effect,
  onPage,
}: {
  readonly loaded: LoadedFile;
  readonly source: ExchangeSource;
  readonly specs: Readonly<Record<string, FieldSpec>>;
  readonly effect: ExchangeDefinition['importEffect'];
  readonly onPage: (page: number | undefined) => void;
}) {
  const { state } = useRun(loaded.run);
  return state === 'pending' ? (
    <CheckStep loaded={loaded} source={source} effect={effect} onPage={onPage} />
  ) : (
    <RunStep loaded={loaded} source={source} specs={specs} />
  );
}

interface FooterProps {
  readonly loaded: LoadedFile;
  readonly source: ExchangeSource;
  readonly onStart: () => void;
  readonly onClose: () => void;
  readonly onAnother: () => void;
}

function RunFooter(props: FooterProps) {
  const { state } = useRun(props.loaded.run);
  return state === 'pending' ? <CheckFooter {...props} /> : <StartedFooter {...props} />;
}

/** What the import will change, and the button that starts it once all rows are checked. */
function CheckFooter({ loaded, source, onStart, onClose, onAnother }: FooterProps) {
  const t = useT();
  const { run, check, columns } = loaded;
  const snapshot = useRun(run);
  const { state } = useCheck(check);
  const counts = useCheckCounts(snapshot);
  const metadata = useMetadata(source.api, source.place);
  const [isComparing, setComparing] = useState(false);
  const { total, pending } = snapshot.counts;
  const left = total - pending;
  const updates = counts.update > 0 ? changedColumns(snapshot.rows, columns) : '';
  const why =
    state === 'running' ? 'exchange:check.still_running' : pending === 0 ? 'exchange:check.none' : undefined;
  return (
    <>
      <span className="mr-auto min-w-0 self-center text-ink-2">
        {counts.update > 0 &&
          t(updates === '' ? 'exchange:check.updates_same' : 'exchange:check.updates', {
            count: counts.update,
            columns: updates,
          })}{' '}
        {updates !== '' && (
          <button type="button" className="pt-link min-h-6 font-medium" onClick={() => setComparing(true)}>
            {t('exchange:check.compare')}
          </button>
        )}
      </span>
      <Button kind="text" onClick={onAnother}>
        {t('exchange:import.another')}
      </Button>
      <Button onClick={onClose}>{t('exchange:import.close')}</Button>
      <Button kind="primary" disabledReason={why === undefined ? undefined : t(why)} onClick={onStart}>
        {left === 0 || pending === 0
          ? t('exchange:import.button.import')
          : t('exchange:check.import', {
              count: pending,
              rows: pending.toLocaleString('en'),
              left: left.toLocaleString('en'),
            })}
      </Button>
      {isComparing && (
        <Comparison
          rows={snapshot.rows}
          columns={columns}
          fields={metadata.data?.actions.PUT ?? {}}
          onClose={() => setComparing(false)}
        />
      )}
    </>
  );
}

// i18n: exchange:import.button.*
function StartedFooter({ loaded: { run }, onStart, onClose }: FooterProps) {
  const t = useT();
  const snapshot = useRun(run);
  const button = runButton(snapshot);
  const act = { import: onStart, continue: onStart, stop: () => run.stop(), finished: onClose }[button];
  return (
    <>
      <span className="mr-auto self-center text-ink-2">
        {snapshot.state === 'started' && t('exchange:import.close_help')}
      </span>
      {button !== 'finished' && <Button onClick={onClose}>{t('exchange:import.close')}</Button>}
      <Button kind={button === 'stop' ? 'neutral' : 'primary'} onClick={act}>
        {t(`exchange:import.button.${button}`)}
      </Button>
    </>
  );
}
