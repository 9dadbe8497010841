import { Download } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Segmented } from '#/ui/choice';
import { Note } from '#/ui/note';
import { Select } from '#/ui/select';
import type { FieldMap } from '../api';
import type { FieldSpec } from '../define';
import { useMedia } from '#/ui/use-media';
import { useMetadata } from '../use-metadata';
import { downloadRows } from './download-rows';
import type { ExchangeSource } from './exchange-source';
import { filteredRows, IMPORT_PAGE_SIZE, type RowFilter, type RunSnapshot } from './import-run';
import type { LoadedFile } from './loaded-file';
import { RowCards, RowTable, rowsOfPage } from './RowTable';
import { PageTurner } from './PageTurner';
import { RunProgress } from './RunProgress';
import { useChoices } from './use-choices';
import { useRun } from './use-run';

type Specs = Readonly<Record<string, FieldSpec>>;

const NO_FIELDS: FieldMap = {};
const PHONE = '(width < 640px)';
const FILTERS: readonly RowFilter[] = ['all', 'ok', 'attention', 'pending'];

/** Third step: the rows of the file, which can be edited at any time, and the progress of their import. */
export function RunStep({
  loaded,
  source,
  specs,
}: {
  readonly loaded: LoadedFile;
  readonly source: ExchangeSource;
  /** The form's field descriptions; for relations they say where the options come from. */
  readonly specs: Specs;
}) {
  const t = useT();
  const isPhone = useMedia(PHONE);
  const { run, columns } = loaded;
  const snapshot = useRun(run);
  const metadata = useMetadata(source.api, source.place);
  const fields = useChoices(snapshot, metadata.data?.actions.POST ?? NO_FIELDS, specs);
  const [picked, setPicked] = useState<RowFilter | null>(null);
  const [page, setPage] = useState(0);
  const [follows, setFollows] = useState(true);
  const [editing, setEditing] = useState<number | null>(null);

  const filter = picked ?? 'attention';
  const indexes = useMemo(() => filteredRows(snapshot, filter, editing), [snapshot, filter, editing]);
  const pages = Math.max(1, Math.ceil(indexes.length / IMPORT_PAGE_SIZE));
  const isFollowing = filter === 'all' && follows && editing === null;
  const shownPage = Math.min(isFollowing ? snapshot.page : page, pages - 1);
  const shown = rowsOfPage(snapshot, indexes, shownPage);

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
          onClick={() =>
            downloadRows(
              loaded,
              snapshot.rows.filter((row) => row.state === 'error'),
              fields,
              'failed',
            )
          }
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
