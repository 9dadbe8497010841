import { Download, FileSpreadsheet, RotateCw } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { useMedia } from '#/ui/use-media';
import type { FieldMap } from '../api';
import type { ExchangeDefinition } from '../define';
import { useMetadata } from '../use-metadata';
import { CheckCounters, Corrections } from './CheckCounters';
import { CheckResult } from './CheckResult';
import { checkedImports } from './checked-imports';
import { downloadRows } from './download-rows';
import type { ExchangeSource } from './exchange-source';
import { type CheckCounts, type CheckFilter, type CheckSnapshot, isShown } from './import-check';
import { sizeText } from './import-file';
import { IMPORT_PAGE_SIZE, type RunSnapshot } from './import-run';
import type { LoadedFile } from './loaded-file';
import { PageTurner } from './PageTurner';
import { RowCards, RowTable, rowsOfPage, type ShownRow } from './RowTable';
import { useCheck, useCheckCounts } from './use-check';
import { useRun } from './use-run';

const NO_FIELDS: FieldMap = {};
const PHONE = '(width < 640px)';

/** Focuses the next wrong cell below a row, or the first wrong cell; false if there is none. */
function focusNextWrong(box: HTMLElement | null, after: number): boolean {
  const wrong = [...(box?.querySelectorAll<HTMLElement>('button[data-failed]') ?? [])].filter(
    ({ dataset }) => Number(dataset['row']) !== after,
  );
  const next = wrong.find(({ dataset }) => Number(dataset['row']) > after) ?? wrong[0];
  next?.focus();
  return next !== undefined;
}

function CheckProgress({ check }: { readonly check: CheckSnapshot }) {
  const t = useT();
  const { checked, total, state } = check;
  if (state !== 'running') return null;
  return (
    <div className="grid gap-1">
      <span className="text-ink-2 tabular-nums">{t('exchange:check.progress', { checked, total })}</span>
      <div
        role="progressbar"
        aria-label={t('exchange:check.progress_label')}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={checked}
        aria-valuetext={`${checked} / ${total}`}
        className="h-2 overflow-hidden rounded-full bg-surface-3"
      >
        <span className="block h-full bg-accent-solid" style={{ width: `${(checked / total) * 100}%` }} />
      </div>
    </div>
  );
}

/** The filter: what the person chose, else the wrong rows if the first check refused any. */
function useFilter(progress: CheckSnapshot, wrong: number) {
  const [picked, setPicked] = useState<CheckFilter | null>(null);
  // Chosen once, when the first check is done: correcting the last wrong row must not change the list.
  const [opening, setOpening] = useState<CheckFilter | null>(null);
  if (opening === null && progress.state !== 'running' && progress.checked > 0)
    setOpening(wrong > 0 ? 'wrong' : 'all');
  return [picked ?? opening ?? 'all', setPicked] as const;
}

/** File, progress and notes of the check. */
function CheckHead({
  loaded: { name, size, check, unknown },
  progress,
  counts,
}: {
  readonly loaded: LoadedFile;
  readonly progress: CheckSnapshot;
  readonly counts: CheckCounts;
}) {
  const t = useT();
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2">
        <FileSpreadsheet className="text-ink-3" aria-hidden />
        <span className="min-w-0 font-semibold [overflow-wrap:anywhere]">{name}</span>
        <span className="text-ink-3 tabular-nums">
          {t('exchange:import.rows', { count: progress.total })} · {sizeText(size)}
        </span>
      </div>
      <CheckProgress check={progress} />
      <p className="sr-only" role="status">
        {progress.state === 'done' && t('exchange:check.done', { ...counts })}
      </p>
      {progress.state === 'halted' && (
        <Note tone="warn" announce>
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 grow">{t('exchange:check.halted', { reason: progress.halted })}</span>
            <Button size="sm" icon={RotateCw} onClick={() => void check.start()}>
              {t('exchange:check.again')}
            </Button>
          </span>
        </Note>
      )}
      {unknown.length > 0 && (
        <Note tone="warn">{t('exchange:import.unknown', { names: unknown.join(', ') })}</Note>
      )}
    </>
  );
}

