import { CircleAlert, Download, FileSpreadsheet, Info } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { fetchFile, saveFile } from '#/lib/http/file';
import { translate, useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { cacheIds } from '../api';
import { type ExchangeSource, templateQuery } from './exchange-source';
import {
  ACCEPTED,
  type FileProblem,
  fileProblem,
  type FileType,
  maxMegabytes,
  sizeText,
} from './import-file';
import { type LoadedFile, loadFile, NoColumnsError } from './loaded-file';
import type { ImportMode } from './save-row';

const FORMATS: readonly FileType[] = ['csv', 'xlsx'];

/** First step: what to do with the rows, a template, and the upload of the file. */
export function UploadStep({
  mode,
  onMode,
  source,
  onLoaded,
}: {
  readonly mode: ImportMode;
  readonly onMode: (mode: ImportMode) => void;
  readonly source: ExchangeSource;
  readonly onLoaded: (file: LoadedFile) => void;
}) {
  const t = useT();
  return (
    <div className="grid grid-cols-1 gap-5">
      <fieldset>
        <legend className="mb-1.5 text-meta font-semibold text-ink-2">{t('exchange:import.mode')}</legend>
        <RadioGroup
          name="import-mode"
          options={[
            { value: 'create', label: t('exchange:import.create') },
            { value: 'update', label: t('exchange:import.update') },
          ]}
          value={mode}
          onChange={(next) => onMode(next === 'update' ? 'update' : 'create')}
        />
        <p className="mt-1 text-meta text-ink-3">
          {t(mode === 'create' ? 'exchange:import.create_help' : 'exchange:import.update_help')}
        </p>
      </fieldset>
      <Template mode={mode} source={source} />
      <Uploader mode={mode} source={source} onLoaded={onLoaded} />
    </div>
  );
}

function Template({ mode, source }: { readonly mode: ImportMode; readonly source: ExchangeSource }) {
  const t = useT();
  const [busy, setBusy] = useState<FileType | null>(null);
  const count = source.chosen.size;
  const prompt =
    mode === 'create'
      ? t('exchange:import.template_new')
      : count > 0
        ? t('exchange:import.template_chosen', { count })
        : t('exchange:import.template_sample');
  const download = async (format: FileType) => {
    setBusy(format);
    try {
      const template = mode === 'create' ? 'import' : 'update';
      const spm =
        template === 'update' && count > 0
          ? await cacheIds([...source.chosen.keys()], { quiet: true })
          : undefined;
      const query = templateQuery(template, format, source, spm);
      const file = await fetchFile(source.api, { query, quiet: true });
      saveFile(file.content, file.name ?? `template.${format}`);
    } catch (error) {
      toast({
        tone: 'error',
        text: translate('exchange:import.template_failed', { reason: explain(error) }),
      });
    } finally {
      setBusy(null);
    }
  };
  return (
    <div role="group" aria-labelledby="import-template">
      <p id="import-template" className="mb-1.5 text-meta font-semibold text-ink-2">
        {t('exchange:import.template')}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {FORMATS.map((format) => (
          <Button key={format} icon={Download} busy={busy === format} onClick={() => void download(format)}>
            {format}
          </Button>
        ))}
        <span className="text-meta text-ink-3">{prompt}</span>
      </div>
    </div>
  );
}

interface Wrong {
  readonly problem: FileProblem;
  readonly text: string;
}

/** Takes one file by button or drop, checks it, and has the server read it. */
function Uploader({
  mode,
  source,
  onLoaded,
}: {
  readonly mode: ImportMode;
  readonly source: ExchangeSource;
  readonly onLoaded: (file: LoadedFile) => void;
}) {
  const t = useT();
  const id = useId();
  const { settings } = useSession();
  const max = maxMegabytes(settings.IMPORT_MAX_MB);
  const input = useRef<HTMLInputElement>(null);
  const reading = useRef<AbortController>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => () => reading.current?.abort(), []);

  // i18n: exchange:import.wrong.*
  const take = async (files: readonly File[]) => {
    const [file] = files;
    if (!file || busy !== null) return;
    setFailure(null);
    const problem = fileProblem(files, max);
    if (problem !== null) {
      const values = { name: file.name, size: sizeText(file.size), max, count: files.length };
      setWrong({ problem, text: t(`exchange:import.wrong.${problem}`, values) });
      return;
    }
    setWrong(null);
    setBusy(file.name);
    const controller = new AbortController();
    reading.current = controller;
    try {
      onLoaded(await loadFile(file, mode, source, controller.signal));
    } catch (error) {
      if (controller.signal.aborted) return;
      setFailure(error instanceof NoColumnsError ? t('exchange:import.no_columns') : explain(error));
      setBusy(null);
    }
  };
  const breaksFormat = wrong?.problem === 'format' || wrong?.problem === 'count';
  const breaksSize = wrong?.problem === 'size' || wrong?.problem === 'empty';
  return (
    <div role="group" aria-labelledby={`${id}-label`}>
      <p id={`${id}-label`} className="mb-1.5 text-meta font-semibold text-ink-2">
        {t('exchange:import.file')}
      </p>
      {/* Dropping is a shortcut for pointer users; the button does the same for everybody. */}
      <div
        data-over={over || undefined}
        className="grid justify-items-center gap-2 rounded-3 border border-dashed border-control px-4 py-8 text-center data-over:border-solid data-over:border-accent data-over:bg-accent-soft"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take([...event.dataTransfer.files]);
        }}
      >
        <FileSpreadsheet className="size-6! text-ink-3" aria-hidden />
        <span className="text-ink-2">{t('exchange:import.drop')}</span>
        <input
          ref={input}
          type="file"
          hidden
          accept={ACCEPTED}
          aria-label={t('exchange:import.choose')}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            // Reset, so that choosing the same file again (after a correction) triggers a change event.
            event.target.value = '';
            void take(files);
          }}
        />
        <Button busy={busy !== null} aria-describedby={`${id}-rules`} onClick={() => input.current?.click()}>
          {busy === null ? t('exchange:import.choose') : t('exchange:import.reading', { name: busy })}
        </Button>
        <ul id={`${id}-rules`} className="grid justify-items-center gap-0.5 text-meta">
          <Rule broken={breaksFormat}>{t('exchange:import.rule_format')}</Rule>
          <Rule broken={breaksSize}>{t('exchange:import.rule_size', { max })}</Rule>
        </ul>
      </div>
      <div className="mt-2" aria-live="assertive">
        {(wrong !== null || failure !== null) && <Note tone="danger">{wrong?.text ?? failure}</Note>}
      </div>
    </div>
  );
}

/** A requirement for the file; a violated one is marked by colour, weight and icon. */
function Rule({ broken, children }: { readonly broken: boolean; readonly children: ReactNode }) {
  const Sign = broken ? CircleAlert : Info;
  return (
    <li
      data-broken={broken || undefined}
      className="flex items-center gap-1 text-ink-3 data-broken:font-semibold data-broken:text-danger"
    >
      <Sign className="size-[14px]!" aria-hidden />
      {children}
    </li>
  );
}
