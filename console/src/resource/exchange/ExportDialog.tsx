import { useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { fetchFile, saveFile } from '#/lib/http/file';
import { translate, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { cacheIds } from '../api';
import type { ExchangeDefinition } from '../define';
import {
  EXPORT_MAX_ROWS,
  EXPORT_SCOPES,
  type ExchangeSource,
  exportQuery,
  type ExportScope,
  firstScope,
  isOffered,
  rowsOfScope,
} from './exchange-source';
import { FormatChoice } from './FormatChoice';
import { type FileType, sizeText } from './import-file';

const SCOPE_TEXT: Readonly<Record<ExportScope, string>> = {
  all: 'exchange:export.all',
  selected: 'exchange:export.selected',
  filtered: 'exchange:export.filtered',
};
const number = (value: number): string => value.toLocaleString('en');

/** Downloads an export. `received` is the number of bytes so far; null while no download is running. */
function useDownload(exchange: ExchangeDefinition, source: ExchangeSource, onSaved: () => void) {
  const [received, setReceived] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const abort = useRef<AbortController>(null);

  const download = async (scope: ExportScope, format: FileType, signal: AbortSignal) => {
    const spm = scope === 'selected' ? await cacheIds([...source.chosen.keys()], { quiet: true }) : undefined;
    const file = await fetchFile(exchange.exportApi ?? source.api, {
      query: exportQuery(scope, format, source, spm),
      quiet: true,
      signal,
      onProgress: setReceived,
    });
    const name = file.name ?? `export.${format}`;
    saveFile(file.content, name);
    toast({ tone: 'ok', text: translate('exchange:export.done', { name }) });
    onSaved();
  };
  const run = async (scope: ExportScope, format: FileType) => {
    const controller = new AbortController();
    abort.current = controller;
    setFailure(null);
    setReceived(0);
    try {
      try {
        await download(scope, format, controller.signal);
      } catch (error) {
        if (!exchange.verification?.isMissing(error)) throw error;
        // The verification expired while the dialog was open.
        if (await exchange.verification.ask()) await download(scope, format, controller.signal);
        else setFailure(explain(error));
      }
    } catch (error) {
      if (!controller.signal.aborted) setFailure(explain(error));
    } finally {
      setReceived(null);
    }
  };
  return { received, failure, run, stop: () => abort.current?.abort() };
}

/** Asks for format and rows, downloads the file, and shows errors. */
export function ExportDialog({
  exchange,
  noun,
  source,
  onClose,
}: {
  readonly exchange: ExchangeDefinition;
  /** Key of the text for the rows: “assets”. */
  readonly noun: string;
  readonly source: ExchangeSource;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [format, setFormat] = useState<FileType>('csv');
  const [scope, setScope] = useState<ExportScope>(() => firstScope(source));
  const { received, failure, run, stop } = useDownload(exchange, source, onClose);
  const busy = received !== null;
  const rows = rowsOfScope(scope, source);
  const tooMany = rows !== undefined && rows > EXPORT_MAX_ROWS;
  const close = () => {
    stop();
    onClose();
  };
  return (
    <Dialog
      size="text"
      isOpen
      title={t('exchange:export.title', { noun: t(noun) })}
      onClose={close}
      footer={
        <>
          <span role="status" className="mr-auto self-center text-ink-2 tabular-nums">
            {received !== null && received > 0 && t('exchange:export.received', { size: sizeText(received) })}
          </span>
          <Button onClick={close}>{t('ui:cancel')}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabledReason={isOffered(scope, source) ? undefined : t(`exchange:export.why.${scope}`)}
            onClick={() => void run(scope, format)}
          >
            {t(busy ? 'exchange:export.running' : 'exchange:export.run')}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {failure !== null && (
          <Note tone="danger" announce>
            {t('exchange:export.failed', { reason: failure })}
          </Note>
        )}
        <FormatChoice value={format} onChange={setFormat} disabled={busy} />
        <fieldset className="grid gap-1.5" disabled={busy}>
          <legend className="mb-1.5 text-meta font-semibold text-ink-2">{t('exchange:export.scope')}</legend>
          {/* i18n: exchange:export.why.* */}
          {EXPORT_SCOPES.map((option) => (
            <ScopeOption
              key={option}
              label={t(SCOPE_TEXT[option])}
              rows={rowsOfScope(option, source)}
              why={isOffered(option, source) ? null : t(`exchange:export.why.${option}`)}
              checked={option === scope}
              onChoose={() => setScope(option)}
            />
          ))}
        </fieldset>
        {tooMany && (
          <Note tone="warn">
            {t('exchange:export.too_many', {
              max: number(EXPORT_MAX_ROWS),
              rest: number(rows - EXPORT_MAX_ROWS),
            })}
          </Note>
        )}
      </div>
    </Dialog>
  );
}

function ScopeOption({
  label,
  rows,
  why,
  checked,
  onChoose,
}: {
  readonly label: string;
  readonly rows: number | undefined;
  /** Why the option is disabled. */
  readonly why: string | null;
  readonly checked: boolean;
  readonly onChoose: () => void;
}) {
  const t = useT();
  return (
    <label className={`flex items-start gap-2 py-0.5 ${why === null ? '' : 'text-ink-3'}`}>
      <input
        type="radio"
        name="export-scope"
        className="pt-check mt-[3px]"
        checked={checked && why === null}
        disabled={why !== null}
        onChange={onChoose}
      />
      <span>
        {label}
        {why === null && rows !== undefined && (
          <span className="text-ink-3 tabular-nums">
            {' '}
            · {t('exchange:export.rows', { count: rows, shown: number(rows) })}
          </span>
        )}
        {why !== null && <span className="block text-meta">{why}</span>}
      </span>
    </label>
  );
}