/** The numbers of the check, all corrections at once, and the download of the wrong rows. */
function CheckTools({
  loaded,
  snapshot,
  counts,
  fields,
  filter,
  onFilter,
}: {
  readonly loaded: LoadedFile;
  readonly snapshot: RunSnapshot;
  readonly counts: CheckCounts;
  readonly fields: FieldMap;
  readonly filter: CheckFilter;
  readonly onFilter: (filter: CheckFilter) => void;
}) {
  const t = useT();
  const { check } = loaded;
  const wrong = snapshot.rows.filter((row) => row.state === 'error');
  return (
    <>
      <div className="flex flex-wrap items-stretch gap-2">
        <CheckCounters counts={counts} total={snapshot.counts.total} value={filter} onChange={onFilter} />
        <div className="min-w-0 grow">
          <Corrections
            count={counts.correctable.length}
            wrong={counts.wrong}
            onAccept={() => check.accept(counts.correctable)}
          />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-meta text-ink-3">{t('exchange:check.edit_help')}</span>
        <Button
          className="ml-auto"
          icon={Download}
          disabled={wrong.length === 0}
          onClick={() => downloadRows(loaded, wrong, fields, 'wrong')}
        >
          {t('exchange:check.download')}
        </Button>
      </div>
    </>
  );
}

/** What the accepted rows do together, in the words of their feature. */
function ImportEffect({
  snapshot,
  effect,
}: {
  readonly snapshot: RunSnapshot;
  readonly effect: NonNullable<ExchangeDefinition['importEffect']>;
}) {
  // Each snapshot stands for a change of the rows, which are one array.
  return useMemo(() => effect(checkedImports(snapshot.rows)), [snapshot, effect]);
}

/** Second step: what the import would do with each row. Nothing is written. Cells can be edited and corrected here. */
export function CheckStep({
  loaded,
  source,
  effect,
  onPage,
}: {
  readonly loaded: LoadedFile;
  readonly source: ExchangeSource;
  readonly effect: ExchangeDefinition['importEffect'];
  /** Page (from 0) of the table of all rows; the run starts there. */
  readonly onPage: (page: number | undefined) => void;
}) {
  const t = useT();
  const isPhone = useMedia(PHONE);
  const { run, check, columns } = loaded;
  const snapshot = useRun(run);
  const progress = useCheck(check);
  const metadata = useMetadata(source.api, source.place);
  const fields = metadata.data?.actions.POST ?? NO_FIELDS;
  const counts = useCheckCounts(snapshot);
  const [filter, setPicked] = useFilter(progress, counts.wrong);
  const [page, setPage] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const indexes = useMemo(
    () => snapshot.rows.flatMap((row, index) => (isShown(row, filter) ? [index] : [])),
    // The rows are one array that the run changes; each snapshot marks a change.
    // oxlint-disable-next-line react/exhaustive-deps
    [snapshot, filter],
  );
  const pages = Math.max(1, Math.ceil(indexes.length / IMPORT_PAGE_SIZE));
  const shownPage = Math.min(page, pages - 1);
  const shown = rowsOfPage(snapshot, indexes, shownPage);
  useEffect(() => {
    void check.start();
  }, [check]);
  useEffect(() => {
    onPage(filter === 'all' ? shownPage : undefined);
  }, [onPage, filter, shownPage]);
  const onEdit = useCallback(
    (index: number, field: string, text: string) => check.edit(index, field, text),
    [check],
  );
  const onTaken = useCallback((row: number) => focusNextWrong(box.current, row), []);
  const isHalted = progress.state === 'halted';
  const result = useCallback(
    ({ row, index }: ShownRow) => (
      <CheckResult
        row={row}
        columns={columns}
        isHalted={isHalted}
        onAccept={() => {
          check.accept([index]);
          focusNextWrong(box.current, row.number);
        }}
      />
    ),
    [check, columns, isHalted],
  );
  const Rows = isPhone ? RowCards : RowTable;
  return (
    <div className="grid grid-cols-1 gap-3">
      <CheckHead loaded={loaded} progress={progress} counts={counts} />
      <CheckTools
        loaded={loaded}
        snapshot={snapshot}
        counts={counts}
        fields={fields}
        filter={filter}
        onFilter={(next) => {
          setPicked(next);
          setPage(0);
        }}
      />
      {progress.state === 'done' && effect && <ImportEffect snapshot={snapshot} effect={effect} />}
      <div ref={box} className="-mx-4 min-h-[352px] max-sm:mx-0">
        <Rows
          columns={columns}
          rows={snapshot.rows}
          shown={shown}
          fields={fields}
          onEdit={onEdit}
          onEditing={ignore}
          onTaken={onTaken}
          resultTitle={t('exchange:check.result')}
          result={result}
        />
        {shown.length === 0 && (
          // i18n: exchange:check.nothing.*
          <p className="px-4 py-8 text-center text-ink-2">{t(`exchange:check.nothing.${filter}`)}</p>
        )}
      </div>
      <PageTurner page={shownPage} pages={pages} onTurn={setPage} />
    </div>
  );
}

function ignore(): void {}
