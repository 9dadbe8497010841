import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { saveFile } from '#/lib/http/file';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { Segmented } from '#/ui/choice';
import { Note } from '#/ui/note';
import { Select } from '#/ui/select';
import type { FieldMap } from '../api';
import type { FieldSpec } from '../define';
import { useMedia } from '#/ui/use-media';
import { useMetadata } from '../use-metadata';
import { csvText } from './csv-text';
import type { ExchangeSource } from './exchange-source';
import { filteredRows, IMPORT_PAGE_SIZE, type RowFilter, type RunSnapshot } from './import-run';
import type { LoadedFile } from './loaded-file';
import { RowCards, RowTable, type ShownRow } from './RowTable';
import { RunProgress } from './RunProgress';
import { useChoices } from './use-choices';
import { useRun } from './use-run';

type Specs = Readonly<Record<string, FieldSpec>>;

const NO_FIELDS: FieldMap = {};
const PHONE = '(width < 640px)';
const FILTERS: readonly RowFilter[] = ['all', 'ok', 'attention', 'pending'];

function downloadFailed({ name, columns }: LoadedFile, snapshot: RunSnapshot): void {
  const failed = snapshot.rows.filter((row) => row.state === 'error');
  const stem = name.replace(/\.\w+$/, '');
  saveFile(new Blob([csvText(columns, failed)], { type: 'text/csv;charset=utf-8' }), `${stem}-failed.csv`);
}

/** Rows of one page with their index in the file. */
function rowsOfPage(snapshot: RunSnapshot, indexes: readonly number[], page: number): readonly ShownRow[] {
  return indexes.slice(page * IMPORT_PAGE_SIZE, (page + 1) * IMPORT_PAGE_SIZE).flatMap((index) => {
    const row = snapshot.rows[index];
    return row ? [{ index, row, isCurrent: index === snapshot.current }] : [];
  });
}

