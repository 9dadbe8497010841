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

/** Chooses format and rows, downloads the file, and tells what went wrong. */
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
  const [received, setReceived] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const abort = useRef<AbortController>(null);
  const busy = received !== null;
  const rows = rowsOfScope(scope, source);
  const tooMany = rows !== undefined && rows > EXPORT_MAX_ROWS;

  const download = async (signal: AbortSignal) => {
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
    onClose();
  };
  const run = async () => {
    const controller = new AbortController();
    abort.current = controller;
    setFailure(null);
    setReceived(0);
    try {
      try {
        await download(controller.signal);
      } catch (error) {
        if (!exchange.verification?.isMissing(error)) throw error;
        // The verification ran out while the dialog was open.
        if (await exchange.verification.ask()) await download(controller.signal);
        else setFailure(explain(error));
      }
    } catch (error) {
      if (!controller.signal.aborted) setFailure(explain(error));
    } finally {
      setReceived(null);
    }
  };
  const close = () => {
    abort.current?.abort();
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
            onClick={() => void run()}
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
          {EXPORT_SCOPES.map((one) => (
            <ScopeOption
              key={one}
              label={t(SCOPE_TEXT[one])}
              rows={rowsOfScope(one, source)}
              why={isOffered(one, source) ? null : t(`exchange:export.why.${one}`)}
              checked={one === scope}
              onChoose={() => setScope(one)}
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
  /** Why it can not be chosen now. */
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