/** Second and third step: the rows of the file, which can be edited at any time, and the progress of their import. */
export function RunStep({
  loaded,
  source,
  specs,
  onPage,
}: {
  readonly loaded: LoadedFile;
  readonly source: ExchangeSource;
  /** The form's field descriptions; for relations they say where the options come from. */
  readonly specs: Specs;
  /** Page (from 0) of the table before the run; the run starts there. */
  readonly onPage: (page: number | undefined) => void;
}) {
  const t = useT();
  const isPhone = useMedia(PHONE);
  const { run, columns, unknown } = loaded;
  const snapshot = useRun(run);
  const metadata = useMetadata(source.api, source.place);
  const fields = useChoices(snapshot, metadata.data?.actions.POST ?? NO_FIELDS, specs);
  const [picked, setPicked] = useState<RowFilter | null>(null);
  const [page, setPage] = useState(0);
  const [follows, setFollows] = useState(true);
  const [editing, setEditing] = useState<number | null>(null);

  // Before the run all rows are shown; afterwards those that need attention.
  const filter = picked ?? (snapshot.state === 'pending' ? 'all' : 'attention');
  const indexes = useMemo(() => filteredRows(snapshot, filter, editing), [snapshot, filter, editing]);
  const pages = Math.max(1, Math.ceil(indexes.length / IMPORT_PAGE_SIZE));
  const isFollowing = filter === 'all' && follows && snapshot.state !== 'pending' && editing === null;
  const shownPage = Math.min(isFollowing ? snapshot.page : page, pages - 1);
  const shown = rowsOfPage(snapshot, indexes, shownPage);

  useEffect(() => {
    onPage(snapshot.state === 'pending' && filter === 'all' ? shownPage : undefined);
  }, [onPage, snapshot.state, filter, shownPage]);
  const turnTo = (next: number) => {
    setFollows(false);
    setPage(next);
  };
  const onEditing = useCallback((index: number | null) => {
    setEditing(index);
    if (index !== null) setFollows(false);
  }, []);
  const onEdit = useCallback(
    (index: number, field: string, text: string) => run.edit(index, field, text),
    [run],
  );
  const Rows = isPhone ? RowCards : RowTable;
  return (
    <div className="grid grid-cols-1 gap-3">
      <RunProgress loaded={loaded} snapshot={snapshot} />
      {snapshot.halted !== null && (
        <Note tone="warn" announce>
          {t('exchange:import.halted', { reason: snapshot.halted })}
        </Note>
      )}
      {unknown.length > 0 && snapshot.state === 'pending' && (
        <Note tone="warn">{t('exchange:import.unknown', { names: unknown.join(', ') })}</Note>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <FilterChoice
          snapshot={snapshot}
          value={filter}
          isPhone={isPhone}
          onChange={(next) => {
            setPicked(next);
            setPage(0);
            setFollows(true);
          }}
        />
        <span className="text-meta text-ink-3">{t('exchange:import.edit_help')}</span>
        <Button
          className="ml-auto"
          icon={Download}
          disabled={snapshot.counts.error === 0}
          onClick={() => downloadFailed(loaded, snapshot)}
        >
          {t('exchange:import.download_failed')}
        </Button>
      </div>
      <div className="-mx-4 min-h-[352px] max-sm:mx-0">
        <Rows
          columns={columns}
          rows={snapshot.rows}
          shown={shown}
          fields={fields}
          onEdit={onEdit}
          onEditing={onEditing}
        />
        {shown.length === 0 && filter !== 'all' && (
          // i18n: exchange:import.nothing.*
          <p className="px-4 py-8 text-center text-ink-2">{t(`exchange:import.nothing.${filter}`)}</p>
        )}
      </div>
      <PageTurner page={shownPage} pages={pages} onTurn={turnTo} />
    </div>
  );
}

function PageTurner({
  page,
  pages,
  onTurn,
}: {
  /** Page from 0. */
  readonly page: number;
  readonly pages: number;
  readonly onTurn: (page: number) => void;
}) {
  const t = useT();
  return (
    <nav aria-label={t('exchange:import.pages')} className="flex items-center justify-end gap-1 tabular-nums">
      <IconButton
        icon={ChevronLeft}
        label={t('exchange:import.previous')}
        disabled={page === 0}
        onClick={() => onTurn(page - 1)}
      />
      <span className="px-1">{t('exchange:import.page', { page: page + 1, pages })}</span>
      <IconButton
        icon={ChevronRight}
        label={t('exchange:import.next')}
        disabled={page >= pages - 1}
        onClick={() => onTurn(page + 1)}
      />
    </nav>
  );
}

const FILTER_TEXT: Readonly<Record<RowFilter, string>> = {
  all: 'exchange:import.all',
  ok: 'exchange:import.ok',
  attention: 'exchange:import.attention',
  pending: 'exchange:import.pending',
};

function FilterChoice({
  snapshot,
  value,
  isPhone,
  onChange,
}: {
  readonly snapshot: RunSnapshot;
  readonly value: RowFilter;
  readonly isPhone: boolean;
  readonly onChange: (filter: RowFilter) => void;
}) {
  const t = useT();
  const attention = useMemo(() => filteredRows(snapshot, 'attention').length, [snapshot]);
  const { total, ok, pending } = snapshot.counts;
  const count: Readonly<Record<RowFilter, number>> = { all: total, ok, attention, pending };
  const options = FILTERS.map((filter) => ({
    value: filter,
    label: `${t(FILTER_TEXT[filter])} ${count[filter].toLocaleString('en')}`,
  }));
  const change = (next: string) => onChange(FILTERS.find((filter) => filter === next) ?? 'all');
  const label = t('exchange:import.filter');
  if (isPhone)
    return <Select label={label} options={options} value={value} onChange={change} className="w-full" />;
  return <Segmented label={label} options={options} value={value} onChange={change} />;
}
